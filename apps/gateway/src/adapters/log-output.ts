import { write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Characters buffered before a write, for at most {@link FLUSH_EVERY_MS}; a warning is written at once. */
const BUFFERED_LENGTH = 8_192
const FLUSH_EVERY_MS = 500
/** Maximum length of what is kept while the output cannot be written to; later lines are dropped and counted. */
const KEPT_LENGTH_MAX = 1_048_576
/** Maximum time at exit for a reader who is slower than this process, and the pause between attempts, in ms. */
const EXIT_WAIT_MS = 1_000
const EXIT_PAUSE_MS = 10
const WARNING = /^\{"level":"(?:warn|error)"/
const NOTHING = Buffer.alloc(0)

/** An output of lines. */
export type LogOutput = DestinationStream & {
  /** Starts to write what is buffered. */
  flush(): void
}

/**
 * Returns an output that buffers lines and writes them in the background. An output that cannot be written to, such as a
 * file on a full disk, neither ends nor delays the process: lines are kept up to 1 MiB and written once it can be. A line
 * counts those that were dropped.
 *
 * @param fd of a file, pipe or terminal
 */
export function createLogOutput(fd: number): LogOutput {
  const output = new Output(fd)
  setInterval(() => output.flush(), FLUSH_EVERY_MS).unref()
  process.on('exit', () => output.flushSync())
  return output
}

class Output implements LogOutput {
  readonly #fd: number
  #buffered = ''
  /** Being written, or refused. */
  #unwritten: Buffer = NOTHING
  #isWriting = false
  #isDue = false
  /** Code of the last error, until a write succeeds. */
  #fault: string | null = null
  #dropped = 0

  constructor(fd: number) {
    this.#fd = fd
  }

  write(line: string): void {
    if (this.#buffered.length + this.#unwritten.length > KEPT_LENGTH_MAX) {
      this.#dropped += 1
      return
    }
    this.#buffered += line
    this.#isDue ||= this.#buffered.length >= BUFFERED_LENGTH || WARNING.test(line)
    // After an error the timer retries, however many lines there are.
    if (this.#isDue && this.#fault === null) this.flush()
  }

  flush(): void {
    this.#isDue = true
    if (this.#isWriting) return
    this.#isDue = false
    if (this.#unwritten.length === 0) this.#unwritten = this.#take()
    if (this.#unwritten.length === 0) return
    this.#isWriting = true
    write(this.#fd, this.#unwritten, (error, count) => {
      this.#isWriting = false
      if (error !== null) {
        this.#fault = error.code ?? error.message
        return
      }
      this.#unwritten = this.#unwritten.subarray(count)
      this.#countDropped()
      this.#fault = null
      if (this.#unwritten.length > 0 || this.#isDue) this.flush()
    })
  }

  /** Writes everything, except what the output refuses. */
  flushSync(): void {
    // A write under way completes before the process ends.
    let rest = Buffer.concat([this.#isWriting ? NOTHING : this.#unwritten, this.#take()])
    const deadline = performance.now() + EXIT_WAIT_MS
    while (rest.length > 0 && performance.now() < deadline) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest))
      } catch (error) {
        // There is nowhere left to report any other error.
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_PAUSE_MS)
      }
    }
  }

  #take(): Buffer {
    const taken = Buffer.from(this.#buffered)
    this.#buffered = ''
    return taken
  }

  #countDropped(): void {
    if (this.#dropped === 0) return
    const [time, reason] = [new Date().toISOString(), this.#fault]
    const fields = { level: 'warn', time, reason, linesDropped: this.#dropped }
    this.#buffered += `${JSON.stringify({ ...fields, msg: 'lines of the log were dropped: it could not be written' })}\n`
    this.#dropped = 0
  }
}
