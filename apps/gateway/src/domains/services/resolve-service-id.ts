import type { Deps, Queryable } from '../../ports.ts'
import { placeholdersIn } from './rules.ts'
import { readService, readServiceId, readUnknownReferences } from './store.ts'

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

/**
 * Returns the id of a referenced service in any state, of any owner, and the names in the paths of its targets; null if
 * no service ever had that name. For requests that were read while it could be called.
 */
export async function readPlaceholders(
  db: Queryable,
  reference: string,
): Promise<{ readonly id: string; readonly placeholders: readonly string[] } | null> {
  const row = await readService(db, reference)
  return row === undefined ? null : { id: row.id, placeholders: placeholdersIn(row.targets) }
}

/** Returns those service ids and agentToolNames that match no service, or a deleted one. */
export function findUnknownServices(db: Queryable, references: readonly string[]): Promise<string[]> {
  return readUnknownReferences(db, references)
}
