import { Worker } from 'node:worker_threads'

/** Thrown when a worker took more time or memory than it may. */
export class WorkerLimitError extends Error {
  override readonly name = 'WorkerLimitError'
}

/** Runs a module once per input, each time in a thread of its own. */
export type Workers<Input, Output> = {
  /**
   * Returns the first message of the thread; null if too many inputs wait.
   *
   * @throws WorkerLimitError, or what the thread throws
   */
  run(input: Input): Promise<Output | null>
}

/**
 * Returns a runner of a module in threads.
 *
 * @param of.file    module that reads `workerData` and posts one message
 * @param of.atOnce  maximum number of threads
 * @param of.waiting maximum number of inputs that wait for one
 * @param of.timeMs  maximum time of a thread, its start included
 * @param of.heapMib maximum heap of a thread
 */
export function createWorkers<Input, Output>(of: {
  file: URL
  atOnce: number
  waiting: number
  timeMs: number
  heapMib: number
}): Workers<Input, Output> {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(input) {
      if (running >= of.atOnce) {
        if (waiting.length >= of.waiting) return null
        await new Promise<void>(done => waiting.push(done))
      } else running += 1
      try {
        return await runOnce<Input, Output>(of, input)
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}

async function runOnce<Input, Output>(
  { file, timeMs, heapMib }: { file: URL; timeMs: number; heapMib: number },
  input: Input,
): Promise<Output> {
  const worker = new Worker(file, {
    workerData: input,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Output>()
  const timer = setTimeout(() => reject(new WorkerLimitError('A worker took too long.')), timeMs)
  worker.once('message', resolve)
  worker.once('error', (error: NodeJS.ErrnoException) => {
    const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    reject(isOutOfMemory ? new WorkerLimitError('A worker took too much memory.') : error)
  })
  worker.once('exit', () => reject(new Error('A worker ended without a message.')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
