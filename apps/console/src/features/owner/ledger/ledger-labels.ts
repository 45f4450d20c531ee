import type { AnswerOf } from '@farebox/client'

export type Entry = AnswerOf<'listLedgerEntries'>['entries'][number]

/** Options of the filter. */
export const filters = [
  { value: 'all', label: 'All entries' },
  { value: 'calls', label: 'Calls I paid for' },
  { value: 'earned', label: 'Calls I earned from' },
  { value: 'deposits', label: 'Deposits and vouchers' },
  { value: 'withdrawals', label: 'Withdrawals' },
] as const
export type Filter = (typeof filters)[number]['value']
export type LedgerSearch = { readonly show?: Filter }

export function readLedgerSearch(search: Record<string, unknown>): LedgerSearch {
  const known = filters.find(({ value }) => value === search.show)
  return known === undefined || known.value === 'all' ? {} : { show: known.value }
}

/** Returns whether an entry matches the filter. */
export function isShown({ kind, account }: Entry, filter: Filter): boolean {
  switch (filter) {
    case 'all':
      return true
    case 'calls':
      return kind === 'capture' && account === 'consumer'
    case 'earned':
      return kind === 'capture' && account === 'provider'
    case 'deposits':
      return kind === 'deposit' || kind === 'voucher' || kind === 'promotion-funding'
    case 'withdrawals':
      return kind.startsWith('withdrawal')
  }
}

/** An entry in words. */
export type EntryLabel = {
  readonly what: string
  /** Details beside `what`, for wide screens. */
  readonly why?: string
  /** The record behind it: id or transaction, and the page that shows it. */
  readonly record: { readonly id: string; readonly isTransaction?: true; readonly to?: string }
}

export function describeEntry({ kind, account, reference }: Entry): EntryLabel {
  switch (kind) {
    case 'deposit': {
      // chain:transaction:log index
      const [, transaction = reference] = reference.split(':')
      return {
        what: 'Deposit from your wallet',
        record: { id: transaction, isTransaction: true, to: '/app/deposit' },
      }
    }
    case 'capture':
      return account === 'consumer'
        ? {
            what: 'Call paid',
            record: { id: reference, to: `/app/calls/${reference}` },
          }
        : {
            what: 'Call earned',
            record: { id: reference, to: '/provider/earnings' },
          }
    case 'voucher':
      return { what: 'Voucher redeemed', why: 'Promotional credit.', record: { id: reference } }
    case 'promotion-funding':
      return {
        what: 'Promotion funded',
        why: 'Value set aside for vouchers you created.',
        record: { id: reference },
      }
    case 'withdrawal-paid':
      return {
        what: 'Withdrawal to your wallet',
        record: { id: reference, to: '/provider/withdraw' },
      }
    case 'redemption-adopted':
      return {
        what: 'Payment by the vault',
        why: 'A payout by the vault with no recorded withdrawal.',
        record: { id: reference },
      }
    case 'deposit-reversed':
      return {
        what: 'Deposit reversed',
        why: 'A chain reorganization removed the deposit.',
        record: { id: reference },
      }
    default:
      return { what: kind, record: { id: reference } }
  }
}

/** Labels of the two accounts of a wallet. */
export const accountLabels: Record<Entry['account'], string> = { consumer: 'Balance', provider: 'Earnings' }
