import { GatewayError } from '@farebox/wire/errors'
import { type MarketService, SERVICE_DAYS_SHOWN } from '@farebox/wire/market'
import type { PageText } from '@farebox/wire/page-texts'
import { getAddress } from 'viem'
import type { Deps } from '../../../ports.ts'
import { readNames } from '../../auth/read-names.ts'
import { placeholdersIn } from '../rules.ts'
import { readShown, type ServiceRow } from '../store.ts'
import { presentFound } from './listing-present.ts'
import { readRatings } from './listing-store.ts'
import { daysOf } from './market-rules.ts'
import { readTypicalPrice } from './market-store.ts'
import { readDaysOfCalls } from './rating-store.ts'

/**
 * Returns the texts for the page of a service; null if it is unknown or deleted, or it or its owner suspended. A description
 * that repeats the summary is empty.
 *
 * @param reference service id or agentToolName
 */
export async function readServiceTexts(
  deps: Pick<Deps, 'db'>,
  reference: string,
): Promise<Record<PageText, string> | null> {
  const row = await readShown(deps.db, reference)
  if (row === undefined) return null
  const { serviceName, summary, description } = row
  const about = summary || description || `${serviceName}, an API for agents. Each call is paid in USDC.`
  return { serviceName, summary, description: description === summary ? '' : description, about }
}

/** Public view of a target; its address is private to the provider. */
export type ShownTarget = { readonly url: string; readonly weight: number; readonly isHealthy: boolean }

/**
 * Returns a service with everything needed to call it, without its targets.
 *
 * @param reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND, also if it is deleted, or it or its owner suspended
 */
export async function readMarketService(
  deps: Pick<Deps, 'db' | 'clock'>,
  reference: string,
): Promise<MarketService> {
  const row = await assertShown(deps, reference)
  const [typicalPrice, ratings, days, names] = await Promise.all([
    readTypicalPrice(deps.db, row.id),
    readRatings(deps.db, [row.id]),
    readDaysOfCalls(deps.db, [row.id], SERVICE_DAYS_SHOWN),
    readNames(deps.db, [row.owner]),
  ])
  const provider = names.get(row.owner)?.username
  if (provider === undefined) throw new Error(`The owner of ${row.id} is unknown.`)
  const { method, timeoutMs, encoding, contentType, request, response, description } = row
  const { streamIdleTimeoutMs, streamMaxMs } = row
  return {
    ...presentFound({ ...row, typicalPrice }, ratings.get(row.id)),
    description,
    method,
    timeoutMs,
    streamIdleTimeoutMs,
    streamMaxMs,
    encoding,
    contentType,
    pathParameters: placeholdersIn(row.targets),
    request,
    response,
    provider,
    providerAddress: getAddress(row.owner),
    createdAt: row.createdAt.toISOString(),
    days: daysOf(days.get(row.id) ?? [], deps.clock.now(), SERVICE_DAYS_SHOWN),
  }
}

/**
 * Returns the public view of a service's targets.
 *
 * @throws GatewayError SERVICE_NOT_FOUND, also if it is deleted, or it or its owner suspended
 */
export async function readShownTargets(
  deps: Pick<Deps, 'db'>,
  reference: string,
): Promise<{ serviceId: string; provider: string; targets: readonly ShownTarget[] }> {
  const { id, owner, targets } = await assertShown(deps, reference)
  return { serviceId: id, provider: owner, targets }
}

async function assertShown(deps: Pick<Deps, 'db'>, reference: string): Promise<ServiceRow> {
  const row = await readShown(deps.db, reference)
  if (row === undefined) throw new GatewayError('SERVICE_NOT_FOUND')
  return row
}
