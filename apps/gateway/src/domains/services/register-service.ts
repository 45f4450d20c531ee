import { GatewayError } from '@farebox/wire/errors'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import type { ServiceRecord } from '@farebox/wire/services'
import { SIGNATURE_DEFAULT } from '@farebox/wire/signing-secrets'
import type { Address } from 'viem'
import type { Deps, Ids, Queryable, Tx } from '../../ports.ts'
import { markProvider } from '../auth/mark-provider.ts'
import { assertManifest, assertPayoutAccount, assertSignable, assertToolName } from './assert-manifest.ts'
import { pricingFrom, pricingWarnings } from './pricing/pricing-rules.ts'
import { deriveToolName, startsActive } from './rules.ts'
import { countServicesOf, insertService } from './store.ts'
import { type AdmitProbe, type ProofDeps, proveTargets } from './targets/prove-targets.ts'
import { writeTargetProof } from './targets/target-store.ts'
import { sealHeaders } from './targets/upstream-headers.ts'
import { schedule, writeTargets } from './targets/write-targets.ts'
import { claimToolName } from './tool-name-store.ts'

/** Maximum services of a wallet, without deleted ones. */
export const SERVICES_PER_WALLET_MAX = 1_000
/** Attempts to find a free tool name if none was given. */
const NAME_ATTEMPTS_MAX = 5
const NAME_SUFFIX_BYTES = 3

/**
 * Registers a service. Unless its manifest says otherwise it is active at once, and callable once a probe finds a
 * target healthy. The wallet becomes a provider with its first service.
 *
 * @param input.owner wallet in lower case
 * @returns the id of the service, whether to probe it now, and warnings
 * @throws GatewayError INVALID_MANIFEST, INVALID_ADDRESS, UNSAFE_TARGET_URL, DUPLICATE_SERVICE_ID, LIMIT_EXCEEDED
 */
export async function registerService(
  deps: Pick<Deps, 'db' | 'ids' | 'secretBox'> & ProofDeps & { readonly admitProbe: AdmitProbe },
  input: { owner: Address; manifest: RegisterServiceBody },
): Promise<{ serviceId: ServiceRecord['serviceId']; needsProbe: boolean; warnings: string[] }> {
  const { owner, manifest } = input
  const pricing = pricingFrom(manifest, null)
  assertPayoutAccount(manifest.payoutAccount, owner)
  const isActive = startsActive(manifest)
  const { invoke } = manifest
  await assertRoom(deps.db, owner) // Before anything is requested from the targets.
  await assertManifest(deps, { invoke, model: pricing.model, owner })
  const serviceId = deps.ids.next('svc')
  const isAdmitted = await deps.admitProbe({ serviceId, urls: invoke.targets.map(({ url }) => url) })
  const isVerified = await proveTargets(deps, { owner, targets: invoke.targets, isAdmitted })

  await deps.db.transaction(async tx => {
    await assertRoom(tx, owner)
    await markProvider(tx, owner)
    await assertSignable(tx, { owner, signature: manifest.signature })
    const asked = manifest.agentToolName ?? manifest.serviceId ?? null
    const agentToolName = await nameService(tx, deps.ids, {
      serviceId,
      asked,
      serviceName: manifest.serviceName,
    })
    await insertService(tx, {
      id: serviceId,
      owner,
      agentToolName,
      serviceName: manifest.serviceName,
      summary: manifest.summary ?? '',
      description: manifest.description ?? '',
      tags: manifest.tags ?? [],
      pricing,
      method: invoke.method,
      timeoutMs: invoke.timeoutMs,
      streamIdleTimeoutMs: invoke.streamIdleTimeoutMs,
      streamMaxMs: invoke.streamMaxMs,
      encoding: invoke.encoding,
      contentType: invoke.contentType ?? null,
      request: invoke.request,
      response: invoke.response,
      healthCheck: manifest.healthCheck ?? null,
      upstreamHeaders: sealHeaders(deps.secretBox, serviceId, manifest.upstreamHeaders),
      signature: manifest.signature ?? SIGNATURE_DEFAULT,
      providerProfile: manifest.providerProfile ?? null,
      payoutAccount: manifest.payoutAccount ?? null,
      governance: manifest.governance ?? null,
      isActive,
    })
    await writeTargets(tx, serviceId, invoke.targets)
    await writeTargetProof(tx, { serviceId, isVerified })
    if (!isActive) await schedule(tx, serviceId, 'never')
  })
  return { serviceId, needsProbe: isActive && isAdmitted, warnings: pricingWarnings(manifest, pricing) }
}

async function assertRoom(db: Queryable, owner: Address): Promise<void> {
  if ((await countServicesOf(db, owner)) < SERVICES_PER_WALLET_MAX) return
  const message = `A wallet may have ${SERVICES_PER_WALLET_MAX} services.`
  throw new GatewayError('LIMIT_EXCEEDED', { limit: 'services_per_wallet' }, { message })
}

async function nameService(
  tx: Tx,
  ids: Ids,
  service: { serviceId: string; asked: string | null; serviceName: string },
): Promise<string> {
  const { serviceId, asked, serviceName } = service
  if (asked !== null) {
    assertToolName(asked)
    if (await claimToolName(tx, asked, serviceId)) return asked
    throw new GatewayError('DUPLICATE_SERVICE_ID', { agentToolName: asked })
  }
  for (let attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt += 1) {
    const name = deriveToolName(serviceName, attempt === 0 ? '' : ids.nonce(NAME_SUFFIX_BYTES))
    if (await claimToolName(tx, name, serviceId)) return name
  }
  throw new GatewayError('DUPLICATE_SERVICE_ID', { agentToolName: deriveToolName(serviceName, '') })
}
