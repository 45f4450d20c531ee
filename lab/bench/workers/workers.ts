import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endChild } from '../../kit/processes.ts'
import type { LoadJob, LoadResult, LoopShape, Ready, StreamJob, StreamResult } from './messages.ts'

const READY_TIMEOUT_MS = 20_000
/** Time limit of a job beyond its own seconds: for the last answers and their timeouts. */
const JOB_SLACK_MS = 30_000
const STOP_TIMEOUT_MS = 5_000

/** A process that serves HTTP. */
export type ServingWorker = { readonly url: string; readonly pid: number; stop(): Promise<void> }

/** A process of callers. */
export type Callers<Job, Result> = {
  /** Runs one job. @throws Error when it fails as a whole or takes too long */
  run(job: Job): Promise<Result>
  stop(): Promise<void>
}
export type LoadWorker = Callers<LoadJob, LoadResult>
export type StreamWorker = Callers<StreamJob, StreamResult>

/** Starts the provider that every call ends at. */
export const startProvider = () => serving(new URL('./provider.ts', import.meta.url), [])
/** Starts the plain proxy in front of the provider. */
export const startControl = (url: string) => serving(new URL('./control.ts', import.meta.url), [url])

/** Starts callers of paid calls, or of those of other contestants. */
export const startLoad = (): LoadWorker => callers(new URL('./load.ts', import.meta.url))
/** Starts callers of streams. */
export const startStreams = (): StreamWorker => callers(new URL('./stream-load.ts', import.meta.url))

function callers<Job extends LoopShape, Result>(file: URL): Callers<Job, Result> {
  const child = fork(fileURLToPath(file))
  return {
    async run(job) {
      child.send(job)
      const limitMs = (job.warmupSeconds + job.seconds) * 1_000 + JOB_SLACK_MS
      const answer = (await nextMessage(child, limitMs)) as { result: Result } | { failure: string }
      if ('failure' in answer) throw new Error(`The load failed: ${answer.failure}`)
      return answer.result
    },
    stop: () => endChild(child, STOP_TIMEOUT_MS),
  }
}

async function serving(file: URL, args: readonly string[]): Promise<ServingWorker> {
  const child = fork(fileURLToPath(file), args)
  const stop = () => endChild(child, STOP_TIMEOUT_MS)
  try {
    const { url } = (await nextMessage(child, READY_TIMEOUT_MS)) as Ready
    return { url, pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function nextMessage(child: ChildProcess, limitMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const name = child.spawnargs.at(-1)
  const onExit = (code: number | null) => reject(new Error(`${name} ended with code ${code}.`))
  const late = setTimeout(() => reject(new Error(`${name} did not answer in time.`)), limitMs)
  child.once('message', resolve).once('exit', onExit)
  return promise.finally(() => {
    clearTimeout(late)
    child.off('message', resolve).off('exit', onExit)
  })
}
