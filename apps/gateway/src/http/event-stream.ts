import type { FastifyReply } from 'fastify'

/** A caller that reads nothing for this long counts as gone, in ms. */
const STALL_MS_MAX = 15_000
/** Maximum unsent bytes of one caller; beyond it, the next piece waits for room. */
const UNSENT_BYTES_MAX = 65_536

/** An answer of server-sent events (WHATWG HTML, 9.2), written piece by piece. */
export type EventStream = {
  /**
   * Sends the head: 200, with the headers of the reply so far. Errors can no longer be ordinary responses.
   *
   * @param patienceMs total time that the caller may block the writer before it is dropped; absent: unlimited
   */
  open(headers: Readonly<Record<string, string>>, patienceMs?: number): void
  readonly isOpen: boolean
  /** @returns undefined if there is room for more, otherwise a promise of it, which resolves in bounded time */
  write(bytes: Buffer | string): Promise<void> | undefined
  /** Writes the last piece and ends the answer. */
  end(bytes?: Buffer | string): void
  /** True if the caller has left, or was dropped after a stall. */
  readonly isGone: boolean
}

/**
 * Takes a reply over from Fastify once it is opened; until then it can be answered like any other.
 *
 * Back-pressure: a slow caller slows the writer down, and is dropped if it stalls or has used up its patience.
 */
export function openEventStream(reply: FastifyReply): EventStream {
  const { raw } = reply
  let isOpen = false
  // Of the response: a request counts as destroyed once its body was read.
  let isGone = raw.destroyed
  let release: (() => void) | null = null
  let patienceLeftMs = Number.POSITIVE_INFINITY

  const letGo = () => {
    isGone = true
    release?.()
  }
  const room = () =>
    new Promise<void>(done => {
      // By the monotonic clock, which is never set.
      const since = performance.now()
      const stalled = setTimeout(
        () => {
          raw.destroy()
          letGo()
        },
        Math.min(STALL_MS_MAX, patienceLeftMs),
      )
      release = () => {
        clearTimeout(stalled)
        patienceLeftMs = Math.max(0, patienceLeftMs - (performance.now() - since))
        raw.off('drain', onDrain)
        release = null
        done()
      }
      const onDrain = () => release?.()
      raw.on('drain', onDrain)
    })

  raw.once('close', letGo)
  return {
    get isOpen() {
      return isOpen
    },
    get isGone() {
      return isGone
    },
    open(headers, patienceMs = Number.POSITIVE_INFINITY) {
      isOpen = true
      patienceLeftMs = patienceMs
      reply.hijack()
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value)
      }
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        // Buffering proxies would delay a stream to its end.
        'x-accel-buffering': 'no',
        ...headers,
      })
      raw.flushHeaders()
    },
    write(bytes) {
      if (isGone) return undefined
      raw.write(bytes)
      return raw.writableLength > UNSENT_BYTES_MAX ? room() : undefined
    },
    end(bytes) {
      if (isGone) return
      raw.end(bytes)
    },
  }
}
