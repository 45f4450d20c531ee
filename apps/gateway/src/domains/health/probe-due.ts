import type { Log } from '../../ports.ts'
import {
  claimDueTargets,
  countProbedTargets,
  type DueTarget,
  isAnyTargetDue,
} from '../services/targets/claim-due-targets.ts'
import { createFindingRecorder, type FindingRecorder } from './finding-recorder.ts'
import type { ProbeDeps } from './probe-service.ts'
import { createProbeSlots, type ProbeSlots } from './probe-slots.ts'
import { requestProbe } from './request-probe.ts'
import { paceOf } from './rules.ts'

/** Maximum number of concurrent probes of this process. */
const PROBES_AT_ONCE_MAX = 256
/** Maximum number of concurrent probes of one host, half of them for one provider, and of the targets of a provider. */
const PROBES_PER_HOST_MAX = 16
const PROBES_PER_OWNER_MAX = 32
/** Maximum number of claimed targets without a written finding. */
const PENDING_MAX = 50_000
/**
 * Interval between searches for due targets while probes are in flight, in ms; at most a quarter of the probe interval.
 */
const LOOK_AGAIN_MS = 200
/** Time for which findings are batched, in ms; at most a quarter of the probe interval. */
const WRITE_EVERY_MS = 200
/**
 * Delay before a healthy target that failed is probed again, in ms; at most a tenth of the probe interval; jittered.
 */
const ASK_AGAIN_MS = 2_000
/** Interval at which targets are counted, in ms. */
const RECOUNT_EVERY_MS = 30_000
/** Maximum wait for probes in flight when the gateway stops, in ms. */
const STOP_WAIT_MS = 1_000

type DueDeps = ProbeDeps & { readonly log: Log }
type Tools = { readonly slots: ProbeSlots; readonly recorder: FindingRecorder; readonly intervalMs: number }

/**
 * Probes all due targets, until none is due or the gateway stops. When all are due at once, as after a pause of the
 * gateway, it starts them at twice the usual rate. A target, host or provider that hangs uses only its own slots and
 * does not block others.
 */
export async function probeDue(deps: DueDeps, signal: AbortSignal): Promise<void> {
  const intervalSeconds = deps.config.PROBE_INTERVAL_SECONDS
  if (!(await isAnyTargetDue(deps, { intervalSeconds }))) return
  const intervalMs = intervalSeconds * 1_000
  const tools: Tools = {
    slots: createProbeSlots({
      atOnce: PROBES_AT_ONCE_MAX,
      perHost: PROBES_PER_HOST_MAX,
      perOwner: PROBES_PER_OWNER_MAX,
    }),
    recorder: createFindingRecorder(deps, Math.min(WRITE_EVERY_MS, intervalMs / 4)),
    intervalMs,
  }
  const inFlight = new Map<string, Promise<void>>()
  const pace = await keepPace(deps)

  while (!signal.aborted) {
    const budget = await pace.budget()
    const limit = Math.min(tools.slots.free(), budget, PENDING_MAX - inFlight.size)
    const targets = limit <= 0 ? [] : await claimDueTargets(deps, { limit, intervalSeconds })
    pace.spend(targets.length)
    for (const target of targets) begin(deps, tools, target, inFlight)
    if (limit > 0 && inFlight.size === 0) return
    await deps.clock.pause(Math.min(LOOK_AGAIN_MS, intervalMs / 4))
  }
  await Promise.race([Promise.all(inFlight.values()), deps.clock.pause(STOP_WAIT_MS)])
}

/** Returns a token bucket of probes to start, with a capacity of one second. */
async function keepPace(deps: DueDeps) {
  const intervalSeconds = deps.config.PROBE_INTERVAL_SECONDS
  const count = async () => paceOf(await countProbedTargets(deps), intervalSeconds)
  let perSecond = await count()
  let budget = perSecond
  let lookedAt = deps.clock.now()
  let countedAt = lookedAt
  return {
    async budget(): Promise<number> {
      const now = deps.clock.now()
      if (now - countedAt >= RECOUNT_EVERY_MS) {
        perSecond = await count()
        countedAt = now
      }
      budget = Math.min(perSecond, budget + (perSecond * Math.max(0, now - lookedAt)) / 1_000)
      lookedAt = now
      return Math.floor(budget)
    },
    spend(probes: number): void {
      budget -= probes
    },
  }
}

/** Starts a probe, unless the previous one of the same target is still pending. */
function begin(deps: DueDeps, tools: Tools, target: DueTarget, inFlight: Map<string, Promise<void>>): void {
  const key = `${target.serviceId} ${target.url}`
  if (inFlight.has(key)) return
  const probe = probeInTurn(deps, tools, target)
    .catch((error: unknown) => deps.log.warn({ serviceId: target.serviceId, err: error }, 'a probe was lost'))
    .finally(() => inFlight.delete(key))
  inFlight.set(key, probe)
}

/** Runs a scheduled probe. The failure of a healthy target counts only if a second attempt fails as well. */
async function probeInTurn(deps: DueDeps, { slots, recorder, intervalMs }: Tools, target: DueTarget) {
  const { serviceId, owner } = target
  const who = { host: new URL(target.url).host, owner }
  const ask = () => slots.run(who, () => requestProbe(deps, target, { requestsMax: 1, purpose: 'probe' }))
  let finding = await ask()
  if (target.isHealthy && !finding.isHealthy) {
    await deps.clock.pause(Math.min(ASK_AGAIN_MS, intervalMs / 10) * (0.5 + deps.ids.random()))
    finding = await ask()
  }
  await recorder.record({ ...finding, serviceId, nextInSeconds: null })
}
