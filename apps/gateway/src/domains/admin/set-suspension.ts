import type { WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { isAdminWallet } from '../auth/require-admin.ts'
import { type OverseenWallet, resumeWallet, suspendWallet } from '../auth/suspend-wallet.ts'
import { type OverseenService, resumeService, suspendService } from '../services/suspend-service.ts'
import { awaitEarlierCalls } from './await-earlier-calls.ts'
import { recordAct } from './record-act.ts'

/** Who acts, and why. `actor` is the wallet of the admin, lower-case. */
export type ActOf = { readonly actor: string; readonly reason: string | null }

/** Whether something is to be suspended, or that is to be lifted. */
export type Suspension = 'suspend' | 'resume'

type SuspensionDeps = Pick<Deps, 'config' | 'db' | 'batchDb' | 'ids' | 'clock' | 'log'>

/**
 * Suspends a service, or lifts that; see {@link suspendService}. Once this has returned no call of a suspended
 * service is admitted by any gateway. Repeating it changes nothing, and is audited as every act is.
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
  const change = how === 'suspend' ? suspendService : resumeService
  const after = await deps.db.transaction(async tx => {
    const changed = await change(tx, reference)
    const target = changed.after.serviceId
    await recordAct(deps, tx, { ...by, action: `service.${how}`, target, ...changed })
    return changed.after
  })
  if (how === 'suspend') await awaitEarlierCalls(deps)
  return after
}

/**
 * Suspends a wallet, or lifts that; see {@link suspendWallet}. Once this has returned no call of its agents and no
 * call of its services is admitted by any gateway. Repeating it changes nothing, and is audited as every act is.
 *
 * @param input.wallet in lower case
 * @throws GatewayError FORBIDDEN for the suspension of an admin, NOT_FOUND for lifting that of a wallet never seen
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
    const changed = await (how === 'suspend' ? suspendWallet(tx, wallet) : resumeWallet(tx, wallet))
    if (changed === null) {
      throw new GatewayError('NOT_FOUND', {}, { message: 'This wallet was never seen here.' })
    }
    await recordAct(deps, tx, { ...by, action: `wallet.${how}`, target: wallet, ...changed })
    return changed.after
  })
  if (how === 'suspend') await awaitEarlierCalls(deps)
  return after
}
