import type { Deps, Queryable } from '../../ports.ts'
import { readServiceId, readUnknownReferences } from './store.ts'

/**
 * Returns the id of a referenced service in any state, of any owner. For records stored by service id, which check
 * access themselves.
 *
 * @param reference service id or agentToolName
 * @returns null if no service ever had that name
 */
export function resolveServiceId(deps: Pick<Deps, 'db'>, reference: string): Promise<string | null> {
  return readServiceId(deps.db, reference)
}

/** Returns those service ids and agentToolNames that match no service, or a deleted one. */
export function findUnknownServices(db: Queryable, references: readonly string[]): Promise<string[]> {
  return readUnknownReferences(db, references)
}
