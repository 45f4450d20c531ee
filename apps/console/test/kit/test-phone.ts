import { SignClient } from '@walletconnect/sign-client'
import type { TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'
import type { TestRelay } from './relay.ts'
import { signAs } from './test-wallet.ts'

const LEFT = { code: 6_000, message: 'User disconnected.' }
const DECLINED = { code: 5_000, message: 'User rejected.' }
const UNKNOWN_NETWORK = { code: 4_902, message: 'Unrecognized chain ID.' }

/** A wallet on a phone and the actions of its owner. */
export type TestPhone = {
  /** Scans a code and accepts the connection, unless it declines. */
  read(uri: string): Promise<void>
  /** Sets whether requests are declined from now on. */
  decline(isDeclining: boolean): void
  /** Sets whether requests are left open. When it is unset, the open ones are answered. */
  ignore(isIgnoring: boolean): void
  /** Offers only this network for new connections; others must be added first. */
  stayOn(chainId: number): void
  /** Ends every connection. */
  leave(): Promise<void>
  /** Returns the number of connected pages. */
  connections(): number
  /** Methods requested so far. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** Starts a wallet at the other end of the relay. It uses the same library and signs with the key of `account`. */
export async function startPhone(
  relay: TestRelay,
  chain: TestChain,
  account: ReturnType<typeof newWallet>,
): Promise<TestPhone> {
  const sign = await signAs(account, chain)
  const asked: string[] = []
  const lying: (() => void)[] = []
  let isDeclining = false
  let isIgnoring = false
  let own: string[] | undefined
  const client = await SignClient.init({
    projectId: 'f'.repeat(32),
    relayUrl: relay.url,
    customStoragePrefix: account.address,
    storage: memory(),
    telemetryEnabled: false,
    logger: 'silent',
    metadata: {
      name: 'Pocket wallet',
      description: 'Of the tests',
      url: 'https://wallet.example',
      icons: [],
    },
  })

  /** The namespaces to approve: the account on these networks. */
  const on = (chains: string[], methods: string[], events: string[]) => ({
    eip155: { chains, accounts: chains.map(each => `${each}:${account.address}`), methods, events },
  })
  async function addNetwork(topic: string, chainId: string): Promise<void> {
    const { chains = [], methods = [], events = [] } = client.session.get(topic).namespaces.eip155 ?? {}
    await client.update({ topic, namespaces: on([...chains, `eip155:${Number(chainId)}`], methods, events) })
  }
  async function answer(topic: string, method: string, params: unknown) {
    if (isDeclining) return { error: DECLINED }
    if (method === 'wallet_switchEthereumChain') return { error: UNKNOWN_NETWORK }
    if (method !== 'wallet_addEthereumChain') return { result: await sign(method, params as unknown[]) }
    await addNetwork(topic, (params as { chainId: string }[])[0]?.chainId ?? '')
    return { result: null }
  }

  client.on('session_proposal', async ({ id, params }) => {
    if (isDeclining) return client.reject({ id, reason: DECLINED })
    const { chains = [], methods = [], events = [] } = params.optionalNamespaces.eip155 ?? {}
    await client.approve({ id, namespaces: on(own ?? chains, methods, events) })
  })
  client.on('session_request', async ({ id, topic, params: { request } }) => {
    asked.push(request.method)
    if (isIgnoring) await new Promise<void>(goOn => lying.push(goOn))
    if (!client.session.keys.includes(topic)) return // it has disconnected meanwhile
    const answered = await answer(topic, request.method, request.params)
    await client.respond({ topic, response: { id, jsonrpc: '2.0', ...answered } })
  })

  return {
    read: async uri => {
      await client.pair({ uri })
    },
    decline(next) {
      isDeclining = next
    },
    ignore(next) {
      isIgnoring = next
      if (!isIgnoring) for (const goOn of lying.splice(0)) goOn()
    },
    stayOn(chainId) {
      own = [`eip155:${chainId}`]
    },
    async leave() {
      for (const { topic } of client.session.getAll()) await client.disconnect({ topic, reason: LEFT })
    },
    connections: () => client.session.length,
    asked,
    async stop() {
      client.core.heartbeat.stop()
      await client.core.relayer.transportClose()
    },
  }
}

/** Storage for the library, in memory. */
function memory() {
  const kept = new Map<string, unknown>()
  return {
    getKeys: async () => [...kept.keys()],
    getEntries: async <Value>() => [...kept.entries()] as [string, Value][],
    getItem: async <Value>(key: string) => kept.get(key) as Value | undefined,
    async setItem<Value>(key: string, value: Value) {
      kept.set(key, structuredClone(value))
    },
    async removeItem(key: string) {
      kept.delete(key)
    },
  }
}
