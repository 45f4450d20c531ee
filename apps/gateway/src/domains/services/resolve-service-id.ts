import type { Deps, Queryable } from '../../ports.ts'
import { readServiceId, readUnknownReferences } from './store.ts'

/**
 * The id of the service that a reference means, whatever its state and whoever owns it. For records that are kept by
 * service id: what they hold is guarded where it is read.
 *
 * @param reference service id or agentToolName
 * @returns null when no service ever had that name
 */
export function resolveServiceId(deps: Pick<Deps, 'db'>, reference: string): Promise<string | null> {
  return readServiceId(deps.db, reference)
}

/** Returns which of these service ids and agentToolNames mean no service, or one that is deleted. */
export function findUnknownServices(db: Queryable, references: readonly string[]): Promise<string[]> {
  return readUnknownReferences(db, references)
}
