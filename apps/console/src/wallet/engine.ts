import {
  type Config,
  type Connector,
  connect,
  createConfig,
  createStorage,
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
import { safeLocalStorage } from '../ui/state/safe-storage.ts'
import { createDevelopmentWallet } from './development-wallet.ts'
import { readWalletError, WalletError, type WalletProblem } from './errors.ts'
import type { Pairing } from './phone.ts'
import { PHONE, phoneConnector } from './phone-connector.ts'

const DEVELOPMENT = 'farebox.development'
const POLLING_MS = 1_000
/** How long to wait for wallets to announce themselves (EIP-6963), in ms. */
const ANNOUNCE_MS = 60

/** A wallet that can be connected. */
export type WalletChoice = {
  readonly id: string
  readonly name: string
  /** `data:` URL of its icon. */
  readonly icon: string | undefined
  readonly kind: 'injected' | 'phone' | 'development'
}

/** The connected wallet, or nulls. */
export type WalletState = {
  readonly address: Address | null
  readonly kind: WalletChoice['kind'] | null
  readonly name: string | null
  readonly chainId: number | null
}

/** A contract call that changes state. */
export type ContractWrite<
  ABI extends Abi | readonly unknown[],
  Name extends ContractFunctionName<ABI, 'nonpayable' | 'payable'>,
> = {
  readonly address: Address
  readonly abi: ABI
  readonly functionName: Name
  readonly args: ContractFunctionArgs<ABI, 'nonpayable' | 'payable', Name>
}

/** A contract call that reads state. */
export type ContractRead<
  ABI extends Abi | readonly unknown[],
  Name extends ContractFunctionName<ABI, 'pure' | 'view'>,
> = {
  readonly address: Address
  readonly abi: ABI
  readonly functionName: Name
  readonly args?: ContractFunctionArgs<ABI, 'pure' | 'view', Name>
  /** The latest block by default. */
  readonly blockNumber?: bigint
}

const nobody: WalletState = { address: null, kind: null, name: null, chainId: null }

/** Wallets and chain access by wagmi. Loaded on demand: see use-wallet.ts. */
export type WalletEngine = ReturnType<typeof createEngine>

/** Starts the engine and reconnects the wallet that was used last. */
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
    storage: createStorage({ storage: safeLocalStorage }),
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

/** Reconnects only the wallet that was used last: another one might connect too, with another account. */
async function reconnectLast(config: Config): Promise<void> {
  const last = await config.storage?.getItem('recentConnectorId')
  const connectors = config.connectors.filter(({ id }) => id === last)
  // If the wallet is gone or locked, nothing is connected, and later actions fail with NO_WALLET.
  if (connectors.length > 0) await reconnect(config, { connectors }).catch(() => undefined)
}

function developmentConnector(facts: ConsoleConfig) {
  const provider = createDevelopmentWallet(facts)
  return injected({ target: () => ({ id: DEVELOPMENT, name: 'Development wallet', provider }) })
}

// long: one short function for each thing that wagmi does for us
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

  /** Returns the connected account. Throws unless it is the signed-in one. */
  function account(): Address {
    const now = readState()
    const session = currentSession()
    if (now.address === null || session === null) throw new WalletError('NO_WALLET')
    if (now.address.toLowerCase() !== session.address.toLowerCase()) throw new WalletError('OTHER_ACCOUNT')
    return now.address
  }

  /** Like `account`, and switches the wallet to our chain if needed. */
  async function ready(): Promise<Address> {
    const now = { ...readState(), address: account() }
    if (now.chainId !== facts.chainId) await switchChain(config, { chainId: facts.chainId })
    return now.address
  }

  return {
    facts,
    state: () => state,
    choices: () => choices,
    /** Subscribes to changes of the connection and of the available wallets. */
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
    /** @param pairing for a wallet on a phone, which must be paired first */
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
    /** Disconnects a phone, which would list the session for a week. Other wallets stay connected. */
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

/**
 * Runs `work` and converts its errors to {@link WalletError}.
 *
 * @param otherwise the problem when the error names none; reads fail without a code when the node is away
 */
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
