import { GatewayError } from '@farebox/wire/errors'
import { type Address, getAddress } from 'viem'
import type { Deps } from '../../../ports.ts'
import { createOwnerPlaces } from '../../../runtime/owner-places.ts'
import { RETRY_AFTER_SECONDS } from '../../../runtime/retry-after.ts'
import { judgeProof, type ProofAnswer, type TargetProof } from './target-proof-rules.ts'

/** Path of the file that names the wallets allowed to have targets at a server. */
const PROOF_PATH = '/.well-known/farebox.json'
/** Maximum size of that file, in bytes: more than a thousand wallets. A larger one counts as absent. */
const PROOF_BYTES_MAX = 65_536
/** Timeout, in ms; the registration waits for it. */
const PROOF_TIMEOUT_MS = 3_000
/** Time in which an origin is asked once beyond the limits of pings, in ms. */
const ASKED_FOR_MS = 60_000
/** Maximum number of origins whose answers are remembered. */
const ASKED_MAX = 200
/** Origins asked at once, for all owners and for one: those that do not answer hold connections. */
const ASKED_AT_ONCE = { all: 256, perOwner: 64 }

/** Counts a probe outside the schedule towards the limits of its service and hosts; false beyond them. */
export type AdmitProbe = (probe: { serviceId: string; urls: readonly string[] }) => Promise<boolean>

/** Recent answers of origins about their providers; null: no answer. */
export type AskedOrigins = {
  /**
   * Returns the answer to the last request, or sends one if that was over a minute ago or `isFresh`.
   *
   * @param asked.owner wallet for which it is asked
   * @throws GatewayError UNAVAILABLE beyond {@link ASKED_AT_ONCE}
   */
  ask(
    asked: { origin: string; owner: string; isFresh: boolean },
    send: () => Promise<ProofAnswer | null>,
  ): Promise<ProofAnswer | null>
}

/** Dependencies of {@link proveTargets}. */
export type ProofDeps = Pick<Deps, 'upstream' | 'config'> & { readonly askedOrigins: AskedOrigins }

/** Returns a memory of no answers. */
export function createAskedOrigins(clock: Pick<Deps['clock'], 'elapsed'>): AskedOrigins {
  const asked = new Map<string, { readonly at: number; readonly answer: Promise<ProofAnswer | null> }>()
  const places = createOwnerPlaces(ASKED_AT_ONCE)
  return {
    async ask({ origin, owner, isFresh }, send) {
      const known = asked.get(origin)
      if (!isFresh && known !== undefined && clock.elapsed() - known.at < ASKED_FOR_MS) return known.answer
      const leave = places.take(owner)
      if (typeof leave !== 'function') {
        const message = 'Too many servers are being asked for their providers. Send the request again.'
        throw new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy })
      }
      const answer = send().finally(leave)
      answer.catch(() => asked.delete(origin))
      asked.delete(origin)
      asked.set(origin, { at: clock.elapsed(), answer })
      const [oldest] = asked.keys()
      if (asked.size > ASKED_MAX && oldest !== undefined) asked.delete(oldest)
      return answer
    },
  }
}

/**
 * Checks at the origin of each target whether a wallet may have services there. Redirects are not followed; a server
 * that does not answer or lacks the file counts as absent.
 *
 * @param input.owner      wallet in lower case
 * @param input.targets    already checked for safety
 * @param input.isAdmitted false beyond the limits of pings: an answer of the last minute counts instead of a request
 * @returns true if every target names the wallet
 * @throws GatewayError UNSAFE_TARGET_URL with `detail.reason`: `not_listed` if a file does not name it, `not_proven` if
 * one is missing and `REQUIRE_TARGET_PROOF` is on; UNAVAILABLE while too many servers are asked
 */
export async function proveTargets(
  deps: ProofDeps,
  input: { owner: Address; targets: readonly { url: string }[]; isAdmitted: boolean },
): Promise<boolean> {
  const origins = [...new Set(input.targets.map(({ url }) => new URL(url).origin))]
  const proofs = await Promise.all(
    origins.map(async origin => {
      const answer = await deps.askedOrigins.ask(
        { origin, owner: input.owner, isFresh: input.isAdmitted },
        () => askOrigin(deps, origin),
      )
      const proof: TargetProof = answer === null ? 'absent' : judgeProof(answer, input.owner)
      return { url: origin + PROOF_PATH, proof }
    }),
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

async function askOrigin({ upstream }: Pick<Deps, 'upstream'>, origin: string): Promise<ProofAnswer | null> {
  const answer = await upstream.send({
    url: origin + PROOF_PATH,
    method: 'GET',
    headers: { 'user-agent': 'Farebox-Probe', accept: 'application/json' },
    body: null,
    timeoutMs: PROOF_TIMEOUT_MS,
    responseBytesMax: PROOF_BYTES_MAX,
    isUnsigned: true,
  })
  if ('failure' in answer) return null
  const { status, contentType, body } = answer
  return { status, contentType, text: body.toString('utf8') }
}
