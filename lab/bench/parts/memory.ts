import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { readMemory } from '../../kit/proc.ts'
import { findingsOf, isSound, openPaidRun } from '../market/paid-run.ts'
import type { Options } from '../options.ts'
import type { PartResult, Stage } from '../part.ts'
import { type MemorySample, type MemoryTrend, trendOf } from './memory-trend.ts'

/** Callers of the closed loop. */
const CALLERS = 256
/** Load before the measured time: connections, pools and compiled code are there after it, in seconds. */
const WARMUP_SECONDS_MIN = 2
/** Time between two samples, in ms; one a minute is printed. */
const SAMPLE_MS = 3_000
const TELL_EVERY = 20
/** In a shorter run, in minutes, the swing of the garbage collector is more than any growth. */
const TREND_MINUTES_MIN = 5

/** Resident memory of a process since the end of the warm-up, in MiB. */
type MemoryWatch = {
  readonly peakMiB: number
  readonly trend: MemoryTrend
  readonly samples: readonly MemorySample[]
}

/** Watches the resident memory of the gateway's process while a closed loop of many owners goes on. */
export async function runMemory(options: Options, stage: Stage): Promise<PartResult> {
  const on = await stage.openPart({ owners: options.owners })
  const { minutes } = options
  const warmupSeconds = Math.max(options.warmupSeconds, WARMUP_SECONDS_MIN)
  const run = await openPaidRun(options, on)
  const before = readMemory(on.gateway.pid)
  const over = new AbortController()
  const watching = watchMemory(on.gateway.pid, {
    ...on,
    warmupMs: warmupSeconds * 1_000,
    signal: over.signal,
  })
  // The watch ends when the load does, however that does.
  const { perSecond, shedPerSecond, latency } = await run
    .pay(on.load, run.spread, { callers: CALLERS, warmupSeconds, seconds: minutes * 60 })
    .finally(() => over.abort())
  const memory = await watching
  const soundness = await run.close()
  const [least, most] = [memory?.trend.leastMiB, memory?.trend.mostMiB].map(textOf)
  return {
    sections: [
      {
        title: 'Memory under load',
        table: [
          [
            ...['callers', 'minutes', 'calls/s', 'sheds/s', 'p99 ms', 'MiB before', 'MiB peak'],
            ...['MiB least - most', 'MiB per minute'],
          ],
          [
            ...[String(CALLERS), String(minutes), perSecond.toFixed(0), shedPerSecond.toFixed(0)],
            ...[
              latency.p99.toFixed(1),
              textOf(before?.nowMiB),
              textOf(memory?.peakMiB),
              `${least} - ${most}`,
            ],
            memory?.trend.mibPerMinute.toFixed(2) ?? 'unknown',
          ],
        ],
        notes: [
          'Resident memory of the process of the gateway. The peak is of all the time after the warm-up; least, most ' +
            'and growth (by least squares) are of the last two thirds of it.',
        ],
      },
    ],
    findings: findingsOf(soundness, 'memory'),
    isSound: isSound(soundness),
    reached: {
      memory: memory?.peakMiB ?? null,
      memoryGrowth: minutes < TREND_MINUTES_MIN ? null : (memory?.trend.mibPerMinute ?? null),
    },
  }
}

const textOf = (mib: number | undefined): string => mib?.toFixed(0) ?? 'unknown'

/** Watches a process from the end of the warm-up until it is aborted; returns null where there is no /proc. */
async function watchMemory(
  pid: number,
  on: { warmupMs: number; signal: AbortSignal; say: (line: string) => void },
): Promise<MemoryWatch | null> {
  const { warmupMs, signal, say } = on
  const samples: MemorySample[] = []
  const wait = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined)
  await wait(warmupMs)
  // proc(5): 5 resets the peak, where that is permitted.
  const isReset = await writeFile(`/proc/${pid}/clear_refs`, '5').then(
    () => true,
    () => false,
  )
  const from = performance.now()
  for (;;) {
    const memory = readMemory(pid)
    if (memory === null) return null
    samples.push({ atSeconds: (performance.now() - from) / 1_000, mib: memory.nowMiB })
    if (samples.length % TELL_EVERY === 0) say(`memory ${memory.nowMiB.toFixed(0)} MiB`)
    if (signal.aborted) {
      const peakMiB = isReset ? memory.peakMiB : Math.max(...samples.map(({ mib }) => mib))
      return { peakMiB, trend: trendOf(samples), samples }
    }
    await wait(SAMPLE_MS)
  }
}
