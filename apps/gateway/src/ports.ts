import type { Usdc } from '@farebox/money'
import type { Address, Hex } from 'viem'
import type { Config } from './config.ts'
import type { Settler } from './payment-ports.ts'
import type { CounterName, GaugeName, HistogramName, LabelsOf } from './telemetry/instruments.ts'
import type { Tracer } from './telemetry/tracer.ts'
import type { Upstream } from './upstream-ports.ts'

/**
 * Interfaces that the domains need from outside. Types only: `adapters/` implements them, `main.ts` and the test kit
 * wire them.
 */

/** One SQL statement, made with `sql-template-tag`; a `name` prepares it at the server (hot statements). */
export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
  /** Maximum wait for its answer, in ms; by default that of the connection. */
  readonly answerMs?: number
}

/** A row of {@link Queryable}: no member is in snake_case. */
export type CamelCase<Row> = { [Name in keyof Row]: Name extends `${string}_${string}` ? never : Row[Name] }

/** Runs SQL. A column `created_at` is the member `createdAt` of its rows; int8 is bigint, timestamptz is Date. */
export interface Queryable {
  /** Runs one statement and returns its rows. Statements sent without awaiting share a round trip. */
  query<Row extends CamelCase<Row>>(statement: Statement): Promise<Row[]>
}

/** An open transaction. Only {@link Db.transaction} creates one, so a function that takes a `Tx` runs inside. */
export interface Tx extends Queryable {
  readonly inTransaction: true
}

/** The database. Waits for a connection are bounded and end as `UNAVAILABLE`. */
export interface Db extends Queryable {
  /**
   * Runs `work` in one READ COMMITTED transaction: commits when it returns, rolls back when it throws. Statements that
   * `work` did not await are sent with the COMMIT; if one of them fails, nothing is committed and its error is thrown.
   * @throws whatever `work` throws; GatewayError UNAVAILABLE if the database is unreachable
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** A database whose connections take a statement before the last one is answered. */
export interface PipelinedDb extends Db {
  /**
   * Returns the same database with `first` run before each query and each transaction: in a transaction of its own, and
   * in the same round trip. If `first` fails, its error is thrown, and nothing is committed, unless a query writes by
   * calling a function.
   */
  after(first: Statement): Db
}

/** Token buckets of the clients of public routes, shared by all gateways. */
export interface ClientRates {
  /**
   * Takes `used` requests from a client's bucket at a time; a bucket of `quota` refills by `perSecond`.
   *
   * @param use.client keyed digest of the client's address
   * @returns what is left: below zero if several gateways took at once
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

/** Estimated time of the database (adapters/database-clock.ts). */
export interface Clock {
  /** Unix milliseconds. May jump either way when the database's clock is changed. */
  now(): number
  /** Milliseconds on a monotonic clock, for durations and deadlines. Never jumps. */
  elapsed(): number
  /** Resolves after `ms` milliseconds. */
  pause(ms: number): Promise<void>
}

/** Creates identifiers and secrets. */
export interface Ids {
  /** Returns a sortable identifier, `inv_01J...`: prefix, time and randomness. */
  next(prefix: string): string
  /**
   * Returns a secret token: prefix, 32 random bytes in base62, checksum of six characters.
   * @param lead one base62 character that replaces the first one after the prefix; absent: that is random too
   */
  token(prefix: string, lead?: string): string
  /** Returns `bytes` random bytes in hex. */
  nonce(bytes: number): string
  /** Returns `count` uniformly random decimal digits, for codes that people type. */
  digits(count: number): string
  /** Returns a number in [0, 1) for choices that need no secrecy, such as between targets. */
  random(): number
}

/** Structured log. Never pass it a secret. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A value of a counter or gauge. */
export type Figure = {
  readonly name: string
  readonly labels: Readonly<Partial<Record<string, string | number>>>
  readonly value: number
}

/**
 * Records metrics by the instruments of `instruments.ts`. Cheap, in memory, never throws. What must be read from a
 * database is read at the scrape (gauges.ts).
 */
export interface Metrics {
  /** Adds to a counter; default 1. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void
  /** Adds a value to a histogram, in the unit of its name. */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void
  set<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number): void
  /** Moves a gauge up, or down by a negative number. */
  shift<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, by: number): void
  /** Removes a gauge from the scrapes until it is set again. */
  clear(name: GaugeName): void
  /** Returns monotonic seconds, for durations. */
  time(): number
}

/** Deferred work. `payload` must survive JSON. */
export type QueuedJob = {
  /** Name of its {@link QueueTask}. */
  readonly task: string
  readonly payload: Readonly<Record<string, unknown>>
  /** Replaces a waiting job with the same key. */
  readonly key?: string
  /** Not before this time (database clock); absent: at once. */
  readonly runAt?: Date
  /** Maximum attempts; then it is given up and kept for inspection. */
  readonly attemptsMax?: number
}

/** Queue of work that must be done at least once, such as mail. */
export interface Jobs {
  /** Queues jobs in the transaction of their cause: a rollback removes them. */
  enqueue(tx: Tx, jobs: readonly QueuedJob[]): Promise<void>
}

/** Runs queued jobs of one name. May run twice for one job, and concurrently in another gateway. */
export type QueueTask = {
  readonly name: string
  /**
   * Throws to retry the job, with backoff.
   * @param attempt number of this attempt, from 1, and the maximum
   * @param signal  aborted when the gateway stops
   */
  readonly run: (
    payload: unknown,
    attempt: { readonly number: number; readonly max: number },
    signal: AbortSignal,
  ) => Promise<void>
}

/** Encrypts small secrets at rest. `context` is bound to the ciphertext: it must be the same when decrypting. */
export interface SecretBox {
  seal(plaintext: string, context: string): string
  open(sealed: string, context: string): string
  /**
   * Returns a keyed digest (HMAC-SHA-256, 32 bytes), for secrets so short that a plain digest could be brute-forced.
   * `context` says what the text is and is bound to it.
   */
  digest(text: string, context: string): Buffer
}

/** A mail. Nothing in it comes from strangers except the address. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for each sending of one mail, so that mailboxes can deduplicate: letters, digits, `_`. */
  readonly id: string
}

/** Hands mails to a mail server. */
export interface Mailer {
  /**
   * @param signal aborts the attempt; whether the mail was sent is then unknown
   * @returns false if the server will never accept this mail, such as one to an unknown mailbox
   * @throws Error if it may be accepted later
   */
  send(mail: Mail, signal: AbortSignal): Promise<boolean>
}

/** A block. `timestamp` is in Unix seconds, chain time. */
export type Block = { readonly number: bigint; readonly hash: Hex; readonly timestamp: bigint }

/**
 * Money that entered or left our vault, from logs of the vault and of its token only. Addresses are lower-case.
 * `authorization` is the nonce of the EIP-3009 authorization by which the token moved a deposit to the vault; null for
 * a deposit through the vault itself. A token uses a nonce of a payer once.
 */
export type VaultEvent = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly txHash: Hex
  readonly logIndex: number
} & (
  | {
      readonly kind: 'deposited'
      readonly owner: Address
      readonly amount: Usdc
      readonly authorization: Hex | null
    }
  | { readonly kind: 'withdrawn'; readonly to: Address; readonly amount: Usdc; readonly nonce: Hex }
)

/** A deposit into the vault. */
export type DepositedEvent = Extract<VaultEvent, { kind: 'deposited' }>

/** A redemption of a ticket by the vault. */
export type WithdrawnEvent = Extract<VaultEvent, { kind: 'withdrawn' }>

/** A mined transaction: whether it succeeded, and the vault's events in it. `from` is its sender, in lower case. */
export type Receipt = {
  readonly status: 'success' | 'reverted'
  readonly from: Address
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly events: readonly VaultEvent[]
}

/** Content of a vault ticket: EIP-712 type `Ticket`. `amount` in micro-USDC, `deadline` in Unix seconds. */
export type VaultTicket = {
  readonly to: Address
  readonly amount: Usdc
  readonly deadline: bigint
  readonly nonce: Hex
}

/**
 * The chain and our vault on it. Every call is bounded in time.
 * @throws GatewayError UNAVAILABLE if the node is unreachable or inconsistent
 */
export interface Chain {
  readonly facts: ChainFacts
  head(): Promise<Block>
  /** Returns the block at this height, or null if the node does not have it (yet, or any more). */
  block(number: bigint): Promise<Block | null>
  /** Returns the receipt, or null if the transaction is unknown or not mined. */
  receipt(txHash: Hex): Promise<Receipt | null>
  /** Returns every vault event of these heights, both ends included, in order. */
  vaultEvents(range: { from: bigint; to: bigint }): Promise<readonly VaultEvent[]>
  /** Returns true if the vault has paid a ticket with this nonce at the given height. */
  isNonceUsed(nonce: Hex, atBlock: bigint): Promise<boolean>
  /** Returns the number of deposits that the vault has counted at the given height; 0 before there was a vault. */
  depositCount(atBlock: bigint): Promise<bigint>
  /** Returns the vault's USDC balance at the given height or the newest. */
  vaultBalance(atBlock?: bigint): Promise<Usdc>
  /** Returns true while the vault takes no deposit and pays no ticket. */
  isVaultPaused(): Promise<boolean>
  /** Returns what the vault's daily circuit breaker allows now. */
  withdrawableNow(): Promise<Usdc>
  /** Verifies a message signature: EIP-191 by key, ERC-1271 and ERC-6492 by contract. */
  verifyMessage(input: { address: Address; message: string; signature: Hex }): Promise<boolean>
  /** Address of the gateway's key that signs tickets, lower-case; null without one. */
  readonly ticketSigner: Address | null
  /** Returns the vault's signer, and whether the vault would accept tickets of our key now. */
  vaultSigner(): Promise<VaultSigner>
  /** Returns false if an external signer of tickets does not sign now; true with a key or without any signer. */
  isSignerAvailable(): Promise<boolean>
  /**
   * Signs a withdrawal ticket (EIP-712). Not in a transaction: the signer may be external.
   * @throws Error without a signer
   * @throws GatewayError UNAVAILABLE if an external signer does not sign now
   */
  signTicket(ticket: VaultTicket): Promise<Hex>
}

/** Signer of the tickets that a vault pays. */
export type VaultSigner = {
  /** Address of a key or of a contract (ERC-1271); lower-case. */
  readonly address: Address
  /** False also if this gateway has no key. */
  readonly acceptsOurs: boolean
}

/** Chain, token and vault. */
export type ChainFacts = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly usdc: Address
  readonly vault: Address
  readonly requiredConfirmations: number
}

/** A vault on its chain. */
export type VaultPlace = Pick<ChainFacts, 'chainId' | 'vault'>

/** Dependencies, wired once by `main.ts`; every use case names those that it needs. */
export type Deps = {
  readonly config: Config
  /** Reads see every call answered by any gateway: pending log rows are projected first. */
  readonly db: Db
  /** The same database without projection: for data that calls do not change. */
  readonly rawDb: Db
  /** The same database for set-based statements by key: its connections never plan a table scan. */
  readonly batchDb: Db
  /** The same database for the lease: its own connection, which no other work can occupy. */
  readonly leaseDb: Db
  /**
   * The same database for public reads and searches: few connections and short statements, so that nothing that guards
   * money waits behind them.
   */
  readonly publicDb: Db
  readonly clientRates: ClientRates
  /** Number of times that the database was unreachable so far, by any of these. */
  readonly databaseLosses: () => number
  readonly chain: Chain
  /** Null without `X402_SETTLER_KEY`. */
  readonly settler: Settler | null
  readonly upstream: Upstream
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly metrics: Metrics
  /** Null unless tracing is on. */
  readonly tracer: Tracer | null
  readonly secretBox: SecretBox
  /** Null without a mail server. */
  readonly mailer: Mailer | null
  readonly jobs: Jobs
  /** Id of this gateway process, stored with its holds. */
  readonly instanceId: string
  /** URL of this gateway for clients, without a trailing slash. */
  readonly publicUrl: string
}
