import type { Deps } from '../../ports.ts'
import { readServiceId } from './store.ts'

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
