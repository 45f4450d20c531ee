import {
  type Config,
  type Connector,
  connect,
  createConfig,
  disconnect,
  fallback,
  getConnection,
  getConnections,
  http,
  injected,
  reconnect,
  signMessage,
  signTypedData,
  switchChain,
  unstable_connector,
  watchConnection,
  watchConnectors,
} from '@wagmi/core'
import { readContract, writeContract } from '@wagmi/core/actions'
import {
  type Abi,
  type Address,
  type Client,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  defineChain,
  type Hex,
  type TypedData,
  type TypedDataDefinition,
} from 'viem'
import { queryClient } from '../api.ts'
import { type ConsoleConfig, consoleConfig } from '../console-config.ts'
import { currentSession, watchSession } from '../session/session.ts'
import { createDevelopmentWallet } from './development-wallet.ts'
import { readWalletError, WalletError, type WalletProblem } from './errors.ts'
import type { Pairing } from './phone.ts'
import { PHONE, phoneConnector } from './phone-connector.ts'

const DEVELOPMENT = 'farebox.development'
const POLLING_MS = 1_000
/** How long wallets have to announce themselves (EIP-6963), in ms. */
const ANNOUNCE_MS = 60

/** A wallet that may be connected. */
export type WalletChoice = {
  readonly id: string
  readonly name: string
  /** `data:` URL of its picture. */
  readonly icon: string | undefined
  readonly kind: 'injected' | 'phone' | 'development'
}

/** What is known of the wallet. */
export type WalletState = {
  readonly address: Address | null
  readonly kind: WalletChoice['kind'] | null
  readonly name: string | null
  readonly chainId: number | null
}

/** A call that changes something on the chain. */
export type ContractWrite<
  ABI extends Abi | readonly unknown[],
  Name extends ContractFunctionName<ABI, 'nonpayable' | 'payable'>,
> = {
  readonly address: Address
  readonly abi: ABI
  readonly functionName: Name
  readonly args: ContractFunctionArgs<ABI, 'nonpayable' | 'payable', Name>
}

/** A question to a contract. */
export type ContractRead<
  ABI extends Abi | readonly unknown[],
  Name extends ContractFunctionName<ABI, 'pure' | 'view'>,
> = {
  readonly address: Address
  readonly abi: ABI
  readonly functionName: Name
  readonly args?: ContractFunctionArgs<ABI, 'pure' | 'view', Name>
  /** As of this block; the newest one unless told. */
  readonly blockNumber?: bigint
}

const nobody: WalletState = { address: null, kind: null, name: null, chainId: null }

/** Wallets and the chain, by wagmi. Loaded when a page needs one: see use-wallet.ts. */
export type WalletEngine = ReturnType<typeof createEngine>

/** Brings the engine up, with the wallet that was connected before. */
export async function startEngine(): Promise<WalletEngine> {
  const facts = await queryClient.ensureQueryData(consoleConfig)
  const chain = defineChain({
    id: facts.chainId,
    name: facts.mode === 'dev' ? 'Farebox development chain' : `Chain ${facts.chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [facts.rpcUrl] } },
  })
  const config = createConfig({
    chains: [chain],
    connectors: [
      ...(facts.walletConnect === null ? [] : [phoneConnector(facts, facts.walletConnect)]),
      ...(facts.hasFaucet ? [developmentConnector(facts)] : []),
    ],
    transports: { [chain.id]: fallback([http(facts.rpcUrl), unstable_connector(injected)]) },
    pollingInterval: POLLING_MS,
  })
  await new Promise(done => setTimeout(done, ANNOUNCE_MS))
  await reconnectLast(config)
  const engine = createEngine(config, facts)
  const part = () => {
    if (currentSession() === null) engine.leavePhone().catch(() => undefined)
  }
  watchSession(part)
  part()
  return engine
}

/** Only the wallet that was used last: another may be just as willing, and would be somebody else. */
async function reconnectLast(config: Config): Promise<void> {
  const last = await config.storage?.getItem('recentConnectorId')
  const connectors = config.connectors.filter(({ id }) => id === last)
  // Should the wallet be gone or locked, nobody is connected; whoever needs it is told.
  if (connectors.length > 0) await reconnect(config, { connectors }).catch(() => undefined)
}

function developmentConnector(facts: ConsoleConfig) {
  const provider = createDevelopmentWallet(facts)
  return injected({ target: () => ({ id: DEVELOPMENT, name: 'Development wallet', provider }) })
}

function createEngine(config: Config, facts: ConsoleConfig) {
  const choiceOf = ({ id, name, icon }: Connector): WalletChoice => ({
    id,
    name,
    icon,
    kind: id === DEVELOPMENT ? 'development' : id === PHONE ? 'phone' : 'injected',
  })
  const readState = (): WalletState => {
    const { address, chainId, connector, status } = getConnection(config)
    if (status !== 'connected' || address === undefined || connector === undefined) return nobody
    const { kind, name } = choiceOf(connector)
    return { address, kind, name, chainId: chainId ?? null }
  }
  let state = readState()
  let choices = config.connectors.map(choiceOf)

  /** The wallet is there, at the account that is signed in. */
  function account(): Address {
    const now = readState()
    const session = currentSession()
    if (now.address === null || session === null) throw new WalletError('NO_WALLET')
    if (now.address.toLowerCase() !== session.address.toLowerCase()) throw new WalletError('OTHER_ACCOUNT')
    return now.address
  }

  /** It is, and on our chain: or it is asked to be. */
  async function ready(): Promise<Address> {
    const now = { ...readState(), address: account() }
    if (now.chainId !== facts.chainId) await switchChain(config, { chainId: facts.chainId })
    return now.address
  }

  return {
    facts,
    state: () => state,
    choices: () => choices,
    /** Hears of every change of the wallet, and of wallets that come. */
    watch(listener: () => void): () => void {
      const change = () => {
        state = readState()
        choices = config.connectors.map(choiceOf)
        listener()
      }
      const stops = [
        watchConnection(config, { onChange: change }),
        watchConnectors(config, { onChange: change }),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
    /** @param pairing for a wallet on a phone, which has to be found first */
    async connect(id: string, pairing?: Pairing): Promise<Address> {
      const connector = config.connectors.find(each => each.id === id)
      if (connector === undefined) throw new WalletError('NO_WALLET')
      return withWalletErrors(async () => {
        const now = getConnection(config)
        if (now.status === 'connected' && now.connector.id === id) return now.address
        for (const each of getConnections(config)) await disconnect(config, { connector: each.connector })
        const { accounts } = await connect(config, { connector, ...pairing })
        return accounts[0]
      })
    },
    /** Ends the connection to a phone, which unlike other wallets would list it for a week; others stay as they are. */
    async leavePhone(): Promise<void> {
      const now = getConnection(config)
      if (now.connector?.id === PHONE)
        await withWalletErrors(() => disconnect(config, { connector: now.connector }))
    },
    account: () => withWalletErrors(async () => account()),
    ready: () => withWalletErrors(ready),
    ask: <Value>(question: (client: Client) => Promise<Value>): Promise<Value> =>
      withWalletErrors(() => question(config.getClient({ chainId: facts.chainId })), 'CHAIN_UNREACHABLE'),
    signMessage: (account: Address, message: string): Promise<Hex> =>
      withWalletErrors(() => signMessage(config, { account, message })),
    signTypedData: <const Types extends TypedData, Primary extends keyof Types>(
      data: TypedDataDefinition<Types, Primary>,
    ): Promise<Hex> =>
      withWalletErrors(async () => signTypedData(config, { ...data, account: await ready() } as never)),
    write: <
      const ABI extends Abi | readonly unknown[],
      Name extends ContractFunctionName<ABI, 'nonpayable' | 'payable'>,
    >(
      call: ContractWrite<ABI, Name>,
    ): Promise<Hex> =>
      withWalletErrors(async () =>
        writeContract(config, { ...call, account: await ready(), chainId: facts.chainId } as never),
      ),
    read: <
      const ABI extends Abi | readonly unknown[],
      Name extends ContractFunctionName<ABI, 'pure' | 'view'>,
    >(
      call: ContractRead<ABI, Name>,
    ): Promise<ContractFunctionReturnType<ABI, 'pure' | 'view', Name>> =>
      withWalletErrors(
        () =>
          readContract(config, call as never) as Promise<
            ContractFunctionReturnType<ABI, 'pure' | 'view', Name>
          >,
        'CHAIN_UNREACHABLE',
      ),
  }
}

/** @param otherwise what it is when nobody says what it is; questions are asked of nodes, which fail without a word */
async function withWalletErrors<Value>(
  work: () => Promise<Value>,
  otherwise: WalletProblem = 'FAILED',
): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    const error = readWalletError(cause)
    throw error.problem === 'FAILED' && otherwise !== 'FAILED' ? new WalletError(otherwise, { cause }) : error
  }
}
