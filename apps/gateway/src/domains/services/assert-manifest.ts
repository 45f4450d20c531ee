import type { UpdateServiceBody } from '@farebox/wire/manifest'
import type { Address } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { assertOwnAddress } from '../auth/own-address.ts'
import { hasSigningSecret } from '../signing/has-signing-secret.ts'
import type { Pricing } from './pricing/pricing-rules.ts'
import { issuesOfShapeByTurns } from './request-shape.ts'
import { faultOfToolName, invalidManifest } from './rules.ts'

/**
 * Checks what the zod schema cannot: the JSON Schemas of a manifest, whether its calls can be made, and its targets.
 *
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`, UNSAFE_TARGET_URL with `detail.reason`, UNAVAILABLE
 */
export async function assertManifest(
  deps: Pick<Deps, 'upstream'>,
  { invoke, model, owner }: Pick<UpdateServiceBody, 'invoke'> & Pick<Pricing, 'model'> & { owner: Address },
): Promise<void> {
  if (invoke === undefined) return
  const error = invalidManifest(await issuesOfShapeByTurns(invoke, model))
  if (error !== null) throw error
  await Promise.all(invoke.targets.map(({ url }) => deps.upstream.assertSafeTarget(url, owner)))
}

/**
 * Checks that a manifest's payout account is the wallet that is paid: its address as text, or as `address` of an
 * object.
 *
 * @throws GatewayError INVALID_ADDRESS
 */
export function assertPayoutAccount(payoutAccount: unknown, wallet: Address): void {
  if (payoutAccount === undefined || payoutAccount === null) return
  const isObject = typeof payoutAccount === 'object' && 'address' in payoutAccount
  assertOwnAddress(isObject ? payoutAccount.address : payoutAccount, { wallet, member: 'payoutAccount' })
}

/**
 * Checks a new tool name. A name that the service already has may be of an older form.
 *
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`
 */
export function assertToolName(name: string): void {
  const message = faultOfToolName(name)
  const error = message === null ? null : invalidManifest([{ path: 'agentToolName', message }])
  if (error !== null) throw error
}

/**
 * Checks that the owner has the signing secret that a manifest requires; locks it until `tx` ends.
 *
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`
 */
export async function assertSignable(
  tx: Tx,
  { owner, signature }: { owner: Address; signature: UpdateServiceBody['signature'] },
): Promise<void> {
  if (signature !== 'hmac-sha256' || (await hasSigningSecret(tx, owner))) return
  const message = 'The wallet has no signing secret. Issue one first by POST /api/v1/secrets/signing.'
  const error = invalidManifest([{ path: 'signature', message }])
  if (error !== null) throw error
}
