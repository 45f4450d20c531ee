import type { Usdc } from '@farebox/money'
import type { OpenedDeposit } from '@farebox/wire/deposits'
import { GatewayError } from '@farebox/wire/errors'
import { parseTxHash } from '@farebox/wire/tx-hash'
import { requestHash } from '../../http/idempotency.ts'
import type { Deps, Tx } from '../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { type OnceOnly, onceOnly } from '../../sql/once-only.ts'
import { presentDeposit } from './present-deposit.ts'
import { countOpenClaims, insertClaim, isCreditedToOthers } from './store.ts'

/** Maximum number of open claims of a wallet. */
const OPEN_CLAIMS_MAX = 1_000

/**
 * Registers a wallet's claim to a deposit transaction. It credits nothing and does not query the chain. Any wallet may
 * claim any hash, and a claim does not block another wallet's.
 *
 * @param input.txHash as sent by the client
 * @param input.amount amount stated by the client, in micro-USDC; stored, never trusted
 * @param input.idempotencyKey null: no replay; a second claim of the same hash is refused
 * @throws GatewayError INVALID_TX_HASH; DUPLICATE_TX_HASH when this wallet has already claimed the hash, or it was
 * credited to other wallets only; RATE_LIMITED; IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS
 */
export async function openDeposit(
  deps: Pick<Deps, 'db' | 'chain' | 'ids'>,
  input: { wallet: string; txHash: unknown; amount: Usdc; idempotencyKey: string | null },
): Promise<OnceOnly<OpenedDeposit>> {
  const { wallet, amount, idempotencyKey: key } = input
  const txHash = parseTxHash(input.txHash)

  const open = async (tx: Tx): Promise<OpenedDeposit> => {
    if ((await countOpenClaims(tx, wallet)) >= OPEN_CLAIMS_MAX) {
      throw new GatewayError(
        'RATE_LIMITED',
        { openDepositsMax: OPEN_CLAIMS_MAX },
        {
          message: 'Too many deposits are waiting for the chain.',
          retryAfterSeconds: RETRY_AFTER_SECONDS.unsettled,
        },
      )
    }
    const isOthers = await isCreditedToOthers(tx, { chainId: deps.chain.facts.chainId, txHash, wallet })
    const row = isOthers
      ? undefined
      : await insertClaim(tx, { id: deps.ids.next('dep'), wallet, txHash, amount })
    if (row === undefined) throw new GatewayError('DUPLICATE_TX_HASH', { txHash })
    const intent = presentDeposit(row, deps.chain.facts)
    return { status: 'success', intentId: row.id, tx_hash: txHash, intent }
  }

  const hash = requestHash({ txHash, amount: amount.toString() })
  return onceOnly(deps.db, { scope: `deposits:${wallet}`, key, requestHash: hash }, open)
}
