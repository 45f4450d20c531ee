import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type MemorySample, type MemoryTrend, trendOf } from './endurance-trend.ts'
import { readMemory } from './memory.ts'

/** Time between two looks at the memory, in ms. */
const SAMPLE_MS = 3_000
/** Every so many looks, the memory is told: once a minute. */
const TELL_EVERY = 20

/** What a watch saw of a process, in MiB. */
export type MemoryWatch = {
  /** Highest since the end of the warm-up. */
  readonly peakMiB: number
  /** Whether the peak is the system's own, or only the highest of the samples. */
  readonly isPeakExact: boolean
  readonly trend: MemoryTrend
  readonly samples: readonly MemorySample[]
}

/**
 * Watches the resident memory of a process from the end of the warm-up on, until it is told to stop, which then tells
 * what it saw: null where the memory of a process cannot be told.
 */
export function watchMemory(
  pid: number,
  { warmupMs, say }: { warmupMs: number; say: (line: string) => void },
): { stop(): Promise<MemoryWatch | null> } {
  const stopping = new AbortController()
  const samples: MemorySample[] = []
  /** Whether the watch goes on after the time. */
  const goesOnAfter = (ms: number) =>
    delay(ms, true, { signal: stopping.signal }).catch(() => !stopping.signal.aborted)

  const watching = (async () => {
    if (!(await goesOnAfter(warmupMs))) return false
    const isPeakExact = await forgetPeak(pid)
    const from = performance.now()
    do {
      const memory = await readMemory(pid)
      if (memory === null) break
      samples.push({ atSeconds: (performance.now() - from) / 1_000, mib: memory.nowMiB })
      if (samples.length % TELL_EVERY === 0) say(`memory ${memory.nowMiB.toFixed(0)} MiB`)
    } while (await goesOnAfter(SAMPLE_MS))
    return isPeakExact
  })()
  return {
    async stop() {
      stopping.abort()
      const isPeakExact = await watching
      const last = await readMemory(pid)
      if (last === null || samples.length === 0) return null
      const peakMiB = isPeakExact ? last.peakMiB : Math.max(...samples.map(({ mib }) => mib))
      return { peakMiB, isPeakExact, trend: trendOf(samples), samples }
    },
  }
}

/** Has the system count the peak of a process anew (proc(5): 5 to `clear_refs`); false where it does not. */
async function forgetPeak(pid: number): Promise<boolean> {
  return writeFile(`/proc/${pid}/clear_refs`, '5').then(
    () => true,
    () => false,
  )
}
