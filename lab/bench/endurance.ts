import { type MemoryWatch, watchMemory } from './endurance-watch.ts'
import { readMemory } from './memory.ts'
import { openPaidRun, type PartOn, type Soundness } from './open-loop-run.ts'
import type { Options } from './options.ts'

/** Callers of the closed loop. */
const CALLERS = 256
/** Load before the measured time: connections, pools and compiled code are there after it, in seconds. */
const WARMUP_SECONDS_MIN = 2

/** The memory of a gateway that is loaded for long. */
export type EnduranceFigures = Soundness & {
  readonly callers: number
  readonly minutes: number
  readonly perSecond: number
  readonly shedPerSecond: number
  readonly p99Ms: number
  /** Resident memory before the first call, in MiB, and under load; null where it cannot be told. */
  readonly memory: (MemoryWatch & { readonly beforeMiB: number }) | null
}

/** Watches the resident memory of the gateway's process while a closed loop of many owners goes on. */
export async function measureEndurance(options: Options, on: PartOn): Promise<EnduranceFigures> {
  const { gateway, load, say } = on
  const warmupSeconds = Math.max(options.warmupSeconds, WARMUP_SECONDS_MIN)
  const shape = { warmupSeconds, seconds: options.minutes * 60 }
  const run = await openPaidRun(options, on)
  const before = await readMemory(gateway.pid)

  const watch = watchMemory(gateway.pid, { warmupMs: warmupSeconds * 1_000, say })
  // The watch ends when the load does, however that does.
  const loaded = run.pay(load, run.spread, { callers: CALLERS, ...shape })
  const watched = await loaded.then(
    () => watch.stop(),
    () => watch.stop(),
  )
  const { perSecond, shedPerSecond, latency } = await loaded
  return {
    callers: CALLERS,
    minutes: options.minutes,
    perSecond,
    shedPerSecond,
    p99Ms: latency.p99,
    memory: before === null || watched === null ? null : { beforeMiB: before.nowMiB, ...watched },
    ...(await run.close()),
  }
}
