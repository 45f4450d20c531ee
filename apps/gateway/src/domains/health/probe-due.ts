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

/** Probes under way at once in this process. */
const PROBES_AT_ONCE_MAX = 256
/** Of these to one host, and to the targets of one provider. */
const PROBES_PER_HOST_MAX = 16
const PROBES_PER_OWNER_MAX = 32
/** Targets claimed and not written yet. */
const PENDING_MAX = 50_000
/** Pause before due targets are looked for again while probes are under way, in ms; at most a quarter of the interval. */
const LOOK_AGAIN_MS = 200
/** Pause in which findings gather before they are written, in ms; at most a quarter of the interval. */
const WRITE_EVERY_MS = 200
/** A healthy target that fails is asked again after this time, in ms, at most a tenth of the interval; jittered. */
const ASK_AGAIN_MS = 2_000
/** How often the targets are counted, in ms. */
const RECOUNT_EVERY_MS = 30_000
/** Longest wait for probes under way when the gateway stops, in ms. */
const STOP_WAIT_MS = 1_000

type DueDeps = ProbeDeps & { readonly log: Log }
type Tools = { readonly slots: ProbeSlots; readonly recorder: FindingRecorder; readonly intervalMs: number }

/**
 * Probes every target that is due, until none is or the gateway stops. Targets that are due all at once, as after a
 * pause of the gateway, are taken at twice the pace of ordinary days; a target, a host or a provider that hangs takes
 * its own places and holds up no other.
 */
export async function probeDue(deps: DueDeps, signal: AbortSignal): Promise<void> {
  if (!(await isAnyTargetDue(deps))) return
  const intervalSeconds = deps.config.PROBE_INTERVAL_SECONDS
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

/** How many probes may be started now: a second's worth at first, then as many as time has brought. */
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

/** Starts a probe, unless the one before of the same target is still waiting for its turn. */
function begin(deps: DueDeps, tools: Tools, target: DueTarget, inFlight: Map<string, Promise<void>>): void {
  const key = `${target.serviceId} ${target.url}`
  if (inFlight.has(key)) return
  const probe = probeInTurn(deps, tools, target)
    .catch((error: unknown) => deps.log.warn({ serviceId: target.serviceId, err: error }, 'a probe was lost'))
    .finally(() => inFlight.delete(key))
  inFlight.set(key, probe)
}

/** One probe. Of a healthy target a failure counts only when it fails again a little later. */
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
