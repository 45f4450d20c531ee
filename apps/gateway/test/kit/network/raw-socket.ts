import { connect } from 'node:net'

/** Longest that a conversation may take: far more than any limit of a gateway in the tests. */
const CONVERSATION_MS_MAX = 20_000

/** What came back over one connection, as Latin-1, and whether the other side has closed it. */
export type Conversation = { readonly text: string; readonly isClosed: boolean }

/**
 * Opens a connection of its own, writes bytes that no client would send, and reads until the other side closes it or
 * `isEnough` says so.
 *
 * @param patienceMs resolves as well when the connection has been open for so long; without it, that is an error after 20 s
 * @param pieces written one after the other, each as a piece of its own; strings are Latin-1
 */
export function converse(
  url: string,
  pieces: readonly (string | Buffer)[],
  isEnough: (text: string) => boolean = () => false,
  patienceMs?: number,
): Promise<Conversation> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
    let text = ''
    const end = (isClosed: boolean) => {
      clearTimeout(late)
      socket.destroy()
      resolve({ text, isClosed })
    }
    const late = setTimeout(() => {
      if (patienceMs !== undefined) return end(false)
      socket.destroy()
      reject(new Error(`The connection is still open; so far it said ${JSON.stringify(text)}`))
    }, patienceMs ?? CONVERSATION_MS_MAX)
    socket.on('data', (chunk: string) => {
      text += chunk
      if (isEnough(text)) end(false)
    })
    // A reset is an end like any other: bytes that nobody wanted were still on their way.
    socket.on('error', () => undefined)
    socket.once('close', () => end(true))
    socket.once('connect', async () => {
      for (const piece of pieces) {
        if (!socket.writable) return
        socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
        await new Promise(setImmediate)
      }
    })
  })
}

/** Statuses of the answers in a conversation, in their order. */
export const statusesIn = ({ text }: Conversation): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
