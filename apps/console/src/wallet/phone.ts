import { SignClient } from '@walletconnect/sign-client'
import { type Address, type Chain, createClient, getAddress, http, numberToHex } from 'viem'
import type { ConsoleConfig } from '../console-config.ts'
import { WalletError } from './errors.ts'

/** How long the relay may take to connect or to answer, in ms. */
const REACH_MS = 10_000
/** How long a phone that has switched its network may take to report it, in ms. */
const SWITCH_MS = 5_000
const LOOK_MS = 100
/** Methods that are sent to the phone; all others go to the node. */
const METHODS = [
  'personal_sign',
  'eth_sendTransaction',
  'eth_signTypedData_v4',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
]
/** Error codes of a declined request: EIP-1193 and WalletConnect (CAIP-25). */
const DECLINED: ReadonlySet<unknown> = new Set([4001, 5000, 5001, 5002, 5003])
/** The reason that WalletConnect expects with a disconnect. */
const LEFT = { code: 6_000, message: 'User disconnected.' }

type Client = Awaited<ReturnType<typeof SignClient.init>>
type Session = ReturnType<Client['session']['get']>
type Question = { readonly method: string; readonly params: unknown }
type Listener = (change: 'changed' | 'gone') => void

/** Callbacks of a pairing in progress. */
export type Pairing = {
  /** Receives the text of the QR code, `wc:…`. */
  readonly onCode: (uri: string) => void
  /** Cancels the pairing. */
  readonly signal: AbortSignal
}

/** A wallet on a phone, reached over a relay that cannot read the messages. */
export type Phone = Awaited<ReturnType<typeof openPhone>>

/**
 * Creates the WalletConnect client and restores the last session. Does not wait for the relay.
 *
 * @param facts      gives the chain and its node
 * @param connection relay and project id
 */
// long: one session, and all that changes it
export async function openPhone(
  { chainId: ours, rpcUrl }: ConsoleConfig,
  connection: { readonly projectId: string; readonly relayUrl: string },
) {
  const client = await SignClient.init({
    ...connection,
    metadata: {
      name: 'Farebox',
      description: 'Credit and earnings of paid API calls',
      url: location.origin,
      icons: [`${location.origin}/icon.svg`],
    },
    telemetryEnabled: false,
    logger: 'silent',
  })
  disableTelemetry(client)
  const node = createClient({ transport: http(rpcUrl) })
  const listeners = new Set<Listener>()
  let session = lastSession(client)
  let chainId = session === null ? ours : chainOf(session, ours)

  const notify = (change: 'changed' | 'gone') => {
    for (const listener of listeners) listener(change)
  }
  const lose = ({ topic }: { topic: string }) => {
    if (topic !== session?.topic) return
    session = null
    notify('gone')
  }
  client.on('session_delete', lose)
  client.on('session_expire', lose)
  client.on('session_update', ({ topic, params }) => {
    if (topic !== session?.topic) return
    session = { ...session, namespaces: params.namespaces }
    if (!chainsOf(session).includes(chainId)) chainId = chainOf(session, ours)
    notify('changed')
  })

  /** Sends a request to the phone. Fails before sending if the relay is away, so that a retry sends it only once. */
  async function ask(request: Question): Promise<unknown> {
    await reach(client)
    if (session === null) throw new WalletError('NO_WALLET')
    if (session.namespaces.eip155?.methods.includes(request.method) !== true)
      throw new WalletError('FAILED', { detail: `it does not support ${request.method}` })
    try {
      return await client.request({ topic: session.topic, chainId: `eip155:${chainId}`, request })
    } catch (error) {
      throw readAnswer(error)
    }
  }

  return {
    /** EIP-1193. */
    async request({ method, params }: { method: string; params?: unknown }): Promise<unknown> {
      if (method === 'eth_accounts' || method === 'eth_requestAccounts') return accountsOf(session, chainId)
      if (method === 'eth_chainId') return numberToHex(chainId)
      if (METHODS.includes(method)) return ask({ method, params })
      return node.request({ method, params } as never)
    },
    accounts: () => accountsOf(session, chainId),
    chainId: () => chainId,
    watch(listener: Listener): void {
      listeners.add(listener)
    },
    /**
     * Shows a pairing code and waits until the phone has scanned it and its owner has agreed.
     *
     * @throws WalletError RELAY_UNREACHABLE, REJECTED, CODE_EXPIRED, FAILED
     */
    async pair({ onCode, signal }: Pairing): Promise<void> {
      const optionalNamespaces = {
        eip155: { chains: [`eip155:${ours}`], methods: METHODS, events: ['accountsChanged', 'chainChanged'] },
      }
      const { uri = '', approval } = await inTime(client.connect({ optionalNamespaces }))
      const agreed = approval()
      if (!signal.aborted) onCode(uri)
      const paired = await agreement(agreed, signal, late => leave(client, late))
      if (chainsOf(paired).length === 0) {
        await leave(client, paired)
        throw new WalletError('FAILED', { detail: 'it shared no account' })
      }
      session = paired
      chainId = chainOf(paired, ours)
    },
    /** Switches the network, asking the phone if it has not agreed to this one yet. */
    async switchTo(chain: Chain): Promise<void> {
      const isAllowed = () => session !== null && chainsOf(session).includes(chain.id)
      if (!isAllowed()) await askToSwitch(ask, chain)
      await until(isAllowed, SWITCH_MS)
      if (!isAllowed()) throw new WalletError('WRONG_CHAIN')
      chainId = chain.id
      notify('changed')
    },
    /** Ends the session, also at the phone if the relay can be reached. */
    async leave(): Promise<void> {
      const left = session
      session = null
      if (left !== null) await leave(client, left)
    },
  }
}

/**
 * Disables what the library reports by default: it sends the relay the method and contract of each request in clear
 * text, and opens a third party's verification frame. Phones need neither.
 */
function disableTelemetry({ core: { relayer, verify } }: Client): void {
  verify.register = async () => undefined
  const publish = relayer.publish.bind(relayer)
  relayer.publish = (topic, message, { tvf, ...options } = {}) =>
    publish(topic, message, { ...options, tvf: { correlationId: tvf?.correlationId } })
}

/** Asks the phone to switch the network (EIP-3326), or to add it if it is unknown (EIP-3085). */
async function askToSwitch(ask: (request: Question) => Promise<unknown>, chain: Chain): Promise<void> {
  const chainId = numberToHex(chain.id)
  const { name: chainName, nativeCurrency, rpcUrls } = chain
  const described = { chainId, chainName, nativeCurrency, rpcUrls: rpcUrls.default.http }
  try {
    await ask({ method: 'wallet_switchEthereumChain', params: [{ chainId }] }).catch(error => {
      if (error instanceof WalletError) throw error
      return ask({ method: 'wallet_addEthereumChain', params: [described] })
    })
  } catch (cause) {
    const isReported = cause instanceof WalletError && cause.problem !== 'FAILED'
    throw isReported ? cause : new WalletError('WRONG_CHAIN', { cause })
  }
}

/** Returns the newest stored session, or null. */
function lastSession(client: Client): Session | null {
  return client.session.getAll().sort((one, other) => other.expiry - one.expiry)[0] ?? null
}

/** Waits until the relay is connected. Keeps opening: an attempt of the library in flight may be about to fail. */
async function reach({ core: { relayer } }: Client): Promise<void> {
  const isThere = () => {
    if (!relayer.connected) relayer.transportOpen().catch(() => undefined)
    return relayer.connected
  }
  await until(isThere, REACH_MS)
  if (!relayer.connected) throw new WalletError('RELAY_UNREACHABLE')
}

/** Ends a session. If the phone cannot be reached, the session is deleted here and expires there. */
async function leave(client: Client, { topic }: Session): Promise<void> {
  try {
    await reach(client)
    await inTime(client.disconnect({ topic, reason: LEFT }))
  } catch {
    if (client.session.keys.includes(topic)) await client.session.delete(topic, LEFT)
  }
}

/** Parses accounts such as `eip155:1:0x…`. */
function accountsIn({ namespaces }: Session): { chainId: number; address: string }[] {
  return (namespaces.eip155?.accounts ?? []).map(account => {
    const [, chainId, address = ''] = account.split(':')
    return { chainId: Number(chainId), address }
  })
}

function chainsOf(session: Session): number[] {
  return accountsIn(session).map(({ chainId }) => chainId)
}

/** Returns our chain if the session includes it, else another of its chains: signing in works on any. */
function chainOf(session: Session, ours: number): number {
  const chains = chainsOf(session)
  return chains.includes(ours) ? ours : (chains[0] ?? ours)
}

function accountsOf(session: Session | null, on: number): readonly Address[] {
  if (session === null) return []
  return accountsIn(session).flatMap(({ chainId, address }) => (chainId === on ? [getAddress(address)] : []))
}

/** Rejects with RELAY_UNREACHABLE if the work takes longer than `REACH_MS`. */
async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, REACH_MS)
  try {
    return await Promise.race([work, late])
  } catch (cause) {
    throw new WalletError('RELAY_UNREACHABLE', { cause })
  } finally {
    clearTimeout(timer)
  }
}

async function until(isSo: () => boolean, ms: number): Promise<void> {
  for (const end = Date.now() + ms; !isSo() && Date.now() < end; )
    await new Promise(done => setTimeout(done, LOOK_MS))
}

/** Waits until the person agrees, declines, or lets the code expire. */
async function agreement(
  approval: Promise<Session>,
  signal: AbortSignal,
  onLate: (session: Session) => Promise<void>,
): Promise<Session> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => {
    reject(signal.reason)
    approval.then(onLate).catch(() => undefined)
  }
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([approval, aborted])
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new WalletError(hasDeclined(cause) ? 'REJECTED' : 'CODE_EXPIRED', { cause })
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code

const hasDeclined = (error: unknown) => DECLINED.has(codeOf(error))

/** Codes of WalletConnect itself, such as for an expired session, and not of the wallet. */
const isOfProtocol = (code: number) => code >= 6_000 && code < 9_000

/** Converts an error of a request. Wallets send a code; an error without one means that no answer came. */
function readAnswer(error: unknown): Error {
  if (error instanceof WalletError) return error
  if (hasDeclined(error)) return new WalletError('REJECTED', { cause: error })
  const code = codeOf(error)
  if (typeof code !== 'number' || isOfProtocol(code)) return new WalletError('NO_ANSWER', { cause: error })
  return Object.assign(new Error((error as { message?: string }).message), { code })
}
