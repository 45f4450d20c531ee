import type { Deps } from '../../ports.ts'
import type { FailingTarget } from '../services/breakers.ts'
import { markFailing } from '../services/mark-failing.ts'
import { probeSoon } from '../services/probe-soon.ts'
import { announceTurned } from './announce-turned.ts'
import type { KeepDeps } from './keep-findings.ts'
import { insertFailing } from './store.ts'

/** Reports under way at once; a target whose report is left out is reported when it fails its next trial. */
const REPORTS_AT_ONCE_MAX = 32

/** Takes the word of live traffic for it that a target fails. */
export type FailureReporter = (target: FailingTarget) => void

/**
 * Has every gateway know what the breakers of this one have found: the target is unhealthy until a probe says
 * otherwise, and discovery does not offer what would not be called. One that is only suspect is probed at once, and the
 * probe decides. Nobody waits for either.
 */
export function createFailureReporter(deps: KeepDeps & Pick<Deps, 'clock' | 'log'>): FailureReporter {
  let underWay = 0
  return target => {
    if (underWay >= REPORTS_AT_ONCE_MAX) return
    underWay += 1
    void reportFailing(deps, target)
      .catch((error: unknown) =>
        deps.log.warn({ ...target, err: error }, 'a failing target was not reported'),
      )
      .finally(() => {
        underWay -= 1
      })
  }
}

async function reportFailing(
  deps: KeepDeps & Pick<Deps, 'clock'>,
  { verdict, ...target }: FailingTarget,
): Promise<void> {
  if (verdict === 'suspect') return probeSoon(deps, target)
  const at = new Date(deps.clock.now())
  const isNews = await deps.db.transaction(async tx => {
    const turned = await markFailing(tx, target)
    if (turned === null) return false
    await insertFailing(tx, { ...target, at })
    await announceTurned(deps, tx, turned)
    return true
  })
  if (isNews) deps.directory.forget(target.serviceId)
}
