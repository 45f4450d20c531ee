import type { UpstreamFailure, UpstreamStream } from '../../upstream-ports.ts'

/** Maximum unread bytes of an answer; beyond it, reading from the wire pauses. */
const UNREAD_BYTES_MAX = 65_536

type Piece = Buffer | null | { readonly failure: UpstreamFailure }

/** Flow control of the wire. */
type Flow = { pause(): void; resume(): void }

/** Body of an answer that is still arriving; buffers unread bytes up to a limit. */
export class UpstreamBody implements UpstreamStream {
  readonly status: number
  readonly contentType: string
  readonly #flow: Flow
  readonly #cancel: () => void
  #chunks: Buffer[] = []
  #unread = 0
  #isPaused = false
  #end: Exclude<Piece, Buffer> | undefined
  #reader: ((piece: Piece) => void) | null = null

  constructor(head: { status: number; contentType: string }, flow: Flow, cancel: () => void) {
    this.status = head.status
    this.contentType = head.contentType
    this.#flow = flow
    this.#cancel = cancel
  }

  read(): Promise<Piece> {
    const [first] = this.#chunks
    if (first !== undefined) {
      // All buffered bytes are one piece: a slow reader catches up at once.
      const piece = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
      this.#chunks = []
      this.#unread = 0
      this.#resume()
      return Promise.resolve(piece)
    }
    if (this.#end !== undefined) return Promise.resolve(this.#end)
    return new Promise(done => {
      this.#reader = done
    })
  }

  cancel(): void {
    this.#cancel()
  }

  /** Takes bytes from the wire. */
  push(chunk: Buffer): void {
    const reader = this.#reader
    if (reader !== null) {
      this.#reader = null
      reader(chunk)
      return
    }
    this.#chunks.push(chunk)
    this.#unread += chunk.length
    if (this.#unread < UNREAD_BYTES_MAX || this.#isPaused) return
    this.#isPaused = true
    this.#flow.pause()
  }

  /** Ends the body, also after an error; buffered bytes can still be read. */
  finish(failure: UpstreamFailure | null): void {
    this.#end = failure === null ? null : { failure }
    this.#resume()
    this.#reader?.(this.#end)
    this.#reader = null
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#flow.resume()
  }
}
