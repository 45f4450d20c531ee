import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '@farebox/wire/errors'
import type { UpdateServiceBody } from '@farebox/wire/manifest'
import { SIGNATURE_DEFAULT } from '@farebox/wire/signing-secrets'
import type { Address } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { assertManifest, assertPayoutAccount, assertSignable, assertToolName } from './assert-manifest.ts'
import { rateServices } from './discovery/rate-services.ts'
import { lockChangeable } from './lock-changeable.ts'
import { noticeOf } from './pricing/price-notice-rules.ts'
import { pricingFrom } from './pricing/pricing-rules.ts'
import { activityAskedFor } from './rules.ts'
import { type ServiceManifest, type ServiceRow, writeManifest } from './store.ts'
import { type AdmitProbe, type ProofDeps, proveTargets } from './targets/prove-targets.ts'
import { writeTargetProof } from './targets/target-store.ts'
import { sealHeaders } from './targets/upstream-headers.ts'
import { schedule, writeTargets } from './targets/write-targets.ts'
import { claimToolName, countLeftNames } from './tool-name-store.ts'

/** Maximum names that a service may leave within 30 days: no other service gets them meanwhile. */
const LEFT_NAMES_MAX = 10

/**
 * Changes a service: each member present replaces the stored one as a whole. Calls in flight keep their quote, and
 * callers who state no price pay a higher one only after `PRICE_NOTICE_SECONDS`.
 *
 * @param input.reference service id or agentToolName
 * @returns the id, and whether to probe the targets now
 * @throws GatewayError SERVICE_NOT_FOUND (also for another owner's), SERVICE_ALREADY_DELETED, SERVICE_SUSPENDED,
 * INVALID_MANIFEST, INVALID_ADDRESS, UNSAFE_TARGET_URL, DUPLICATE_SERVICE_ID, LIMIT_EXCEEDED
 */
export async function updateService(
  deps: Pick<Deps, 'db' | 'secretBox'> & ProofDeps & { readonly admitProbe: AdmitProbe },
  input: { owner: Address; reference: string; changes: UpdateServiceBody },
): Promise<{ serviceId: string; needsProbe: boolean }> {
  const { owner, reference, changes } = input
  const { invoke, agentToolName } = changes
  // Before any network access: strangers must not make us resolve names.
  const found = await deps.db.transaction(tx => lockChangeable(tx, { reference, owner }))
  pricingFrom(changes, found.pricing) // What it refuses is refused without looking targets up.
  assertPayoutAccount(changes.payoutAccount, owner)
  await assertManifest(deps, { invoke, model: found.pricing.model, owner })
  const isAdmitted = asksTargets(found, changes) && (await deps.admitProbe(probeOf(found, changes)))
  const isVerified =
    invoke !== undefined && (await proveTargets(deps, { owner, targets: invoke.targets, isAdmitted }))
  // Beyond the limits no series of changes may make the schedule probe sooner.
  const probeBy = isAdmitted ? undefined : deps.config.PROBE_INTERVAL_SECONDS

  return deps.db.transaction(async tx => {
    const before = await lockChangeable(tx, { reference, owner })
    const isRenamed = typeof agentToolName === 'string' && agentToolName !== before.agentToolName
    if (isRenamed) await rename(tx, before.id, agentToolName)
    await assertSignable(tx, { owner, signature: changes.signature })
    const after = merge(before, changes)
    const headers = changes.upstreamHeaders
    const upstreamHeaders =
      headers === undefined ? before.upstreamHeaders : sealHeaders(deps.secretBox, before.id, headers)
    const noticeSeconds = deps.config.PRICE_NOTICE_SECONDS
    const notice = noticeSeconds === 0 ? null : noticeOf(before, after.pricing)
    await writeManifest(tx, before.id, { ...after, upstreamHeaders, notice, noticeSeconds })
    if (!isDeepStrictEqual(after.pricing, before.pricing)) await rateServices(tx, [before.id])
    if (invoke !== undefined) {
      await writeTargets(tx, before.id, invoke.targets, probeBy)
      await writeTargetProof(tx, { serviceId: before.id, isVerified })
    }
    const isReactivated = after.isActive && !before.isActive
    if (!after.isActive) await schedule(tx, before.id, 'never')
    else if (isReactivated) await schedule(tx, before.id, probeBy ?? 'now')
    return { serviceId: before.id, needsProbe: after.isActive && isAdmitted }
  })
}

async function rename(tx: Tx, serviceId: string, agentToolName: string): Promise<void> {
  assertToolName(agentToolName)
  const isClaimed = await claimToolName(tx, agentToolName, serviceId)
  if (!isClaimed) throw new GatewayError('DUPLICATE_SERVICE_ID', { agentToolName })
  if ((await countLeftNames(tx, serviceId)) <= LEFT_NAMES_MAX) return
  const message = `A service may leave ${LEFT_NAMES_MAX} names within 30 days. Choose one of its former names, or wait.`
  throw new GatewayError('LIMIT_EXCEEDED', { limit: 'names_per_service' }, { message })
}

/** Returns true if a change sends requests to the targets: for their proof, or a probe. */
function asksTargets(before: ServiceRow, changes: UpdateServiceBody): boolean {
  const { invoke, upstreamHeaders, healthCheck, signature } = changes
  if (invoke !== undefined) return true
  const isActive = activityAskedFor(changes) ?? before.isActive
  const isSignedAnew = (cleared(signature, SIGNATURE_DEFAULT) ?? before.signature) !== before.signature
  const isProbedAnew = [upstreamHeaders, healthCheck].some(change => change !== undefined) || isSignedAnew
  return isActive && (isProbedAnew || !before.isActive)
}

/** Returns the probe of a changed service, to be counted. */
function probeOf({ id, targets }: ServiceRow, { invoke }: UpdateServiceBody): Parameters<AdmitProbe>[0] {
  return { serviceId: id, urls: (invoke?.targets ?? targets).map(({ url }) => url) }
}

function merge(before: ServiceRow, changes: UpdateServiceBody): Omit<ServiceManifest, 'upstreamHeaders'> {
  const { invoke } = changes
  return {
    agentToolName: changes.agentToolName ?? before.agentToolName,
    serviceName: changes.serviceName ?? before.serviceName,
    summary: cleared(changes.summary, '') ?? before.summary,
    description: cleared(changes.description, '') ?? before.description,
    tags: cleared(changes.tags, []) ?? before.tags,
    pricing: pricingFrom(changes, before.pricing),
    method: invoke?.method ?? before.method,
    timeoutMs: invoke?.timeoutMs ?? before.timeoutMs,
    streamIdleTimeoutMs: invoke?.streamIdleTimeoutMs ?? before.streamIdleTimeoutMs,
    streamMaxMs: invoke?.streamMaxMs ?? before.streamMaxMs,
    encoding: invoke?.encoding ?? before.encoding,
    contentType: invoke === undefined ? before.contentType : (invoke.contentType ?? null),
    request: invoke?.request ?? before.request,
    response: invoke?.response ?? before.response,
    healthCheck: changes.healthCheck === undefined ? before.healthCheck : changes.healthCheck,
    signature: cleared(changes.signature, SIGNATURE_DEFAULT) ?? before.signature,
    providerProfile: changes.providerProfile === undefined ? before.providerProfile : changes.providerProfile,
    payoutAccount: changes.payoutAccount === undefined ? before.payoutAccount : changes.payoutAccount,
    governance: changes.governance === undefined ? before.governance : changes.governance,
    isActive: activityAskedFor(changes) ?? before.isActive,
  }
}

/** Null resets a member to its default. */
function cleared<Value>(change: Value | null | undefined, none: Value): Value | undefined {
  return change === null ? none : change
}
