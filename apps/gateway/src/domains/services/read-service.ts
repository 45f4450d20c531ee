import { GatewayError } from '@farebox/wire/errors'
import type { ServiceRecord, ServiceSummary } from '@farebox/wire/services'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { presentRecord, presentSummary } from './present.ts'
import { readService, readShown } from './store.ts'

/**
 * Returns a service: completely for its owner, in any state; as a summary for others, unless it is deleted, or
 * it or its owner suspended.
 *
 * @param query.reference service id or agentToolName
 * @param query.viewer    wallet in lower case; null: not signed in
 * @throws GatewayError SERVICE_NOT_FOUND
 */
export async function showService(
  deps: Pick<Deps, 'db'>,
  query: { reference: string; viewer: Address | null },
): Promise<ServiceSummary | ServiceRecord> {
  const row = await readShown(deps.db, query.reference, query.viewer)
  if (row === undefined) throw new GatewayError('SERVICE_NOT_FOUND')
  return row.owner === query.viewer ? presentRecord(row) : presentSummary(row)
}

/**
 * Returns a service for its owner.
 *
 * @throws GatewayError SERVICE_NOT_FOUND (also for another owner's)
 */
export async function readOwnService(
  deps: Pick<Deps, 'db'>,
  query: { reference: string; owner: Address },
): Promise<ServiceRecord> {
  const row = await readService(deps.db, query.reference)
  if (row?.owner !== query.owner) throw new GatewayError('SERVICE_NOT_FOUND')
  return presentRecord(row)
}
