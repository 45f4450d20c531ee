import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endChild } from './child.ts'
import type {
  LoadJob,
  LoadResult,
  ReadJob,
  ReadResult,
  Ready,
  RoundResult,
  StreamJob,
  StreamResult,
} from './messages.ts'

const READY_TIMEOUT_MS = 20_000
/** What a job may take beyond its own seconds: the callers' last answers, and their timeouts. */
const JOB_SLACK_MS = 30_000
/** What the streams of a job may take: a service's longest call, and some. */
const STREAM_MS_MAX = 150_000
const STOP_TIMEOUT_MS = 5_000

/** A process of the bench that serves HTTP. */
export type ServingWorker = { readonly url: string; readonly pid: number; stop(): Promise<void> }

/** A process of callers. */
export type Callers<Job, Result> = {
  readonly pid: number
  /** Runs one job. @throws Error when it fails as a whole or takes too long */
  run(job: Job): Promise<Result>
  stop(): Promise<void>
}

/** A process of callers. */
export type LoadWorker = Callers<LoadJob, LoadResult>

/** The process that takes calls through the naive ledger. */
export type NaiveWorker = Callers<LoadJob, RoundResult>

/** A process of callers that only read. */
export type ReadWorker = Callers<ReadJob, ReadResult>

/** The process of the callers of streams. */
export type StreamLoadWorker = Callers<StreamJob, StreamResult>

/** Starts the provider that every call ends at. */
export const startUpstream = (): Promise<ServingWorker> =>
  serving(new URL('./workers/upstream.ts', import.meta.url), [])

/** Starts the model that streams end at. */
export const startModel = (): Promise<ServingWorker> =>
  serving(new URL('./workers/model.ts', import.meta.url), [])

/** Starts the plain proxy in front of the provider. */
export const startControl = (upstreamUrl: string): Promise<ServingWorker> =>
  serving(new URL('./workers/control.ts', import.meta.url), [upstreamUrl])

/** Starts a process of callers. */
export const startLoad = (): LoadWorker => callers(LOAD, jobMs)

/** Starts a process of callers that only read. */
export const startReads = (): ReadWorker => callers(LOAD, jobMs)

const LOAD = new URL('./workers/load.ts', import.meta.url)
const jobMs = (job: { warmupSeconds: number; seconds: number }) =>
  (job.warmupSeconds + job.seconds) * 1_000 + JOB_SLACK_MS

/** Starts the process that takes calls through the naive ledger of this database. */
export const startNaiveLedger = (databaseUrl: string): NaiveWorker =>
  callers(new URL('./workers/naive-ledger.ts', import.meta.url), jobMs, [databaseUrl])

/** Starts the process of the callers of streams. */
export const startStreamLoad = (): StreamLoadWorker =>
  callers(
    new URL('./workers/stream-load.ts', import.meta.url),
    job => (job.rampSeconds + (job.seconds ?? 0)) * 1_000 + STREAM_MS_MAX,
  )

function callers<Job extends object, Result>(
  file: URL,
  limitMsOf: (job: Job) => number,
  args: readonly string[] = [],
): Callers<Job, Result> {
  const child = fork(fileURLToPath(file), [...args])
  return {
    pid: pidOf(child),
    async run(job) {
      child.send(job)
      const answer = (await nextMessage(child, limitMsOf(job))) as { result: Result } | { failure: string }
      if ('failure' in answer) throw new Error(`The load failed: ${answer.failure}`)
      return answer.result
    },
    stop: () => endChild(child, STOP_TIMEOUT_MS),
  }
}

async function serving(file: URL, args: readonly string[]): Promise<ServingWorker> {
  const child = fork(fileURLToPath(file), args)
  try {
    const { url } = (await nextMessage(child, READY_TIMEOUT_MS)) as Ready
    return { url, pid: pidOf(child), stop: () => endChild(child, STOP_TIMEOUT_MS) }
  } catch (error) {
    await endChild(child, STOP_TIMEOUT_MS)
    throw error
  }
}

function nextMessage(child: ChildProcess, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(late)
      child.off('message', onMessage)
      child.off('exit', onExit)
      end()
    }
    const onMessage = (message: unknown) => settle(() => resolve(message))
    const onExit = (code: number | null) =>
      settle(() => reject(new Error(`${child.spawnargs.at(-1)} ended with code ${code}.`)))
    const late = setTimeout(
      () => settle(() => reject(new Error(`${child.spawnargs.at(-1)} did not answer in time.`))),
      limitMs,
    )
    child.on('message', onMessage)
    child.on('exit', onExit)
  })
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('A process of the bench could not be started.')
  return child.pid
}
