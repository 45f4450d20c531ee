import type { Address, Hex } from 'viem'
import type { Seen } from './verdict.ts'

/** Services by their names. */
export type ServiceName = 'fixed' | 'slow' | 'failing' | 'model'

/** One paid call as its callers know it: one key, asked for once or more often. */
export type AskedCall = {
  /** `credential key`, by which the providers know it too. */
  readonly call: string
  readonly credentialId: string
  readonly token: string
  readonly service: ServiceName
  /** Wallets, in lower case. */
  readonly payer: string
  readonly provider: string
  /** Required cost if it succeeds, in micro-USDC; null: by its usage. */
  readonly price: bigint | null
  readonly body: Readonly<Record<string, unknown>>
  /** Every answer, in the order in which they came. */
  readonly seen: Seen[]
  /** True if its credential was known to be revoked when it was first sent. */
  readonly isTooLate: boolean
}

/** One deposit as its depositor knows it. */
export type AskedDeposit = {
  readonly wallet: string
  readonly amount: bigint
  readonly txHash: Hex
  /** True if a gateway has confirmed the credit. */
  isAcknowledged: boolean
}

/** A ticket as the wire has it. */
export type WireTicket = {
  readonly to: string
  readonly amount: string
  readonly deadline: number
  readonly nonce: string
  readonly signature: Hex
}

/** One withdrawal as its provider knows it: one key, asked for once or more often. */
export type AskedWithdrawal = {
  readonly wallet: Address
  readonly token: string
  readonly key: string
  readonly amountUsdc: string
  readonly seen: Seen[]
}

/** A credential that calls are made with. */
export type Credential = {
  readonly id: string
  readonly token: string
  /** Wallet of its owner, in lower case. */
  readonly payer: string
  /** Most that it may spend, in micro-USDC. */
  readonly limit: bigint | null
  /** Set once its revocation was answered. */
  isRevoked: boolean
}

/** The requests and answers of one round. */
export type History = {
  readonly calls: AskedCall[]
  readonly deposits: AskedDeposit[]
  readonly withdrawals: AskedWithdrawal[]
  /** Credentials of this round alone. */
  readonly credentials: Credential[]
}

/** An empty one. */
export const newHistory = (): History => ({ calls: [], deposits: [], withdrawals: [], credentials: [] })
