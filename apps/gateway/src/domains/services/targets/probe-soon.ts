import type { Deps } from '../../../ports.ts'
import type { BreakerTarget } from './breakers.ts'
import { makeDue } from './target-store.ts'

/** Has a target that is taken for healthy probed at the next look. One that is not probed at all stays so. */
export function probeSoon(deps: Pick<Deps, 'db'>, target: BreakerTarget): Promise<void> {
  return makeDue(deps.db, target)
}
