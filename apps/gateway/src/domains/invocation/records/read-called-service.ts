import type { Deps } from '../../../ports.ts'
import { readInvocation } from './store.ts'

/** Returns the id of the service that a call was made to; null if there is no such call. */
export async function readCalledService(
  deps: Pick<Deps, 'db'>,
  invocationId: string,
): Promise<string | null> {
  return (await readInvocation(deps.db, invocationId))?.serviceId ?? null
}
