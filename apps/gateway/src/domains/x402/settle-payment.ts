import { hash, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import type { Hex } from 'viem'
import type { Authorization, Settler } from '../../payment-ports.ts'
import type { Deps } from '../../ports.ts'
import type { Flights } from '../../runtime/cached.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { creditPayment } from '../deposits/credit-payment.ts'
import { bindPayment, findPayment, type PaymentRow, writeSettled } from './store.ts'
import { submitPayment } from './submit-payment.ts'

/** Maximum time that a request waits for its payment, in ms; the payment goes on without it. */
const WAIT_MS_MAX = 25_000
/** Interval of reads of the chain meanwhile, in ms. */
const POLL_MS = 200

/** A payment that is credited, and by which transaction; or why it was not, as a reason of x402. */
export type Settlement =
  | { readonly kind: 'settled'; readonly txHash: Hex }
  | { readonly kind: 'refused'; readonly reason: string }

/** Dependencies of settlements. */
export type SettleDeps = Pick<
  Deps,
  'db' | 'rawDb' | 'chain' | 'config' | 'ids' | 'clock' | 'log' | 'metrics' | 'instanceId'
> & {
  readonly settler: Settler
  /** Settlements in flight of this process. */
  readonly settling: Flights<string, Settlement>
}

/** The token has used the authorization, or its payer has cancelled it. */
const USED = 'invalid_exact_evm_nonce_already_used'

/**
 * Settles a payment into the vault and credits it to its payer, once, whoever asks again and whatever fails meanwhile.
 * It is bound to its request before it is broadcast: from then on its signature is public. The gateway sends another
 * transaction only while none of the earlier ones has used the authorization, which the token lets succeed once.
 *
 * A payment that another transaction has used pays for no call, as whoever sent this request may have it from there.
 * The follower credits it.
 *
 * @param binding hash of the request that it pays for; null: it is a deposit
 * @throws GatewayError IDEMPOTENCY_CONFLICT if it is bound to another request; UNAVAILABLE if it waits for the chain,
 * for its confirmations, for room within X402_AT_RISK_USDC, or for gas; send the same payment again
 */
export async function settlePayment(
  deps: SettleDeps,
  authorization: Authorization,
  binding: Buffer | null,
): Promise<Settlement> {
  const row = await findPayment(deps.rawDb, authorization)
  if (row === undefined) {
    const reason = await deps.settler.verify(authorization)
    if (reason !== null) return { kind: 'refused', reason }
    await bindPayment(deps.rawDb, authorization, binding)
  }
  const bound = await readBound(deps, authorization, binding)
  // Only the amount that was signed was verified, and the signature of a settled payment is public.
  if (!isSame(bound.signature, authorization.signature) || bound.amount !== authorization.amount)
    return { kind: 'refused', reason: 'invalid_exact_evm_signature' }
  if (bound.settledIn !== null) return { kind: 'settled', txHash: bound.settledIn }
  const { payer, nonce } = authorization
  return deps.settling.join(`${payer} ${nonce}`, () => settle(deps, authorization))
}

/** Compares in constant time. */
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))

/** Returns a stored payment. */
async function readBound(
  { rawDb }: SettleDeps,
  authorization: Authorization,
  binding: Buffer | null,
): Promise<PaymentRow> {
  const row = await findPayment(rawDb, authorization)
  if (row === undefined) throw new Error('The payment was not stored.')
  const isBound = binding === null ? row.requestHash === null : row.requestHash?.equals(binding) === true
  if (isBound) return row
  const message = 'This payment was used for another request. Sign a new one.'
  throw new GatewayError('IDEMPOTENCY_CONFLICT', {}, { message })
}

async function settle(deps: SettleDeps, authorization: Authorization): Promise<Settlement> {
  const { clock, settler } = deps
  const until = clock.elapsed() + WAIT_MS_MAX
  let isSeenUsed = false
  for (;;) {
    const row = await findPayment(deps.rawDb, authorization)
    const transactions = row?.transactions ?? []
    const state = await stateOf(deps, authorization, transactions)
    if (state.kind === 'settled') return state
    if (state.kind === 'absent' && row?.isFresh !== true) {
      // Its transaction may have been mined between the two reads.
      if (isSeenUsed) return { kind: 'refused', reason: USED }
      isSeenUsed = await settler.isUsed(authorization)
      if (isSeenUsed) continue
      const reason = await submitPayment(deps, authorization, transactions.length)
      if (reason !== null) {
        // One of them that was mined meanwhile is a reason too.
        const { kind } = await stateOf(deps, authorization, transactions)
        if (kind === 'absent') return { kind: 'refused', reason }
      }
    }
    if (clock.elapsed() >= until) throw isPending(row)
    await clock.pause(POLL_MS)
  }
}

type State = Settlement | { readonly kind: 'waits' | 'absent' }

/** Returns how far the transactions of a payment are; `absent` if none of them is mined or all have failed. */
async function stateOf(
  deps: SettleDeps,
  authorization: Authorization,
  transactions: readonly Hex[],
): Promise<State> {
  let kind: 'waits' | 'absent' = 'absent'
  for (const txHash of transactions) {
    const credit = await creditPayment(deps, { ...authorization, txHash })
    if (credit === 'credited') {
      await writeSettled(deps.rawDb, authorization, txHash)
      return { kind: 'settled', txHash }
    }
    if (credit === 'waits') kind = 'waits'
  }
  return { kind }
}

function isPending(row: PaymentRow | undefined): GatewayError {
  const message = 'The payment waits for the chain. Send the same payment again; it is not charged twice.'
  const transaction = row?.transactions.at(-1)
  return new GatewayError(
    'UNAVAILABLE',
    { reason: 'payment_pending', ...(transaction !== undefined && { transaction }) },
    { message, retryAfterSeconds: RETRY_AFTER_SECONDS.pending },
  )
}
