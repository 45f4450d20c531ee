import { ZERO } from '@farebox/money'
import { RPM_MAX } from '@farebox/wire/rate'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { assertNotSuspended } from '../auth/assert-not-suspended.ts'
import { ensureWallet } from '../auth/ensure-wallet.ts'
import { issuePayerCredential } from '../credentials/issue-payer-credential.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { findPayer, type PayerCredential, writePayer } from './store.ts'

/** Owner of free calls, which nobody pays for. Nobody has its key. */
export const NOBODY: Address = '0x0000000000000000000000000000000000000402'

/**
 * Returns the agent that makes the calls of a payer. Stores the wallet and its credential if they are new, or if the
 * owner has ended the credential: a payment is an order of its own.
 *
 * @param wallet lower-case
 * @throws GatewayError WALLET_SUSPENDED
 */
export async function payerAgent(deps: Pick<Deps, 'db' | 'rawDb' | 'ids'>, wallet: Address): Promise<Agent> {
  const known = await findPayer(deps.rawDb, wallet)
  const { credentialId, tokenDigest } = known ?? (await issue(deps, wallet))
  return {
    credentialId,
    owner: wallet,
    name: 'x402',
    allowedServices: null,
    rpm: RPM_MAX,
    maxCostPerCall: null,
    tokenDigest,
  }
}

function issue(deps: Pick<Deps, 'db' | 'ids'>, wallet: Address): Promise<PayerCredential> {
  return deps.db.transaction(async tx => {
    // Nothing is held: this creates the account, which a payer of nothing lacks.
    await lockBooks(tx, [{ kind: 'hold', wallet, provider: wallet, amount: ZERO, reference: wallet }])
    await assertNotSuspended(tx, wallet)
    await ensureWallet(tx, wallet)
    const meanwhile = await findPayer(tx, wallet)
    if (meanwhile !== undefined) return meanwhile
    const issued = await issuePayerCredential(deps, tx, wallet)
    await writePayer(tx, { wallet, ...issued })
    return issued
  })
}
