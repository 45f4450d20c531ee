import type { AnswerOf } from '@farebox/client'

/** A deposit in the gateway's list. */
export type Deposit = AnswerOf<'listDeposits'>['deposits'][number]

/** Returns whether the deposit waits for the chain. */
export function isUnderWay({ status }: Deposit): boolean {
  return status === 'pending' || status === 'confirming'
}

const rejections: Readonly<Record<string, string>> = {
  reverted: 'The contract rejected the transaction. No funds were moved.',
  no_vault_deposit: 'The transaction is not a deposit into the vault.',
  wrong_depositor: 'The deposit was made by another wallet and will be credited to it.',
  unknown_after_24h: 'The transaction was not confirmed within 24 hours.',
}

/** Describes why the gateway did not credit a deposit. */
export function describeRejection(reason: string): string {
  return rejections[reason] ?? `The gateway rejected the deposit (${reason}).`
}
