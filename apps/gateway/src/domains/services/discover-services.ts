import type { ServiceSummary } from '@farebox/wire/services'
import type { Deps } from '../../ports.ts'
import { presentSummary } from './present.ts'
import { likeAnywhere } from './rules.ts'
import { readDiscoverable } from './store.ts'

/**
 * Services that can be called now: active, with a healthy target. Newest first.
 *
 * @param query.text free text that names or descriptions must hold, in any case; wildcards have no meaning in it
 */
export async function discoverServices(
  deps: Pick<Deps, 'db'>,
  query: { text: string; limit: number },
): Promise<ServiceSummary[]> {
  const text = query.text.trim()
  const like = text === '' ? null : likeAnywhere(text)
  return (await readDiscoverable(deps.db, { like, limit: query.limit })).map(presentSummary)
}
