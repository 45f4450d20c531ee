import { SignClient } from '@walletconnect/sign-client'
import { type Address, type Chain, createClient, getAddress, http, numberToHex } from 'viem'
import type { ConsoleConfig } from '../console-config.ts'
import { WalletError } from './errors.ts'

/** How long the relay may take until it is there, in ms. */
const REACH_MS = 10_000
/** How long a phone that has switched its network may take to say that we may use it, in ms. */
const SWITCH_MS = 5_000
const LOOK_MS = 100
/** What the phone may be asked for; everything else is asked of the chain itself. */
const METHODS = [
  'personal_sign',
  'eth_sendTransaction',
  'eth_signTypedData_v4',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
]
/** What wallets say when the person declines: EIP-1193, and the protocol's own (CAIP-25). */
const DECLINED: ReadonlySet<unknown> = new Set([4001, 5000, 5001, 5002, 5003])
/** Why a pairing is ended, as the protocol says it. */
const LEFT = { code: 6_000, message: 'User disconnected.' }

type Client = Awaited<ReturnType<typeof SignClient.init>>
type Session = ReturnType<Client['session']['get']>
type Question = { readonly method: string; readonly params: unknown }
type Listener = (change: 'changed' | 'gone') => void

/** What a pairing tells and hears while it goes on. */
export type Pairing = {
  /** Told the text of the code that the phone is to read, `wc:…`. */
  readonly onCode: (uri: string) => void
  /** Gives up. */
  readonly signal: AbortSignal
}

/** A wallet on a phone, at the other end of a relay that cannot read what passes. */
export type Phone = Awaited<ReturnType<typeof openPhone>>

/**
 * Brings up the client of the relay, with the phone that was paired before. Needs no relay yet.
 *
 * @param facts      where our chain is
 * @param connection the relay, and the project that it knows us by
 */
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

  /** Asks the phone. When the relay is away it fails before anything is sent, so that asking again asks once. */
  async function ask(request: Question): Promise<unknown> {
    await reach(client)
    if (session === null) throw new WalletError('NO_WALLET')
    if (session.namespaces.eip155?.methods.includes(request.method) !== true)
      throw new WalletError('FAILED', { detail: `it does not know ${request.method}` })
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
     * Shows a code, and waits until a phone has read it and its owner has agreed.
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
        throw new WalletError('FAILED', { detail: 'it has shared no account' })
      }
      session = paired
      chainId = chainOf(paired, ours)
    },
    /** Uses a network from now on; the phone is asked when it has not agreed to it yet. */
    async switchTo(chain: Chain): Promise<void> {
      const isAllowed = () => session !== null && chainsOf(session).includes(chain.id)
      if (!isAllowed()) await askToSwitch(ask, chain)
      await until(isAllowed, SWITCH_MS)
      if (!isAllowed()) throw new WalletError('WRONG_CHAIN')
      chainId = chain.id
      notify('changed')
    },
    /** Ends the pairing: on the phone, too, when the relay is there. */
    async leave(): Promise<void> {
      const left = session
      session = null
      if (left !== null) await leave(client, left)
    },
  }
}

/**
 * By itself the library tells the relay, in the open, what a phone is asked for and of which contract, and shows the
 * page to a third party in a frame. A phone needs neither.
 */
function disableTelemetry({ core: { relayer, verify } }: Client): void {
  verify.register = async () => undefined
  const publish = relayer.publish.bind(relayer)
  relayer.publish = (topic, message, { tvf, ...options } = {}) =>
    publish(topic, message, { ...options, tvf: { correlationId: tvf?.correlationId } })
}

/** Asks for a network (EIP-3326); a wallet that does not know it is told of it (EIP-3085). */
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
    const isTold = cause instanceof WalletError && cause.problem !== 'FAILED'
    throw isTold ? cause : new WalletError('WRONG_CHAIN', { cause })
  }
}

/** The pairing that this browser keeps, if there is one: the newest. */
function lastSession(client: Client): Session | null {
  return client.session.getAll().sort((one, other) => other.expiry - one.expiry)[0] ?? null
}

/** Waits until the relay is there. An attempt of the library's that is under way may be an old one, about to fail. */
async function reach({ core: { relayer } }: Client): Promise<void> {
  const isThere = () => {
    if (!relayer.connected) relayer.transportOpen().catch(() => undefined)
    return relayer.connected
  }
  await until(isThere, REACH_MS)
  if (!relayer.connected) throw new WalletError('RELAY_UNREACHABLE')
}

/** Ends a pairing. When the phone cannot be told, it is forgotten here, and ends there when its time is over. */
async function leave(client: Client, { topic }: Session): Promise<void> {
  try {
    await reach(client)
    await inTime(client.disconnect({ topic, reason: LEFT }))
  } catch {
    if (client.session.keys.includes(topic)) await client.session.delete(topic, LEFT)
  }
}

/** Each is `eip155:1:0x…`. */
function accountsIn({ namespaces }: Session): { chainId: number; address: string }[] {
  return (namespaces.eip155?.accounts ?? []).map(account => {
    const [, chainId, address = ''] = account.split(':')
    return { chainId: Number(chainId), address }
  })
}

function chainsOf(session: Session): number[] {
  return accountsIn(session).map(({ chainId }) => chainId)
}

/** Our network, or another that the phone has agreed to: there, too, it can sign in. */
function chainOf(session: Session, ours: number): number {
  const chains = chainsOf(session)
  return chains.includes(ours) ? ours : (chains[0] ?? ours)
}

function accountsOf(session: Session | null, on: number): readonly Address[] {
  if (session === null) return []
  return accountsIn(session).flatMap(({ chainId, address }) => (chainId === on ? [getAddress(address)] : []))
}

/** What the relay must do in time, or it counts as away. */
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

/** Waits for the person with the phone, who agrees, declines, or lets the code run out. */
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

/** Codes of the protocol's own, such as for a pairing that has ended meanwhile: no words of the wallet's. */
const isOfProtocol = (code: number) => code >= 6_000 && code < 9_000

/** An answer that is an error, for whoever has asked. Wallets give a code; whatever else went wrong is no answer. */
function readAnswer(error: unknown): Error {
  if (error instanceof WalletError) return error
  if (hasDeclined(error)) return new WalletError('REJECTED', { cause: error })
  const code = codeOf(error)
  if (typeof code !== 'number' || isOfProtocol(code)) return new WalletError('NO_ANSWER', { cause: error })
  return Object.assign(new Error((error as { message?: string }).message), { code })
}
