import type { AnswerOf } from '@farebox/client'

export type ChainFinding = AnswerOf<'listChainFindings'>['findings'][number]

/** What each kind of disagreement means, and what ends it. */
export const kinds: Record<ChainFinding['kind'], { readonly label: string; readonly remedy: string }> = {
  'unexplained-redemption': {
    label: 'Unexplained payment',
    remedy:
      'The vault paid a ticket that no withdrawal explains. If the database was restored to an earlier time, adopt the payment and charge its recipient. Otherwise the key of the ticket signer may be stolen: pause the vault and replace the key first.',
  },
  'redemption-reorganised': {
    label: 'Payment left the chain',
    remedy:
      'A reorganisation removed a payment that the books have. It ends when the ticket is redeemed again.',
  },
  'deposit-reorganised': {
    label: 'Deposit left the chain',
    remedy:
      'A reorganisation removed a deposit that was credited. It ends when the transaction is mined again. Otherwise reverse the credit.',
  },
  'deposit-count': {
    label: 'Deposits differ',
    remedy:
      'The vault counts other deposits than the gateway has read. The gateway reads them again. If this stays, change the chain endpoint.',
  },
  'ticket-signer': {
    label: 'Other signer',
    remedy:
      'The vault does not accept the ticket signer of this gateway. If you changed the signer, give all gateways the new key. If not, pause the vault.',
  },
  'database-restored': {
    label: 'Database restored',
    remedy:
      'The database was restored or failed over. It ends with the next full check of the books, once the chain was read again.',
  },
}

/** Names of the details, in the order in which they are shown. */
export const details: readonly (readonly [name: string, label: string])[] = [
  ['amountUsdc', 'Amount'],
  ['to', 'Recipient'],
  ['wallet', 'Wallet'],
  ['txHash', 'Transaction'],
  ['reason', 'Reason'],
  ['withdrawalId', 'Withdrawal'],
  ['withdrawalStatus', 'Its state'],
  ['block', 'Block'],
  ['countedByVault', 'Counted by the vault'],
  ['readFromVault', 'Read from the vault'],
  ['appointed', 'Signer of the vault'],
  ['ours', 'Signer of the gateway'],
]
