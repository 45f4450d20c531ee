import type { Deps } from '../../ports.ts'
import type { ServiceDirectory } from '../services/find-callable.ts'
import { type MarkedTarget, markHealth } from '../services/targets/mark-health.ts'
import { announceTurned } from './announce-turned.ts'
import type { Finding } from './request-probe.ts'
import { insertProbes } from './store.ts'

/** A finding to write. */
export type KeptFinding = Finding & {
  readonly serviceId: string
  /** Seconds until the next probe of the target; null: as scheduled. */
  readonly nextInSeconds: number | null
}

/** Dependencies of writing findings. */
export type KeepDeps = Pick<Deps, 'db' | 'ids'> & { readonly directory: Pick<ServiceDirectory, 'forget'> }

/**
 * Writes findings of probes in one transaction: the state of the targets, and the history.
 *
 * @param options.isPatient true to wait for locked targets
 * @returns the outcome of each
 */
export async function keepFindings(
  deps: KeepDeps,
  findings: readonly KeptFinding[],
  options: { isPatient: boolean },
): Promise<readonly MarkedTarget[]> {
  const probes = findings.map(finding => ({ ...finding, isSuccess: finding.isHealthy }))
  const { marked } = await deps.db.transaction(async tx => {
    const result = await markHealth(tx, probes, options)
    const kept = findings.flatMap((finding, index) => {
      const mark = result.marked[index]
      return mark?.kind === 'marked' ? [{ ...finding, isLandmark: mark.isLandmark }] : []
    })
    if (kept.length > 0) await insertProbes(tx, kept)
    await announceTurned(deps, tx, result.turned)
    return result
  })
  const changed = findings.filter((_, index) => {
    const mark = marked[index]
    return mark?.kind === 'marked' && mark.isChanged
  })
  for (const serviceId of new Set(changed.map(finding => finding.serviceId))) deps.directory.forget(serviceId)
  return marked
}
