import { GatewayError } from '@farebox/wire/errors'
import type { ServiceRecord, ServiceSummary } from '@farebox/wire/services'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { presentRecord, presentSummary } from './present.ts'
import { readService } from './store.ts'

/**
 * Shows a service: all of it to its owner, whatever its state; to others the summary, unless it is suspended or
 * deleted.
 *
 * @param query.reference service id or agentToolName
 * @param query.viewer    wallet in lower case; null for a stranger
 * @throws GatewayError SERVICE_NOT_FOUND
 */
export async function showService(
  deps: Pick<Deps, 'db'>,
  query: { reference: string; viewer: Address | null },
): Promise<ServiceSummary | ServiceRecord> {
  const row = await readService(deps.db, query.reference)
  if (row !== undefined && row.owner === query.viewer) return presentRecord(row)
  if (row === undefined || row.suspendedAt !== null || row.deletedAt !== null) {
    throw new GatewayError('SERVICE_NOT_FOUND')
  }
  return presentSummary(row)
}

/**
 * A service as its owner sees it.
 *
 * @throws GatewayError SERVICE_NOT_FOUND (another owner's too)
 */
export async function readOwnService(
  deps: Pick<Deps, 'db'>,
  query: { reference: string; owner: Address },
): Promise<ServiceRecord> {
  const row = await readService(deps.db, query.reference)
  if (row?.owner !== query.owner) throw new GatewayError('SERVICE_NOT_FOUND')
  return presentRecord(row)
}
