import type { Log } from './ports.ts'

/** Work that repeats for as long as the gateway runs. */
export type Job = {
  readonly name: string
  /** Pause between the end of one run and the start of the next, in ms. */
  readonly everyMs: number
  /** One run. `signal` is aborted when the gateway stops; a run shall end soon after. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Starts jobs, each in its own rhythm, never two runs of one job at once. A run that fails is logged and the
 * next one comes as usual: whatever it left undone is still there to be found.
 *
 * @returns `stop` waits for the runs under way
 */
export function startJobs(log: Log, jobs: readonly Job[]): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = jobs.map(job => repeat(job, stopping.signal, log))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function repeat(job: Job, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    try {
      await job.run(signal)
    } catch (error) {
      if (!signal.aborted) log.warn({ job: job.name, err: error }, 'a job failed and will run again')
    }
    await pause(job.everyMs, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    if (signal.aborted) return done()
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    function finish() {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      done()
    }
  })
}
