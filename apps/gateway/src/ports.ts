import type { Usdc } from '@farebox/money'
import type { Address, Hex } from 'viem'
import type { Config } from './config.ts'
import type { CounterName, GaugeName, HistogramName, LabelsOf } from './telemetry/instruments.ts'
import type { Upstream } from './upstream-ports.ts'

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

/** Token buckets of the clients of public routes, which all gateways share. */
export interface ClientRates {
  /**
   * Takes `used` requests off what a client has left at a time; a bucket of `quota` refills by `perSecond`.
   *
   * @param use.client keyed digest of the client's address
   * @returns what is left then: below zero when several gateways took at once
   */
  draw(use: {
    policy: string
    client: Buffer
    used: number
    quota: number
    perSecond: number
    at: Date
  }): Promise<number>
}

/** The time of the database, as far as is known (adapters/database-clock.ts). */
export interface Clock {
  /** Unix milliseconds. May jump either way when the database is set right. */
  now(): number
  /** Milliseconds since some moment of this process: what durations and deadlines are measured by. Never jumps. */
  elapsed(): number
  /** Resolves after `ms` milliseconds. */
  pause(ms: number): Promise<void>
}

/** Makers of identifiers and secrets. */
export interface Ids {
  /** A sortable identifier, `inv_01J...`: prefix, time and randomness. */
  next(prefix: string): string
  /**
   * A secret token: prefix, 32 random bytes in base62, checksum of six characters.
   * @param lead one base62 character that replaces the first one behind the prefix; absent: that is random too
   */
  token(prefix: string, lead?: string): string
  /** `bytes` random bytes in hex. */
  nonce(bytes: number): string
  /** `count` decimal digits, each of them as likely as any other: for codes that people type. */
  digits(count: number): string
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

/**
 * Counts and measures what happens, by the instruments of `instruments.ts`. Cheap, in memory, and never throws. What has
 * to be asked of a database is read at the scrape (gauges.ts).
 */
export interface Metrics {
  /** Adds to a counter; 1 unless told. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void
  /** Adds a value to a histogram, in the unit of its name. */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void
  set<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number): void
  /** Moves a gauge up, or down by a negative number. */
  shift<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, by: number): void
  /** Takes a gauge out of the scrapes until it is set again. */
  clear(name: GaugeName): void
  /** Seconds of a clock that is never set, for durations. */
  time(): number
}

/** A step of a request in a trace. What is not sampled is a span all the same, and is told to nobody. */
export interface Span {
  /** The W3C header by which a callee continues the trace below this span. */
  readonly traceparent: string
  readonly traceId: string
  /** Starts a step within this one. `client`: a request to somebody else. */
  child(name: string, kind?: 'internal' | 'client'): Span
  /** Never a secret, a body, or a URL with its query. */
  set(attributes: Readonly<Record<string, string | number | boolean>>): void
  event(name: string, attributes?: Readonly<Record<string, string | number | boolean>>): void
  /** Marks it as failed; `type` is one of few words, such as a code. */
  fail(type: string): void
  end(): void
}

/** Starts traces. */
export interface Tracer {
  /**
   * The span of a request that came in.
   *
   * @param traceparent the caller's header, whose trace is continued when it is one
   */
  serve(name: string, traceparent: string | undefined): Span
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
  /**
   * A keyed digest (HMAC-SHA-256, 32 bytes), for secrets so short that whoever has a plain digest finds them by
   * trying all. `context` says what the text is and is bound to it.
   */
  digest(text: string, context: string): Buffer
}

/** A mail. Nothing in it comes from strangers but the address it goes to. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for each sending of one mail, so that a mailbox may tell a repetition: letters, digits, `_`. */
  readonly id: string
}

/** What hands mails to a mail server. */
export interface Mailer {
  /**
   * @param signal gives the attempt up; whether the mail went out is then not known
   * @returns false when the server will never take this mail, such as one to a mailbox that is not there
   * @throws Error when it may be taken at another time
   */
  send(mail: Mail, signal: AbortSignal): Promise<boolean>
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
  /** How many deposits the vault has counted, as of the given block height; 0 before there was a vault. */
  depositCount(atBlock: bigint): Promise<bigint>
  /** USDC that the vault holds, as of the given block height or the newest. */
  vaultBalance(atBlock?: bigint): Promise<Usdc>
  /** What the vault's daily circuit breaker lets out now. */
  withdrawableNow(): Promise<Usdc>
  /** Verifies a message signature: EIP-191 by key, ERC-1271 and ERC-6492 by contract. False when it does not hold. */
  verifyMessage(input: { address: Address; message: string; signature: Hex }): Promise<boolean>
  /** Address of the gateway's key that signs tickets, lower-case; null without one. */
  readonly ticketSigner: Address | null
  /** The signer that the vault has appointed, and whether the vault would pay a ticket of our key now. */
  vaultSigner(): Promise<VaultSigner>
  /**
   * Signs a withdrawal ticket with the gateway's key (EIP-712). Local: touches no network.
   * @throws Error without a key
   */
  signTicket(ticket: VaultTicket): Promise<Hex>
}

/** Who signs the tickets that a vault pays. */
export type VaultSigner = {
  /** A key's address, or that of a contract (ERC-1271); lower-case. */
  readonly address: Address
  /** False also where this gateway has no key. */
  readonly acceptsOurs: boolean
}

/** Where the money lives. */
export type ChainFacts = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly usdc: Address
  readonly vault: Address
  readonly requiredConfirmations: number
}

/** What `main.ts` puts together once; every use-case says in its signature which of it it needs. */
export type Deps = {
  readonly config: Config
  /** Reads see every call that any gateway has answered: what the log is ahead of the tables is projected first. */
  readonly db: Db
  /** The same database without that: for what no call changes. */
  readonly rawDb: Db
  /** The same database for set-based statements by key: its connections never plan a scan of a whole table. */
  readonly batchDb: Db
  /** The same database for the lease: a connection of its own, which no other work can keep from it. */
  readonly leaseDb: Db
  /**
   * The same database for public reads and searches: few connections and short statements, so that nothing that guards
   * money ever waits behind them.
   */
  readonly publicDb: Db
  readonly clientRates: ClientRates
  /** How often the database was seen out of reach so far, by any of these. */
  readonly databaseLosses: () => number
  readonly chain: Chain
  readonly upstream: Upstream
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly metrics: Metrics
  /** Null unless traces are collected: then nothing is made for them. */
  readonly tracer: Tracer | null
  readonly secretBox: SecretBox
  /** Null where no mail server is configured. */
  readonly mailer: Mailer | null
  readonly jobs: Jobs
  /** Id of this gateway process; its holds carry it. */
  readonly instanceId: string
  /** URL by which clients reach this gateway, without a trailing slash. */
  readonly publicUrl: string
}
