import type { Arrival, Usage } from '../parts/providers.ts'

/** A call as the database has it. */
export type CallRow = {
  readonly id: string
  /** `credential key`. */
  readonly call: string
  readonly status: string
  /** Micro-USDC. */
  readonly charged: bigint
  /** The stored answer; null when there is none. */
  readonly answer: { readonly status: number; readonly text: string } | null
}

/** A deposit in a final block. */
export type PaidIn = {
  readonly wallet: string
  readonly amount: bigint
  readonly reference: string
  readonly txHash: string
}

/** A redemption in a final block. */
export type PaidOut = { readonly wallet: string; readonly amount: bigint; readonly nonce: string }

/** A withdrawal as the database has it. */
export type WithdrawalRow = {
  readonly id: string
  readonly wallet: string
  readonly amount: bigint
  readonly status: string
  readonly nonce: string
}

/** Records of database, chain and providers after a round. */
export type Books = {
  /** Rows of the calls that were sent in this round. */
  readonly calls: readonly CallRow[]
  /** Requests that have reached a provider in this round. */
  readonly arrivals: readonly Arrival[]
  readonly usageOf: (invocationId: string) => Usage | undefined
  /** Events of the chain since the last round. */
  readonly paidIn: readonly PaidIn[]
  readonly paidOut: readonly PaidOut[]
  /** Entries of deposits, all that there ever were: how often each reference was credited, and with what. */
  readonly credits: readonly {
    readonly account: string
    readonly amount: bigint
    readonly reference: string
  }[]
  /** All that there ever were. */
  readonly withdrawals: readonly WithdrawalRow[]
  /** Calls and charges of each credential, of all rounds. */
  readonly byCredential: ReadonlyMap<string, { readonly calls: number; readonly charged: bigint }>
  readonly accounts: ReadonlyMap<string, { readonly posted: bigint; readonly reserved: bigint }>
  /** Calls that are still open after the time in which each must have come to its end. */
  readonly open: readonly { readonly id: string; readonly status: string }[]
  /** Findings of a reconciliation, and of the gateways' own checks. */
  readonly findings: readonly string[]
}

/** Sums over all rounds, as callers, providers and the chain know them. Micro-USDC. */
export type Totals = {
  readonly byCredential: Map<string, { calls: number; charged: bigint }>
  /** By wallet: charges paid, and earnings less fees. */
  readonly charged: Map<string, bigint>
  readonly earned: Map<string, bigint>
  readonly paidIn: Map<string, bigint>
  readonly paidOut: Map<string, bigint>
  fees: bigint
}

/** Empty books. */
export const newTotals = (): Totals => ({
  byCredential: new Map(),
  charged: new Map(),
  earned: new Map(),
  paidIn: new Map(),
  paidOut: new Map(),
  fees: 0n,
})

/** Adds to what a wallet has. */
export function addTo(sums: Map<string, bigint>, wallet: string, amount: bigint): void {
  sums.set(wallet, (sums.get(wallet) ?? 0n) + amount)
}
