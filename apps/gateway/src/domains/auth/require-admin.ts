import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from './require-owner.ts'
import { isListed } from './rules.ts'

/**
 * Hook for `onRequest`: lets only wallets of `ADMIN_WALLETS` through, and sets `request.owner`.
 * Refuses with FORBIDDEN, besides what {@link ownerGuard} refuses with.
 */
export function adminGuard(deps: Pick<Deps, 'config' | 'db' | 'clock'>) {
  const requireOwner = ownerGuard(deps)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await requireOwner(request, reply)
    if (!ownerOf(request).isAdmin) throw new GatewayError('FORBIDDEN')
  }
}

/**
 * Whether a wallet is an admin.
 *
 * @param wallet in lower case
 */
export function isAdminWallet(config: Pick<Deps['config'], 'ADMIN_WALLETS'>, wallet: string): boolean {
  return isListed(config.ADMIN_WALLETS, wallet)
}
