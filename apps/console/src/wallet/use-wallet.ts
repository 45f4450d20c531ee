import { useEffect } from 'react'
import { createStore } from '../ui/state/store.ts'
import type { WalletChoice, WalletEngine, WalletState } from './engine.ts'

type Snapshot = WalletState & {
  /** Whether wallets have been looked for. */
  readonly isReady: boolean
  readonly choices: readonly WalletChoice[]
}

const unknown = { isReady: false, address: null, kind: null, name: null, chainId: null, choices: [] }
const snapshot = createStore<Snapshot>(unknown)
let starting: Promise<WalletEngine> | undefined

/** Wallets and the chain: loaded at first use, so that pages without a wallet stay light. */
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
 * What pages do with the wallet that is signed in; its network is checked, and switched, before anything is sent.
 * Everything fails with a WalletError, whose message is for people.
 */
export const wallet = {
  /** Asks for a contract's word; needs no wallet. */
  read: (async (call: never) => (await loadWallets()).read(call)) as WalletEngine['read'],
  /** Asks the chain whatever an action of viem asks; needs no wallet. */
  ask: (async (question: never) => (await loadWallets()).ask(question)) as WalletEngine['ask'],
  /** Has the wallet be on our network, at the account that is signed in. */
  ready: async () => (await loadWallets()).ready(),
  /** Has the wallet send a transaction: it is on its way when this returns, and not yet mined. */
  write: (async (call: never) => (await loadWallets()).write(call)) as WalletEngine['write'],
  /** Has the wallet that is signed in sign a text (EIP-191). */
  signMessage: async (message: string) => {
    const engine = await loadWallets()
    return engine.signMessage(await engine.account(), message)
  },
  /** Has the wallet sign data (EIP-712), such as a permit. */
  signTypedData: (async (data: never) =>
    (await loadWallets()).signTypedData(data)) as WalletEngine['signTypedData'],
}

/** The wallet as it is now; looks for wallets when the component appears. */
export function useWallet(): Snapshot {
  useEffect(() => {
    // Should it fail, the page says so when the wallet is used.
    loadWallets().catch(() => undefined)
  }, [])
  return snapshot.use()
}
