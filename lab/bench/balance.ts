import { parseUsdc, type Usdc } from '@farebox/money'
import type { Api } from './api.ts'

/** Money of one wallet, in micro-USDC. */
export type Balance = {
  readonly available: Usdc
  readonly held: Usdc
  readonly receivable: Usdc
  readonly feesPaid: Usdc
}

/** Reads what a wallet has, as it sees it itself. */
export async function readBalance(api: Api, token: string): Promise<Balance> {
  const body = await api.ok<Record<string, unknown>>('GET', '/api/v1/balance', { token })
  const amount = (name: string) => parseUsdc(String(body[name]))
  return {
    available: amount('consumer_available_balance'),
    held: amount('consumer_held_balance'),
    receivable: amount('provider_receivable_balance'),
    feesPaid: amount('protocol_fee_balance'),
  }
}
