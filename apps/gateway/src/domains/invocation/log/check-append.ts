import type { Deps } from '../../../ports.ts'
import { append } from './append-store.ts'

/**
 * Appends nothing to the log: PostgreSQL checks the rights of the role, and that the server takes writes, before it
 * looks for rows.
 *
 * @throws Error if the database could not take the append of a paid call
 */
export async function checkAppend({ batchDb, clock }: Pick<Deps, 'batchDb' | 'clock'>): Promise<void> {
  await append(batchDb, [], { writer: 'readiness', now: new Date(clock.now()) })
}
