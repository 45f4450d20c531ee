import type { Socket } from 'node:net'
import { errors } from 'undici'

/** Start of an interim answer. 101 is none: it ends HTTP, and was not asked for. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
/** Bytes that decide whether an answer is interim. */
const START_BYTES = 'HTTP/1.1 100 '.length
/** Maximum size of all interim answers to a request, in bytes. */
const INTERIM_BYTES_MAX = 32_768
const HEAD_END = '\r\n\r\n'

/**
 * Passes over the interim answers (`100 Continue`, `103 Early Hints`) in front of each answer on a socket, as a client
 * must (RFC 9110, 15.2), also those it did not ask for: undici takes a 100 for a broken answer.
 */
export function passOverInterimAnswers(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...input: unknown[]) => boolean
  /** What was read and not yet decided on; null within a final answer. */
  let undecided: Buffer | null = null
  let isInterim = false
  let bytes = 0

  const finalOf = (chunk: Buffer): Buffer | null => {
    let rest = undecided === null ? chunk : Buffer.concat([undecided, chunk])
    for (;;) {
      if (isInterim) {
        const end = rest.indexOf(HEAD_END)
        undecided = end < 0 ? rest.subarray(1 - HEAD_END.length) : rest
        if (end < 0) return null
        rest = rest.subarray(end + HEAD_END.length)
      }
      isInterim = INTERIM.test(rest.toString('latin1', 0, START_BYTES))
      if (isInterim) continue
      undecided = rest.length < START_BYTES ? rest : null
      return undecided === null ? rest : null
    }
  }

  // A request is written in one turn of the event loop: what is read next is the start of its answer.
  socket.write = (...input: unknown[]) => {
    undecided = Buffer.alloc(0)
    isInterim = false
    bytes = 0
    return write(...input)
  }
  socket.read = size => {
    const chunk: Buffer | null = read(size)
    if (chunk === null || undecided === null) return chunk
    bytes += chunk.length
    const final = finalOf(chunk)
    if (final === null && bytes > INTERIM_BYTES_MAX) socket.destroy(new errors.HeadersOverflowError())
    return final
  }
  return socket
}
