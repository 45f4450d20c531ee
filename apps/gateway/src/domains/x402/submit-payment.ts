import { GatewayError } from '@farebox/wire/errors'
import type { Hex } from 'viem'
import type { Authorization, Settler } from '../../payment-ports.ts'
import type { Deps } from '../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { addTransaction, findPayment, giveUpSender, renewSent, takeSender } from './store.ts'

type SubmitDeps = Pick<Deps, 'rawDb' | 'clock' | 'metrics' | 'log' | 'instanceId'> & {
  readonly settler: Settler
}

/** Lease of the sender, in seconds; a transaction is signed and broadcast well within it. */
const LEASE_SECONDS = 20
/** Maximum wait for the sender, in ms, and interval of attempts. */
const WAIT_MS_MAX = 10_000
const POLL_MS = 50
/** Number of payments that the key must be able to pay for. */
const PAYMENTS_AFFORDABLE_MIN = 2n

/**
 * Broadcasts a payment, unless somebody else did so meanwhile. One gateway sends at a time, and one payment.
 *
 * @param sentBefore number of its transactions that the caller has seen fail
 * @returns why the token refuses it, as a reason of x402; null if it is broadcast, now or before
 * @throws GatewayError UNAVAILABLE if the key has too little gas, or the sender is busy
 */
export async function submitPayment(
  deps: SubmitDeps,
  authorization: Authorization,
  sentBefore: number,
): Promise<string | null> {
  const { settler, rawDb, instanceId } = deps
  // A holder of its own for each payment, so that the payments of one gateway wait for each other too.
  const lease = { address: settler.address, holder: `${instanceId} ${authorization.nonce}` }
  await waitForSender(deps, lease)
  try {
    const { transactions = [] } = (await findPayment(rawDb, authorization)) ?? {}
    if (transactions.length > sentBefore) return null
    await assertAffordable(deps)
    const record = (txHash: Hex) => addTransaction(rawDb, authorization, txHash)
    const sent = await settler.submit(authorization, transactions, record)
    if (sent !== null) return null
    const reason = await settler.verify(authorization)
    if (reason !== null || sentBefore === 0) return reason ?? 'invalid_exact_evm_transaction_failed'
    // The node holds an earlier transaction, which uses the authorization once it is mined.
    await renewSent(rawDb, authorization)
    return null
  } finally {
    // If this fails, the lease expires.
    await giveUpSender(rawDb, lease).catch(() => undefined)
  }
}

async function waitForSender(
  { rawDb, clock }: SubmitDeps,
  lease: { address: string; holder: string },
): Promise<void> {
  const until = clock.elapsed() + WAIT_MS_MAX
  while (!(await takeSender(rawDb, { ...lease, seconds: LEASE_SECONDS }))) {
    if (clock.elapsed() >= until) {
      const message = 'Too many payments wait to be sent. Send the same payment again.'
      throw new GatewayError(
        'UNAVAILABLE',
        { reason: 'sender_busy' },
        { message, retryAfterSeconds: RETRY_AFTER_SECONDS.pending },
      )
    }
    await clock.pause(POLL_MS)
  }
}

/** Returns and records the number of payments that the key can pay for. */
export async function readAffordable({
  settler,
  metrics,
  log,
}: Pick<SubmitDeps, 'settler' | 'metrics' | 'log'>): Promise<bigint> {
  const { left, perPayment } = await settler.gas()
  // Some chains take no fees.
  const affordable = perPayment === 0n ? PAYMENTS_AFFORDABLE_MIN : left / perPayment
  metrics.set('farebox_x402_payments_affordable', {}, Number(affordable))
  if (affordable < PAYMENTS_AFFORDABLE_MIN)
    log.error({ address: settler.address, wei: left.toString() }, 'the x402 settler has too little gas')
  return affordable
}

async function assertAffordable(deps: SubmitDeps): Promise<void> {
  if ((await readAffordable(deps)) >= PAYMENTS_AFFORDABLE_MIN) return
  const message = 'Payments cannot be settled now. Nothing was taken; retry later.'
  throw new GatewayError(
    'UNAVAILABLE',
    { reason: 'no_gas' },
    { message, retryAfterSeconds: RETRY_AFTER_SECONDS.unsettled },
  )
}
