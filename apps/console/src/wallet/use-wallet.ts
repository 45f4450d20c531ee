import { useEffect } from 'react'
import { createStore } from '../ui/state/store.ts'
import type { WalletChoice, WalletEngine, WalletState } from './engine.ts'

type Snapshot = WalletState & {
  /** The first search for wallets has finished. */
  readonly isReady: boolean
  readonly choices: readonly WalletChoice[]
}

const unknown = { isReady: false, address: null, kind: null, name: null, chainId: null, choices: [] }
const snapshot = createStore<Snapshot>(unknown)
let starting: Promise<WalletEngine> | undefined

/** Loads the wallet engine at first use, to keep pages without a wallet small. */
export function loadWallets(): Promise<WalletEngine> {
  starting ??= start().catch(error => {
    starting = undefined
    throw error
  })
  return starting
}

async function start(): Promise<WalletEngine> {
  const { startEngine } = await import('./engine.ts')
  const engine = await startEngine()
  const notify = () => snapshot.set({ isReady: true, ...engine.state(), choices: engine.choices() })
  engine.watch(notify)
  notify()
  return engine
}

/**
 * Actions of the signed-in wallet. Those that send or sign check its account, and switch its network if needed. All
 * throw WalletError, with a message for people.
 */
export const wallet = {
  /** Reads from a contract; needs no wallet. */
  read: (async (call: never) => (await loadWallets()).read(call)) as WalletEngine['read'],
  /** Runs any public action of viem; needs no wallet. */
  ask: (async (question: never) => (await loadWallets()).ask(question)) as WalletEngine['ask'],
  /** Checks that the signed-in account is connected, and switches to our network. */
  ready: async () => (await loadWallets()).ready(),
  /** Sends a transaction. Resolves when it was sent, before it is mined. */
  write: (async (call: never) => (await loadWallets()).write(call)) as WalletEngine['write'],
  /** Signs a text (EIP-191) as the signed-in wallet. */
  signMessage: async (message: string) => {
    const engine = await loadWallets()
    return engine.signMessage(await engine.account(), message)
  },
  /** Signs typed data (EIP-712), such as a permit. */
  signTypedData: (async (data: never) =>
    (await loadWallets()).signTypedData(data)) as WalletEngine['signTypedData'],
}

/** Returns the state of the wallet. Loads the engine on mount. */
export function useWallet(): Snapshot {
  useEffect(() => {
    // A failure is reported when the wallet is used.
    loadWallets().catch(() => undefined)
  }, [])
  return snapshot.use()
}
