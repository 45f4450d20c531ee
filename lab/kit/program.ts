/** Prints a line with the time of day. */
export const say = (line: string) =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)

/**
 * Runs a program, then stops what it has started, also after a failure or a signal.
 *
 * @param main returns the exit code
 */
export async function runProgram(main: (started: AsyncDisposableStack) => Promise<number>): Promise<void> {
  const started = new AsyncDisposableStack()
  try {
    process.exitCode = await Promise.race([main(started), interrupted()])
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    process.exitCode = 1
  } finally {
    await started.disposeAsync()
  }
}

function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // Under npm one Ctrl-C arrives twice.
      process.on(signal, () => reject(new Error(`Stopped by ${signal}.`)))
    }
  })
}
