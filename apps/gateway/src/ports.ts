import type { KeyObject } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import type { Address, Hex } from 'viem'
import type { Config } from './config.ts'

/**
 * What the domains need of the outside world. Types only: `adapters/` implements them, `main.ts` and the test
 * harness put them together.
 */

/** One SQL statement. `sql-template-tag` makes them; a `name` makes the server keep the plan (hot statements). */
export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
}

/** Anything that answers SQL. Rows arrive with snake_case columns; int8 as bigint, timestamptz as Date. */
export interface Queryable {
  /** Runs one statement and returns its rows. Statements sent without awaiting travel in one round trip. */
  query<Row>(statement: Statement): Promise<Row[]>
}

/** An open transaction. Only {@link Db.transaction} makes one, so a function that takes a `Tx` runs inside. */
export interface Tx extends Queryable {
  readonly inTransaction: true
}

/** The database. A connection that cannot be had in time is `UNAVAILABLE`, never a wait without end. */
export interface Db extends Queryable {
  /**
   * Runs `work` in one READ COMMITTED transaction: commits when it returns, rolls back when it throws.
   * Statements that `work` sent but did not await travel with the COMMIT; when one of them fails, nothing is
   * committed and its error is thrown.
   * @throws whatever `work` throws; GatewayError UNAVAILABLE when the database is out of reach
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** Wall-clock time. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Resolves after `ms` milliseconds. */
  pause(ms: number): Promise<void>
}

/** Makers of identifiers and secrets. */
export interface Ids {
  /** A sortable identifier, `inv_01J...`: prefix, time and randomness. */
  next(prefix: string): string
  /** A secret token: prefix, 32 random bytes in base62, checksum of six characters. */
  token(prefix: string): string
  /** `bytes` random bytes in hex. */
  nonce(bytes: number): string
  /** A number in [0, 1) for choices that need no secrecy, such as between targets. */
  random(): number
}

/** Structured log. Never give it a secret. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A piece of work for later. `payload` must survive JSON. */
export type QueuedJob = {
  /** Name of the {@link QueueTask} that does it. */
  readonly task: string
  readonly payload: Readonly<Record<string, unknown>>
  /** A job that waits under the same key is replaced. */
  readonly key?: string
  /** Not before this time (database clock); absent: at once. */
  readonly runAt?: Date
  /** After so many failures it is given up and kept for inspection. */
  readonly attemptsMax?: number
}

/** The queue of work that must be done at least once, such as mail. */
export interface Jobs {
  /** Queues jobs in the transaction of what they are about: when that is rolled back, so are they. */
  enqueue(tx: Tx, jobs: readonly QueuedJob[]): Promise<void>
}

/** What does queued jobs of one name. It may run twice for one job, and beside itself in another gateway. */
export type QueueTask = {
  readonly name: string
  /**
   * Throws when the job is to be tried again, after a pause that grows with the attempts.
   * @param attempt number of this one, from 1, and of the last one there may be
   * @param signal  aborted when the gateway stops
   */
  readonly run: (
    payload: unknown,
    attempt: { readonly number: number; readonly max: number },
    signal: AbortSignal,
  ) => Promise<void>
}

/** Encrypts small secrets at rest. `context` is bound to the ciphertext: it must be the same when opening. */
export interface SecretBox {
  seal(plaintext: string, context: string): string
  open(sealed: string, context: string): string
}

/** A block as far as we care. `timestamp` is in Unix seconds, chain time. */
export type Block = { readonly number: bigint; readonly hash: Hex; readonly timestamp: bigint }

/** An event of our vault, found in a log of our vault's address only. Addresses are lower-case. */
export type VaultEvent = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly txHash: Hex
  readonly logIndex: number
} & (
  | { readonly kind: 'deposited'; readonly owner: Address; readonly amount: Usdc; readonly depositId: Hex }
  | { readonly kind: 'withdrawn'; readonly to: Address; readonly amount: Usdc; readonly nonce: Hex }
)

/** A mined transaction: did it succeed, and what did our vault say in it. */
export type Receipt = {
  readonly status: 'success' | 'reverted'
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly events: readonly VaultEvent[]
}

/** What a vault ticket promises: EIP-712 type `Ticket`. `amount` in micro-USDC, `deadline` in Unix seconds. */
export type VaultTicket = {
  readonly to: Address
  readonly amount: Usdc
  readonly deadline: bigint
  readonly nonce: Hex
}

/**
 * The chain and our vault on it. Every call is bounded in time.
 * @throws GatewayError UNAVAILABLE when the node is out of reach or contradicts itself
 */
export interface Chain {
  readonly facts: ChainFacts
  head(): Promise<Block>
  /** The block at this height, or null when the node does not have it (yet, or any more). */
  block(number: bigint): Promise<Block | null>
  /** The receipt, or null when the transaction is unknown or not mined. */
  receipt(txHash: Hex): Promise<Receipt | null>
  /** Every vault event of these heights, both ends included, in order. */
  vaultEvents(range: { from: bigint; to: bigint }): Promise<readonly VaultEvent[]>
  /** Whether the vault has paid a ticket with this nonce, as of the given block height. */
  isNonceUsed(nonce: Hex, atBlock: bigint): Promise<boolean>
  /** USDC that the vault holds, as of the given block height or the newest. */
  vaultBalance(atBlock?: bigint): Promise<Usdc>
  /** What the vault's daily circuit breaker lets out now. */
  withdrawableNow(): Promise<Usdc>
  /** Verifies a message signature: EIP-191 by key, ERC-1271 and ERC-6492 by contract. False when it does not hold. */
  verifyMessage(input: { address: Address; message: string; signature: Hex }): Promise<boolean>
  /** Signs a withdrawal ticket with the gateway's key (EIP-712). Local: touches no network. */
  signTicket(ticket: VaultTicket): Promise<Hex>
}

/** Where the money lives. */
export type ChainFacts = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly usdc: Address
  readonly vault: Address
  readonly requiredConfirmations: number
}

/** A call to a provider. The body is sent as it is; `headers` are all that is sent. */
export type UpstreamRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Total time from start to the last byte, in ms. */
  readonly timeoutMs: number
  /** Most decoded bytes accepted of the answer. */
  readonly responseBytesMax: number
}

/** A provider's answer, whole. */
export type UpstreamResponse = {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
}

/** A provider's answer of which only the head is there yet. What is not read is not taken off the wire. */
export type UpstreamStream = {
  readonly status: number
  readonly contentType: string
  /** The next piece; null at the end. A failure, timeout and size included, ends the stream as well. */
  read(): Promise<Buffer | null | { readonly failure: UpstreamFailure }>
  /** Lets go of the provider; what is read from now on is a failure. */
  cancel(): void
}

/** Why a provider gave no usable answer. `sent` tells whether the request may have reached it. */
export type UpstreamFailureReason =
  | 'timeout'
  | 'connect'
  | 'reset'
  | 'redirect'
  | 'blocked_address'
  | 'too_large'
  | 'encoding'
  /** Cut by ourselves, at the end of an orderly stop. */
  | 'stopping'

/** The one error class that {@link Upstream.send} rejects with carries these. */
export type UpstreamFailure = {
  readonly reason: UpstreamFailureReason
  /** False only when it is certain that no byte of the request left. */
  readonly sent: boolean
  /** True when the head of an answer had arrived before it failed. */
  readonly answered: boolean
  /** HTTP status of that head. */
  readonly status?: number
}

/** What a provider made of a request, whole. */
export type UpstreamAnswer = UpstreamResponse | { readonly failure: UpstreamFailure }

/** How a target URL may look and where it may point. */
export interface Upstream {
  /** @returns the whole answer, any status; or a failure, as a value, since failures are ordinary here */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  /**
   * Like {@link Upstream.send}, but hands a good answer (2xx) of type `text/event-stream` over while it is still
   * coming. Any other answer comes whole.
   */
  open(request: UpstreamRequest): Promise<UpstreamAnswer | UpstreamStream>
  /**
   * Checks a target URL at registration: form, scheme, and every address its host resolves to now.
   * @throws GatewayError UNSAFE_TARGET_URL with `detail.reason`
   */
  assertSafeTarget(url: string): Promise<void>
}

/** A key that signs what goes to providers. `id` is the thumbprint of its public half (RFC 7638). */
export type SigningKey = { readonly id: string; readonly privateKey: KeyObject }

/** What of a request is signed. `targetUri` is exactly what goes over the wire: origin, path and query. */
export type MessageToSign = {
  readonly method: string
  readonly targetUri: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Gives the headers of a signature as name, value, name, value (RFC 9421). */
export type SignMessage = (message: MessageToSign) => readonly string[]

/** What `main.ts` puts together once; every use-case says in its signature which of it it needs. */
export type Deps = {
  readonly config: Config
  readonly db: Db
  /** The same database for set-based statements by key: its connections never plan a scan of a whole table. */
  readonly batchDb: Db
  readonly chain: Chain
  readonly upstream: Upstream
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly secretBox: SecretBox
  readonly jobs: Jobs
  /** Id of this gateway process; its holds carry it. */
  readonly instanceId: string
  /** URL by which clients reach this gateway, without a trailing slash. */
  readonly publicUrl: string
}
