import type { Deps } from '../../../ports.ts'
import type { BreakerTarget } from './breakers.ts'
import { makeDue } from './target-store.ts'

/** Makes a healthy target due for its probe. A target that is not probed stays so. */
export function probeSoon(deps: Pick<Deps, 'db'>, target: BreakerTarget): Promise<void> {
  return makeDue(deps.db, target)
}
