import type { AnswerOf } from '@farebox/client'

/** A deposit as the gateway knows it. */
export type Deposit = AnswerOf<'listDeposits'>['deposits'][number]

/** Whether it waits for the chain. */
export function isUnderWay({ status }: Deposit): boolean {
  return status === 'pending' || status === 'confirming'
}

const rejections: Readonly<Record<string, string>> = {
  reverted: 'The transaction was refused by the contract. Nothing was moved.',
  no_vault_deposit: 'The transaction is no deposit into the vault.',
  wrong_depositor: 'The deposit was made by another wallet, and is credited to that one.',
  unknown_after_24h: 'The chain did not show the transaction within 24 hours.',
}

/** Why the gateway does not credit a deposit, in words. */
export function describeRejection(reason: string): string {
  return rejections[reason] ?? `The gateway does not credit it (${reason}).`
}
