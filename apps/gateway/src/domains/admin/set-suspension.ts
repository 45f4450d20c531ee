import type { WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { isAdminWallet } from '../auth/require-admin.ts'
import { type OverseenWallet, resumeWallet, suspendWallet } from '../auth/suspend-wallet.ts'
import { type OverseenService, resumeService, suspendService } from '../services/suspend-service.ts'
import { awaitEarlierCalls } from './await-earlier-calls.ts'
import { recordAct } from './record-act.ts'

/** Author and reason of an act. `actor` is the wallet of the admin, lower-case. */
export type ActOf = { readonly actor: string; readonly reason: string | null }

/** Direction of a change. */
export type Suspension = 'suspend' | 'resume'

type SuspensionDeps = Pick<Deps, 'config' | 'db' | 'batchDb' | 'ids' | 'clock' | 'log'>

/**
 * Suspends or resumes a service; see {@link suspendService}. After this returns, no gateway admits calls of a suspended
 * service. Idempotent; repetitions are audited.
 *
 * @param input.reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND, SERVICE_ALREADY_DELETED
 */
export async function setServiceSuspension(
  deps: SuspensionDeps,
  how: Suspension,
  input: ActOf & { reference: string },
): Promise<OverseenService> {
  const { reference, ...by } = input
  const after = await deps.db.transaction(async tx => {
    const changed = await (how === 'suspend'
      ? suspendService(tx, reference, by.reason)
      : resumeService(tx, reference))
    const target = changed.after.serviceId
    await recordAct(deps, tx, { ...by, action: `service.${how}`, target, ...changed })
    return changed.after
  })
  if (how === 'suspend') await awaitEarlierCalls(deps)
  return after
}

/**
 * Suspends or resumes a wallet; see {@link suspendWallet}. After this returns, no gateway admits calls of a suspended
 * wallet's agents or services. Idempotent; repetitions are audited.
 *
 * @param input.wallet in lower case
 * @throws GatewayError FORBIDDEN for suspending an admin, NOT_FOUND for resuming an unknown wallet
 */
export async function setWalletSuspension(
  deps: SuspensionDeps,
  how: Suspension,
  input: ActOf & { wallet: WalletAddress },
): Promise<OverseenWallet> {
  const { wallet, ...by } = input
  if (how === 'suspend' && isAdminWallet(deps.config, wallet)) {
    throw new GatewayError('FORBIDDEN', {}, { message: 'An admin cannot be suspended.' })
  }
  const after = await deps.db.transaction(async tx => {
    const changed = await (how === 'suspend'
      ? suspendWallet(tx, wallet, by.reason)
      : resumeWallet(tx, wallet))
    if (changed === null) {
      throw new GatewayError('NOT_FOUND', {}, { message: 'There is no such wallet.' })
    }
    await recordAct(deps, tx, { ...by, action: `wallet.${how}`, target: wallet, ...changed })
    return changed.after
  })
  if (how === 'suspend') await awaitEarlierCalls(deps)
  return after
}
