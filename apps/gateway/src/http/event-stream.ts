import type { FastifyReply } from 'fastify'

/** A caller who takes nothing for this long at once is treated as gone, in ms. */
const STALL_MS_MAX = 15_000
/** Bytes of one caller that may wait in this process; past it, the next piece waits for room. */
const UNSENT_BYTES_MAX = 65_536

/** An answer of server-sent events (WHATWG HTML, 9.2), written piece by piece. */
export type EventStream = {
  /**
   * Sends the head: 200, with the headers of the reply so far and these. Nothing can be refused any more.
   *
   * @param patienceMs how long the caller may make the writer wait in all, before he is let go; absent: for ever
   */
  open(headers: Readonly<Record<string, string>>, patienceMs?: number): void
  readonly isOpen: boolean
  /** @returns undefined when there is room for more, else a promise of it, which is kept in bounded time */
  write(bytes: Buffer | string): Promise<void> | undefined
  /** Writes what is left to say and ends the answer. */
  end(bytes?: Buffer | string): void
  /** Whether the caller has left, or has stalled for too long and was let go. */
  readonly isGone: boolean
}

/**
 * Takes a reply over from Fastify once it is opened; until then it can be answered like any other.
 *
 * Back-pressure: a caller who reads slowly slows the writer down, and is let go when he stalls or his patience, that
 * of the writer with him, is used up.
 */
export function openEventStream(reply: FastifyReply): EventStream {
  const { raw } = reply
  let isOpen = false
  // Of the answer: a request counts as destroyed once its body has been read.
  let isGone = raw.destroyed
  let release: (() => void) | null = null
  let patienceLeftMs = Number.POSITIVE_INFINITY

  const letGo = () => {
    isGone = true
    release?.()
  }
  const room = () =>
    new Promise<void>(done => {
      // Of the monotonic clock: how long a wait took is no matter of the time of day.
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
        // Proxies that gather answers would turn a stream into a wait.
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
