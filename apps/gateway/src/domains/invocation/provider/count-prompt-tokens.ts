import { isObject } from '@farebox/wire/common'
import { TOKENS_MAX } from '@farebox/wire/invocation'
import type { Deps } from '../../../ports.ts'
import type { UpstreamAnswer } from '../../../upstream-ports.ts'
import type { CallableService, CallPricing } from '../../services/find-callable.ts'
import type { Breakers } from '../../services/targets/breakers.ts'
import { chooseTargets } from '../../services/targets/choose-targets.ts'
import { prepareLlmRequest } from '../pricing/llm-request-rules.ts'
import { failureByStatus } from '../rules.ts'
import { mergeHeaders } from './merge-headers-rules.ts'

/** Longest wait for a provider's count, in ms. */
const COUNT_MS_MAX = 10_000
/** Longest answer with a count, in bytes. */
const COUNT_BYTES_MAX = 65_536
/** Answers of a provider that are about the request itself: bad, too large, unprocessable. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422])
/** A target of the Messages API, whose counts are beside it. */
const MESSAGES_URL = /^([^?#]*\/messages)\/?((?:[?#].*)?)$/

/** A count of input tokens: the answer as JSON text, and whether the gateway made it. */
export type TokenCount = { readonly text: string; readonly isEstimated: boolean }

/** A prompt to count. */
export type CountedPrompt = {
  readonly service: CallableService & { readonly pricing: Extract<CallPricing, { model: 'token_metered' }> }
  /** The wallet of the caller, in lower case. */
  readonly owner: string
  /** A request to the Messages API. */
  readonly body: Readonly<Record<string, unknown>>
  /** Headers of the caller that go to the provider. */
  readonly passedOn: Readonly<Record<string, string>>
}

type CountDeps = Pick<Deps, 'upstream' | 'ids'> & { readonly breakers: Breakers }

/**
 * Counts the input tokens of a message: its provider does, at a target of Anthropic's dialect; where that has no count,
 * it is estimated as the hold of the call would count it.
 *
 * @throws GatewayError UPSTREAM_ERROR with the provider's refusal of the request; INVALID_PAYLOAD as the call itself
 */
export async function countPromptTokens(deps: CountDeps, prompt: CountedPrompt): Promise<TokenCount> {
  const { service, body } = prompt
  const answer = await askProvider(deps, prompt)
  if (answer !== null && !('failure' in answer)) {
    if (answer.status === 200 && isCount(answer.body)) {
      return { text: answer.body.toString('utf8'), isEstimated: false }
    }
    if (REFUSALS.has(answer.status)) throw failureByStatus(answer, {}, service.withoutSecrets).error
  }
  const ask = { canStream: false, wantsStream: false }
  const { promptTokens } = prepareLlmRequest({ ...service.pricing, targets: service.targets }, body, ask)
  return { text: JSON.stringify({ input_tokens: promptTokens, estimated: true }), isEstimated: true }
}

/** Returns the answer of one target; null if there is none to ask. */
async function askProvider(deps: CountDeps, prompt: CountedPrompt): Promise<UpstreamAnswer | null> {
  const { service, owner, body, passedOn } = prompt
  const { dialect, upstreamModel } = service.pricing
  const breakers = deps.breakers.of(service.id, owner)
  const [target = ''] = chooseTargets(
    service.targets,
    url => breakers.isOpen(url),
    () => deps.ids.random(),
    1,
  )
  const [, url, query = ''] = MESSAGES_URL.exec(target) ?? []
  if (dialect !== 'anthropic' || url === undefined) return null
  return deps.upstream.send({
    owner,
    url: `${url}/count_tokens${query.startsWith('?') ? query : ''}`,
    method: 'POST',
    headers: {
      ...mergeHeaders(service.upstreamHeaders, passedOn),
      accept: 'application/json',
      'content-type': 'application/json',
      // By its id a request that comes back to a gateway is known.
      'farebox-invocation-id': deps.ids.next('inv'),
      'farebox-service-id': service.id,
      'farebox-provider': service.provider,
      'farebox-purpose': 'count_tokens',
    },
    body: JSON.stringify(upstreamModel === null ? body : { ...body, model: upstreamModel }),
    timeoutMs: Math.min(COUNT_MS_MAX, service.timeoutMs),
    responseBytesMax: COUNT_BYTES_MAX,
    signingSecret: service.signingSecret,
  })
}

function isCount(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    const count = isObject(value) ? value.input_tokens : undefined
    return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= TOKENS_MAX
  } catch {
    // Not JSON: no count.
    return false
  }
}
