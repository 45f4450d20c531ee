import { createHash } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { Deps } from '../../ports.ts'
import type { Breakers } from '../services/breakers.ts'
import { chooseTargets } from '../services/choose-targets.ts'
import type { CallableService } from '../services/find-callable.ts'
import { type CallFailure, failureByStatus, failureOnTheWay, readResult } from './rules.ts'

/** Targets tried for one call, the first included. */
const ATTEMPTS_MAX = 3
/** Below this rest of the call's time another target is not tried, in ms. */
const ATTEMPT_MIN_MS = 50
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const BODILESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])
const FAILOVER_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** What came of calling a provider. */
export type ProviderOutcome = { readonly attempts: number; readonly latencyMs: number } & (
  | {
      readonly kind: 'answered'
      readonly resultText: string
      readonly result: unknown
      readonly responseHash: string
    }
  | { readonly kind: 'failed'; readonly failure: CallFailure }
)

/** What a call carries to its provider beside the payload. */
export type CallIdentity = { readonly invocationId: string; readonly traceparent: string | undefined }

/**
 * Calls a provider: a target by weight, and up to two more where the request cannot have had an effect or may be
 * repeated safely. The whole call has one deadline. No database connection is held meanwhile.
 */
export async function callProvider(
  deps: Pick<Deps, 'upstream' | 'clock' | 'config' | 'ids'> & { breakers: Breakers },
  service: CallableService,
  payload: InvokeInput['payload'],
  identity: CallIdentity,
): Promise<ProviderOutcome> {
  const { upstream, clock, config, breakers } = deps
  const { invocationId } = identity
  const request = forwardedRequest(service, payload, identity)
  const targets = chooseTargets(
    service.targets,
    url => breakers.isOpen(url),
    () => deps.ids.random(),
    ATTEMPTS_MAX,
  )
  const startedAt = clock.now()
  const deadline = startedAt + service.timeoutMs
  let attempts = 0
  let failure: CallFailure | null = null

  for (const target of targets) {
    const timeoutMs = deadline - clock.now()
    if (attempts > 0 && timeoutMs < ATTEMPT_MIN_MS) break
    attempts += 1
    const response = await upstream.send({
      url: withQuery(target, request.query),
      method: service.method,
      headers: request.headers,
      body: request.body,
      timeoutMs,
      responseBytesMax: config.UPSTREAM_RESPONSE_BYTES_MAX,
    })
    if ('failure' in response) {
      breakers.record(target, false)
      failure = failureOnTheWay(response.failure, { invocationId })
      if (response.failure.sent) break
      continue
    }
    breakers.record(target, response.status < 500)
    if (response.status >= 200 && response.status < 300) {
      return { attempts, latencyMs: clock.now() - startedAt, ...readAnswer(response, invocationId) }
    }
    failure = failureByStatus(response, { invocationId })
    if (!FAILOVER_STATUSES.has(response.status) || !IDEMPOTENT_METHODS.has(service.method)) break
  }
  failure ??= failureOnTheWay({ reason: 'no_healthy_target', answered: false }, { invocationId })
  return { kind: 'failed', attempts, latencyMs: clock.now() - startedAt, failure }
}

/** A target with the parameters of a call after its own. Its fragment is no part of any request (RFC 9110, 7.1). */
function withQuery(target: string, query: string): string {
  const [url = ''] = target.split('#', 1)
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
}

type ReadAnswer =
  | { kind: 'answered'; resultText: string; result: unknown; responseHash: string }
  | { kind: 'failed'; failure: CallFailure }

function readAnswer(response: { contentType: string; body: Buffer }, invocationId: string): ReadAnswer {
  const result = readResult(response)
  if (result === null) {
    const error = new GatewayError('UPSTREAM_ERROR', { reason: 'invalid_json', invocationId })
    return { kind: 'failed', failure: { status: 'FAILED_FINAL', error } }
  }
  const responseHash = createHash('sha256').update(response.body).digest('hex')
  return { kind: 'answered', resultText: result.text, result: result.json, responseHash }
}

/**
 * What goes to the provider. Nothing of the caller's own headers does: token, address and cookies stay here.
 */
function forwardedRequest(service: CallableService, payload: InvokeInput['payload'], identity: CallIdentity) {
  const isBodiless = BODILESS_METHODS.has(service.method)
  const body = isBodiless || payload.body === undefined ? null : JSON.stringify(payload.body)
  const parameters = new URLSearchParams()
  if (isBodiless) {
    for (const [name, value] of Object.entries(payload.body ?? {})) {
      if (['string', 'number', 'boolean'].includes(typeof value)) parameters.append(name, String(value))
    }
  }
  for (const [name, value] of Object.entries(payload.query ?? {})) parameters.append(name, String(value))

  const headers: Record<string, string> = {
    ...service.upstreamHeaders,
    accept: 'application/json, */*;q=0.5',
    'farebox-invocation-id': identity.invocationId,
    'farebox-service-id': service.id,
    'idempotency-key': identity.invocationId,
  }
  if (body !== null) headers['content-type'] = 'application/json'
  if (identity.traceparent !== undefined) headers.traceparent = identity.traceparent
  return { body, headers, query: parameters.toString() }
}
