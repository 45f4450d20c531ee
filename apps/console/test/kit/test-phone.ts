import { SignClient } from '@walletconnect/sign-client'
import type { TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'
import type { TestRelay } from './relay.ts'
import { signAs } from './test-wallet.ts'

const LEFT = { code: 6_000, message: 'User disconnected.' }
const DECLINED = { code: 5_000, message: 'User rejected.' }
const UNKNOWN_NETWORK = { code: 4_902, message: 'Unrecognized chain ID.' }

/** A phone with a wallet, and what its owner does with it. */
export type TestPhone = {
  /** Reads a code: agrees to what it asks for, unless it declines. */
  read(uri: string): Promise<void>
  /** From now on it declines what it is asked, or does it again. */
  decline(isDeclining: boolean): void
  /** From now on it lets what it is asked lie, or answers again, what lay there included. */
  ignore(isIgnoring: boolean): void
  /** From now on it connects on this network, whatever it is asked for; others it has to be told of first. */
  stayOn(chainId: number): void
  /** Its owner ends every connection. */
  leave(): Promise<void>
  /** To how many pages it is connected. */
  connections(): number
  /** Methods that it was asked for. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** A wallet at the other end of the relay: the same library, signing with the key of `account`. */
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

  /** What it agrees to: its account, on these networks. */
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
    if (!client.session.keys.includes(topic)) return // it has left meanwhile
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

/** What the library keeps, for as long as the test runs. */
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
