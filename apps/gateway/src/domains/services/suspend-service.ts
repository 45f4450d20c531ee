import { GatewayError } from '@farebox/wire/errors'
import type { ServiceStatus } from '@farebox/wire/services'
import { getAddress } from 'viem'
import type { Tx } from '../../ports.ts'
import { statusOf } from './rules.ts'
import { lockAnyService, type SuspendableRow, writeSuspension } from './suspension-store.ts'
import { schedule } from './targets/write-targets.ts'

/** A service as shown to admins. */
export type OverseenService = {
  readonly serviceId: string
  /** Checksummed. */
  readonly ownerAddress: string
  readonly agentToolName: string
  readonly serviceName: string
  readonly status: ServiceStatus
  readonly isActive: boolean
  /** ISO 8601; null while it is not suspended. */
  readonly suspendedAt: string | null
}

/** A service before and after; equal if nothing changed. */
export type ServiceChange = { readonly before: OverseenService; readonly after: OverseenService }

/**
 * Suspends a service: from the commit on callers do not find it, and no earlier quote is held, as its version
 * increases. Calls in flight end normally. It is not probed meanwhile.
 *
 * @param reference service id or agentToolName
 * @param reason shown to the owner
 * @throws GatewayError SERVICE_NOT_FOUND, SERVICE_ALREADY_DELETED
 */
export async function suspendService(
  tx: Tx,
  reference: string,
  reason: string | null,
): Promise<ServiceChange> {
  const before = await lockLiving(tx, reference)
  if (before.suspendedAt !== null) return { before: present(before), after: present(before) }
  const after = await writeSuspension(tx, before.id, { reason })
  await schedule(tx, before.id, 'never')
  return { before: present(before), after: present(after) }
}

/**
 * Lifts the suspension of a service. An active one is probed at once.
 *
 * @param reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND, SERVICE_ALREADY_DELETED
 */
export async function resumeService(tx: Tx, reference: string): Promise<ServiceChange> {
  const before = await lockLiving(tx, reference)
  if (before.suspendedAt === null) return { before: present(before), after: present(before) }
  const after = await writeSuspension(tx, before.id, null)
  if (after.isActive) await schedule(tx, before.id, 'now')
  return { before: present(before), after: present(after) }
}

async function lockLiving(tx: Tx, reference: string): Promise<SuspendableRow> {
  const row = await lockAnyService(tx, reference)
  if (row === undefined) throw new GatewayError('SERVICE_NOT_FOUND')
  if (row.deletedAt !== null) throw new GatewayError('SERVICE_ALREADY_DELETED', { serviceId: row.id })
  return row
}

function present(row: SuspendableRow): OverseenService {
  const { id: serviceId, owner, agentToolName, serviceName, isActive, suspendedAt } = row
  return {
    serviceId,
    ownerAddress: getAddress(owner),
    agentToolName,
    serviceName,
    status: statusOf(row),
    isActive,
    suspendedAt: suspendedAt?.toISOString() ?? null,
  }
}
