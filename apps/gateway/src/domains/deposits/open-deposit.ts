import type { Usdc } from '@farebox/money'
import type { OpenedDeposit } from '@farebox/wire/deposits'
import { GatewayError } from '@farebox/wire/errors'
import { parseTxHash } from '@farebox/wire/tx-hash'
import { type OnceOnly, onceOnly, requestHash } from '../../http/idempotency.ts'
import type { Deps, Tx } from '../../ports.ts'
import { presentDeposit } from './present-deposit.ts'
import { countOpenClaims, insertClaim, isCreditedToOthers } from './store.ts'

/** Most claims that a wallet may have waiting for the chain at once. */
const OPEN_CLAIMS_MAX = 1_000
const RETRY_AFTER_SECONDS = 60

/**
 * Registers a wallet's claim to a deposit transaction. Nothing is credited by it, and the chain is not asked: a
 * claim only makes the deposit known, so any wallet may claim any hash, and no claim stands in the way of another
 * wallet's.
 *
 * @param input.txHash as the client sent it
 * @param input.amount what the client says it has deposited, micro-USDC; noted, never trusted
 * @param input.idempotencyKey null: no replay; a second claim of the same hash is refused
 * @throws GatewayError INVALID_TX_HASH; DUPLICATE_TX_HASH when this wallet has claimed the hash before, or it was
 *   credited to other wallets alone; RATE_LIMITED; IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS
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
        { message: 'Too many deposits are waiting for the chain.', retryAfterSeconds: RETRY_AFTER_SECONDS },
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

  if (key === null) return { body: await deps.db.transaction(open), isReplay: false }
  const hash = requestHash({ txHash, amount: amount.toString() })
  return onceOnly(deps.db, { scope: `deposits:${wallet}`, key, requestHash: hash }, open)
}
