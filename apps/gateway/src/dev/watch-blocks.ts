import type { Hex } from 'viem'

/** Root of the empty trie: the `transactionsRoot` of a block without transactions (Yellow Paper, 4.4.1). */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const SUBSCRIBE_TIMEOUT_MS = 5_000
const RECONNECT_MS = 100

/** A new block: true if it has transactions, or if earlier blocks may have been missed. */
export type NewBlock = { readonly number: bigint; readonly isUsed: boolean }

type Message = { id?: number; params?: { result: { number: Hex; transactionsRoot: Hex } } }

/**
 * Reports each new block of a local node (`eth_subscribe`), and reconnects when the connection is lost.
 *
 * @returns a function that ends the watch
 * @throws Error if the first subscription fails in time
 */
export async function watchBlocks(rpcUrl: string, onBlock: (block: NewBlock) => void): Promise<() => void> {
  let isEnded = false
  let socket: WebSocket
  let hasMissed = false

  return new Promise((done, fail) => {
    const late = setTimeout(() => {
      end()
      fail(new Error('The local chain takes no subscription.'))
    }, SUBSCRIBE_TIMEOUT_MS)
    connect()

    function connect(): void {
      if (isEnded) return
      socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'))
      socket.addEventListener('open', () => {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
      })
      socket.addEventListener('message', ({ data }) => read(JSON.parse(String(data)) as Message))
      socket.addEventListener('close', () => {
        hasMissed = true
        setTimeout(connect, RECONNECT_MS).unref()
      })
    }
    function read({ id, params }: Message): void {
      if (id === 1) {
        clearTimeout(late)
        done(end)
      }
      if (params === undefined || isEnded) return
      const { number, transactionsRoot } = params.result
      onBlock({ number: BigInt(number), isUsed: hasMissed || transactionsRoot !== EMPTY_ROOT })
      hasMissed = false
    }
    function end(): void {
      isEnded = true
      clearTimeout(late)
      socket.close()
    }
  })
}
