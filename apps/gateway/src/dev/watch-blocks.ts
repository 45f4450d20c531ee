import type { Hex } from 'viem'

/** Root of the empty trie: the `transactionsRoot` of a block without transactions (Yellow Paper, 4.4.1). */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const OPEN_TIMEOUT_MS = 5_000

/** A new block: does it hold transactions? */
export type NewBlock = { readonly number: bigint; readonly isEmpty: boolean }

/**
 * Tells of each new block of a local node as it comes (`eth_subscribe`).
 *
 * @returns ends the watch
 * @throws Error when the node does not take the subscription in time
 */
export async function watchBlocks(rpcUrl: string, onBlock: (block: NewBlock) => void): Promise<() => void> {
  const socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'))
  const subscribed = new Promise<void>((done, fail) => {
    const late = setTimeout(() => fail(new Error('The local chain takes no subscription.')), OPEN_TIMEOUT_MS)
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    })
    socket.addEventListener('close', () => fail(new Error('The local chain closed the subscription.')))
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as {
        id?: number
        params?: { result: { number: Hex; transactionsRoot: Hex } }
      }
      if (message.id === 1) {
        clearTimeout(late)
        done()
      }
      if (message.params === undefined) return
      const { number, transactionsRoot } = message.params.result
      onBlock({ number: BigInt(number), isEmpty: transactionsRoot === EMPTY_ROOT })
    })
  })
  await subscribed
  return () => socket.close()
}
