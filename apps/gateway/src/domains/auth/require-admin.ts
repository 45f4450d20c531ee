import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from './require-owner.ts'
import { isListed } from './rules.ts'

/**
 * Returns an `onRequest` hook that admits only wallets of `ADMIN_WALLETS` and sets `request.owner`. Other wallets get
 * FORBIDDEN; otherwise as {@link ownerGuard}.
 */
export function adminGuard(deps: Pick<Deps, 'config' | 'db' | 'clock'>) {
  const requireOwner = ownerGuard(deps)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await requireOwner(request, reply)
    if (!ownerOf(request).isAdmin) throw new GatewayError('FORBIDDEN')
  }
}

/**
 * Returns true if a wallet is an admin.
 *
 * @param wallet in lower case
 */
export function isAdminWallet(config: Pick<Deps['config'], 'ADMIN_WALLETS'>, wallet: string): boolean {
  return isListed(config.ADMIN_WALLETS, wallet)
}
