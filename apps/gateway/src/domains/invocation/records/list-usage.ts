import type { EarnedCall, UsageLog } from '@farebox/wire/usage'
import { cursorOf, keyOfCursor, type Page, pageOf } from '../../../http/paging.ts'
import type { Deps } from '../../../ports.ts'
import { idAfter } from '../../../runtime/id-times.ts'
import { resolveServiceId } from '../../services/resolve-service-id.ts'
import { isTerminal } from '../rules.ts'
import { presentEarned, presentUsage } from './present.ts'
import {
  findScanEnd,
  type InvocationFilter,
  type InvocationQuery,
  type InvocationRow,
  listInvocations,
  listOpenInvocations,
  type Party,
} from './store.ts'

/**
 * Maximum calls scanned for one page: some tens of ms. A selective filter leaves a page short, or even empty; its
 * cursor continues after the scanned calls.
 */
const SCAN_MAX = 20_000
/** Ids are ordered by the clocks of gateways, draws by that of the database: their maximum difference, in ms. */
const ORDER_SLACK_MS = 86_400_000

/** Filter and page. `filter.serviceId` is a service id or an agentToolName. */
type Query = {
  readonly filter: InvocationFilter
  readonly cursor: string | undefined
  readonly limit: number
}

/**
 * Returns one page of the calls of a wallet's credentials, newest first.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listUsage(
  deps: Pick<Deps, 'db'>,
  { owner, ...query }: Query & { readonly owner: string },
): Promise<{ logs: UsageLog[]; nextCursor: string | null }> {
  const { items, nextCursor } = await listCalls(deps, { owner }, query)
  return { logs: items.map(presentUsage), nextCursor }
}

/**
 * Returns one page of the calls to a wallet's services, newest first, as shown to their provider.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listEarned(
  deps: Pick<Deps, 'db'>,
  { provider, ...query }: Query & { readonly provider: string },
): Promise<{ invocations: EarnedCall[]; nextCursor: string | null }> {
  const { items, nextCursor } = await listCalls(deps, { provider }, query)
  return { invocations: items.map(presentEarned), nextCursor }
}

async function listCalls(deps: Pick<Deps, 'db'>, party: Party, query: Query): Promise<Page<InvocationRow>> {
  const { limit, filter } = query
  const { serviceId: reference, to } = filter
  // Scans begin at the end of the time span, not at the newest call.
  const beforeId = keyOfCursor(query.cursor, /^inv_/) ?? (to === undefined ? null : idAfter(to))
  const serviceId = reference === undefined ? undefined : await resolveServiceId(deps, reference)
  if (serviceId === null) return { items: [], nextCursor: null }
  const asked = { party, filter: { ...filter, serviceId }, beforeId }
  const { status } = filter
  if (status !== undefined && status !== 'FAILED' && !isTerminal(status)) {
    return pageOf(await listOpenInvocations(deps.db, { ...asked, limit: limit + 1 }), limit, row => row.id)
  }
  const rows = await listInvocations(deps.db, { ...asked, limit: limit + 1, scanMax: SCAN_MAX })
  if (rows.length > limit) return pageOf(rows, limit, row => row.id)
  return { items: rows, nextCursor: await cursorAfterScan(deps, asked, rows) }
}

/** Returns where the next page continues if the scanned calls did not fill this one; null at the end. */
async function cursorAfterScan(
  { db }: Pick<Deps, 'db'>,
  asked: InvocationQuery,
  rows: readonly InvocationRow[],
): Promise<string | null> {
  const end = await findScanEnd(db, { ...asked, scanMax: SCAN_MAX })
  const { from } = asked.filter
  if (end === null || (from !== undefined && end.drawnAt.getTime() < from.getTime() - ORDER_SLACK_MS))
    return null
  // Calls added between the two reads would have moved the end before calls on this page.
  const last = rows.at(-1)?.id
  return cursorOf(last !== undefined && last < end.id ? last : end.id)
}
