import { GatewayError } from '@farebox/wire/errors'
import { type Address, getAddress } from 'viem'
import type { Deps } from '../../../ports.ts'
import { judgeProof, type TargetProof } from './target-proof-rules.ts'

/** Path of the file that names the wallets allowed to have targets at a server. */
const PROOF_PATH = '/.well-known/farebox.json'
/** Maximum size of that file, in bytes: more than a thousand wallets. A larger one counts as absent. */
const PROOF_BYTES_MAX = 65_536
/** Timeout, in ms; the registration waits for it. */
const PROOF_TIMEOUT_MS = 3_000

/**
 * Checks at the origin of each target whether a wallet may have services there. Redirects are not followed; a server
 * that does not answer or lacks the file counts as absent.
 *
 * @param input.owner   wallet in lower case
 * @param input.targets already checked for safety
 * @returns true if every target names the wallet
 * @throws GatewayError UNSAFE_TARGET_URL with `detail.reason`: `not_listed` if a file does not name it, `not_proven` if
 * one is missing and `REQUIRE_TARGET_PROOF` is on
 */
export async function proveTargets(
  deps: Pick<Deps, 'upstream' | 'config'>,
  input: { owner: Address; targets: readonly { url: string }[] },
): Promise<boolean> {
  const origins = [...new Set(input.targets.map(({ url }) => new URL(url).origin))]
  const proofs = await Promise.all(
    origins.map(async origin => ({
      url: origin + PROOF_PATH,
      proof: await askOrigin(deps, origin, input.owner),
    })),
  )
  const urlOf = (proof: TargetProof) => proofs.find(each => each.proof === proof)?.url
  const wallet = getAddress(input.owner)
  const other = urlOf('other')
  if (other !== undefined) {
    const message = `${other} does not name ${wallet}. Add it there to "providers", and send the request again.`
    throw new GatewayError('UNSAFE_TARGET_URL', { reason: 'not_listed', url: other }, { message })
  }
  const absent = urlOf('absent')
  if (absent !== undefined && deps.config.REQUIRE_TARGET_PROOF) {
    const message = `Publish {"providers": ["${wallet}"]} at ${absent}, and send the request again.`
    throw new GatewayError('UNSAFE_TARGET_URL', { reason: 'not_proven', url: absent }, { message })
  }
  return absent === undefined
}

async function askOrigin(
  { upstream }: Pick<Deps, 'upstream'>,
  origin: string,
  owner: Address,
): Promise<TargetProof> {
  const answer = await upstream.send({
    url: origin + PROOF_PATH,
    method: 'GET',
    headers: { 'user-agent': 'Farebox-Probe', accept: 'application/json' },
    body: null,
    timeoutMs: PROOF_TIMEOUT_MS,
    responseBytesMax: PROOF_BYTES_MAX,
    isUnsigned: true,
  })
  if ('failure' in answer) return 'absent'
  const { status, contentType, body } = answer
  return judgeProof({ status, contentType, text: body.toString('utf8') }, owner)
}
