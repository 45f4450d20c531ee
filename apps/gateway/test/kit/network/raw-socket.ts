import { connect } from 'node:net'

/** Timeout of a conversation, far above all limits of gateways in tests. */
const CONVERSATION_MS_MAX = 20_000

/** Text received over one connection, as Latin-1, and whether the peer has closed it. */
export type Conversation = { readonly text: string; readonly isClosed: boolean }

/**
 * Opens a connection, writes raw bytes, and reads until the peer closes it or
 * `isEnough` returns true.
 *
 * @param patienceMs resolves after this time, too; without it, throws after 20 s
 * @param pieces each written separately; strings are Latin-1
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
    // The peer resets the connection if it closes before all bytes are read.
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

/** Returns the statuses of the answers in a conversation, in order. */
export const statusesIn = ({ text }: Conversation): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
