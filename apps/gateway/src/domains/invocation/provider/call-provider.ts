import { hash } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { fillPath } from '@farebox/wire/path-template'
import { exactJson } from '../../../http/exact-integers.ts'
import type { Deps } from '../../../ports.ts'
import type { Span } from '../../../telemetry/tracer.ts'
import type { UpstreamAnswer, UpstreamResponse, UpstreamStream } from '../../../upstream-ports.ts'
import type { Rate } from '../../credentials/draw-budgets.ts'
import type { CallableService } from '../../services/find-callable.ts'
import { type Breakers, FAILURES_MAX, PAUSE_MS } from '../../services/targets/breakers.ts'
import { chooseTargets } from '../../services/targets/choose-targets.ts'
import { type LlmRequest, targetFor } from '../pricing/llm-request-rules.ts'
import { withModelName } from '../pricing/model-name-rules.ts'
import type { QuotedCall } from '../pricing/quote-call.ts'
import type { ProviderOutcome } from '../pricing/settle-rules.ts'
import type { Usage } from '../pricing/usage-rules.ts'
import { recordTrouble } from '../record-metrics.ts'
import { type CallFailure, failureByStatus, failureOnTheWay, readResult } from '../rules.ts'
import { type RelayRoom, relayStream } from '../stream/relay-stream.ts'
import type { StreamSink } from '../stream/stream-sink.ts'
import type { Attempt } from '../targets/target-tally.ts'
import { mergeHeaders } from './merge-headers-rules.ts'
import { isBodiless } from './query-rules.ts'
import type { RequestParts } from './read-request.ts'
import { faultOfError } from './verdict-rules.ts'

/** Maximum targets tried for one call. */
const ATTEMPTS_MAX = 3
/** Minimum time left of the call for another target, in ms. */
const ATTEMPT_MIN_MS = 50
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const FAILOVER_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** A call to a provider. */
export type ProviderCall = {
  readonly invocationId: string
  readonly traceparent: string | undefined
  readonly span: Span | undefined
  readonly service: CallableService
  /** Wallet that pays, in lower case. */
  readonly owner: string
  /** Headers of the caller that its API passes on; names in lower case. */
  readonly passedOn: Readonly<Record<string, string>>
  readonly quoted: Pick<QuotedCall, 'llm' | 'parts' | 'wantsStream'>
  /** Returns the charge of a usage, micro-USDC; null for services that are not metered. */
  readonly chargeOf: ((usage: Usage) => Usdc) | null
  /** Receiver of the events if the provider answers with a stream and one is wanted. */
  readonly sink: StreamSink | undefined
  /** See {@link Call.reportedModel}. */
  readonly reportedModel: string | undefined
  /** Decimal USDC. */
  readonly holdUsdc: string
  readonly rate: Rate | null
}

type CallDeps = Pick<Deps, 'upstream' | 'clock' | 'config' | 'ids' | 'metrics'> & {
  readonly breakers: Breakers
  readonly relays: RelayRoom
}

/** The outcome of a call, with its attempts at targets. */
export type CalledProvider = ProviderOutcome & {
  readonly attempts: number
  readonly latencyMs: number
  /** Attempts before the last one. */
  readonly failed: readonly Attempt[]
  /** The attempt that ended as the call did, to the end of a stream; null without any. */
  readonly last: Pick<Attempt, 'url' | 'latencyMs'> | null
}

/**
 * Calls a provider: one target by weight, and up to two more if the request cannot have had an effect or is safe to
 * repeat, but never after the first byte of a successful answer. All attempts have one deadline; a stream has limits of
 * its own after its head. No database connection is held meanwhile.
 */
export async function callProvider(deps: CallDeps, call: ProviderCall): Promise<CalledProvider> {
  const { clock, metrics } = deps
  const startedAt = clock.elapsed()
  const { answer, target, attempts, attemptedAt, failed, span } = await reachProvider(
    deps,
    call,
    startedAt + call.service.timeoutMs,
  )
  const common = () => {
    const now = clock.elapsed()
    const last = attempts === 0 ? null : { url: target, latencyMs: Math.round(now - attemptedAt) }
    return { attempts, latencyMs: Math.round(now - startedAt), failed, last }
  }
  if ('failure' in answer)
    return { kind: 'failed', isBegun: answer.isBegun, failure: answer.failure, ...common() }
  if ('body' in answer) return { ...readAnswer(answer, call), ...common() }
  const { sink, invocationId, holdUsdc, owner, rate, reportedModel, chargeOf, quoted } = call
  const metered = quoted.llm === null || chargeOf === null ? null : { ...quoted.llm, chargeOf }
  if (sink === undefined) throw new Error('A stream was opened for a caller that does not accept one.')
  const head = { invocationId, holdUsdc, isReplay: false, rate, patienceMs: patienceWith(call.service) }
  metrics.shift('farebox_streams_open', {}, 1)
  const stream = await relayStream(deps, {
    stream: answer,
    sink,
    head,
    eventBytesMax: deps.config.UPSTREAM_ANSWER_MAX_BYTES,
    owner,
    metered,
    reportedModel,
    clean: call.service.withoutSecrets,
  }).finally(() => metrics.shift('farebox_streams_open', {}, -1))
  if (stream.firstAt !== null) {
    metrics.observe('farebox_stream_first_event_seconds', {}, (stream.firstAt - startedAt) / 1_000)
  }
  if (stream.end !== 'whole') span?.fail(`stream_${stream.end}`)
  span?.end()
  // Its successful start was already counted: occasional broken streams do not make a target dead.
  deps.breakers.of(call.service.id, call.owner).record(target, !stream.isProvidersFault)
  return { kind: 'streamed', stream, ...common() }
}

/** Slow callers block providers; half of a stream's time is reserved for the provider. */
const patienceWith = (service: CallableService): number => service.streamMaxMs / 2

type Reached = {
  readonly attempts: number
  readonly target: string
  /** Start of the last attempt, on the monotonic clock; and the attempts before it. */
  readonly attemptedAt: number
  readonly failed: readonly Attempt[]
  /** Span of an attempt that is still in progress, as that of a stream. */
  readonly span?: Span | undefined
  readonly answer:
    | UpstreamResponse
    | UpstreamStream
    | { readonly failure: CallFailure; readonly isBegun: boolean }
}

/** Tries targets until one has answered successfully, or begun to, or no other may be tried. */
async function reachProvider(deps: CallDeps, call: ProviderCall, deadline: number): Promise<Reached> {
  const { clock, metrics } = deps
  const { invocationId, service } = call
  const breakers = deps.breakers.of(service.id, call.owner)
  const request = forwardedRequest(call)
  const targets = chooseTargets(
    service.targets,
    url => breakers.isOpen(url),
    () => deps.ids.random(),
    ATTEMPTS_MAX,
  )
  let attempts = 0
  let attemptedAt = clock.elapsed()
  const failed: Attempt[] = []
  let reached = { target: '', isBegun: false, failure: null as CallFailure | null }

  for (const target of targets) {
    const timeoutMs = deadline - clock.elapsed()
    if (attempts > 0 && timeoutMs < ATTEMPT_MIN_MS) break
    if (reached.failure !== null) {
      const latencyMs = Math.round(clock.elapsed() - attemptedAt)
      failed.push({ url: reached.target, latencyMs, fault: faultOfError(reached.failure.error) })
    }
    attempts += 1
    attemptedAt = clock.elapsed()
    const { answer, span } = await attempt(deps, call, { request, target, attempts, timeoutMs })
    if ('failure' in answer) {
      const { failure } = answer
      const isOurs = failure.reason === 'stopping'
      if (!isOurs && failure.isCrowded !== true) breakers.record(target, false)
      const isBegun = isGood(failure.status)
      reached = { target, isBegun, failure: failureOnTheWay(failure, { invocationId }) }
      if (failure.sent || isOurs) break
      continue
    }
    breakers.record(target, answer.status < 500)
    if (!('body' in answer)) return { attempts, attemptedAt, failed, target, answer, span }
    if (isGood(answer.status)) return { attempts, attemptedAt, failed, target, answer }
    reached = {
      target,
      isBegun: false,
      failure: failureByStatus(answer, { invocationId }, service.withoutSecrets),
    }
    if (!FAILOVER_STATUSES.has(answer.status) || !IDEMPOTENT_METHODS.has(service.method)) break
  }
  if (attempts === 0) recordTrouble(metrics, 'no_healthy_target')
  const failure = reached.failure ?? noTarget(call)
  const answer = { failure, isBegun: reached.isBegun }
  return { attempts, attemptedAt, failed, target: reached.target, answer }
}

/** Returns why no target could be called: none is healthy, or the owner's own pause excludes the healthy ones. */
function noTarget({ invocationId, service }: ProviderCall): CallFailure {
  const failure = failureOnTheWay({ reason: 'no_healthy_target', answered: false }, { invocationId })
  if (!service.targets.some(({ isHealthy }) => isHealthy)) return failure
  const retryAfterSeconds = PAUSE_MS / 1_000
  const message = `The last ${FAILURES_MAX} or more calls of this owner to the service failed; its calls are refused for ${retryAfterSeconds} seconds. Nothing was charged.`
  const { code, context } = failure.error
  const error = new GatewayError(code, context, { message, retryAfterSeconds })
  return { ...failure, error, isUnasked: true }
}

/** One attempt at a target, counted and traced. The span of a stream continues. */
async function attempt(
  { upstream, config, metrics }: CallDeps,
  call: ProviderCall,
  to: { request: ReturnType<typeof forwardedRequest>; target: string; attempts: number; timeoutMs: number },
): Promise<{ answer: UpstreamAnswer | UpstreamStream; span: Span | undefined }> {
  const { request, target, attempts, timeoutMs } = to
  const { streamMaxMs: maxMs, streamIdleTimeoutMs: idleMs } = call.service
  if (attempts > 1) metrics.count('farebox_failovers_total', {})
  const span = call.span && attemptSpan(call.span, { method: call.service.method, target, attempts })
  const answer = await upstream[call.quoted.wantsStream ? 'open' : 'send']({
    ...request(target, span?.traceparent),
    owner: call.owner,
    timeoutMs,
    stream: { maxMs, idleMs, bytesMax: config.UPSTREAM_STREAM_BYTES_MAX },
    responseBytesMax: config.UPSTREAM_RESPONSE_BYTES_MAX,
    jsonBytesMax: config.UPSTREAM_ANSWER_MAX_BYTES,
  })
  if ('failure' in answer) recordTrouble(metrics, answer.failure.reason)
  else if (!isGood(answer.status)) recordTrouble(metrics, 'status')
  if (span !== undefined) recordAttempt(span, answer)
  return { answer, span }
}

/** Returns the span of one attempt, without the URL: its query and path are private to provider and caller. */
function attemptSpan(
  parent: Span,
  { method, target, attempts }: { method: string; target: string; attempts: number },
): Span {
  const { hostname, port, protocol } = new URL(target)
  const span = parent.child(method, 'client')
  span.set({
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    ...(attempts > 1 && { 'http.request.resend_count': attempts - 1 }),
  })
  if (attempts > 1) parent.event('farebox.failover', { 'farebox.attempt': attempts })
  return span
}

/** Records the outcome of an attempt; the span of a stream continues. */
function recordAttempt(span: Span, answer: UpstreamAnswer | UpstreamStream): void {
  const status = 'failure' in answer ? answer.failure.status : answer.status
  if (status !== undefined) span.set({ 'http.response.status_code': status })
  if ('failure' in answer) span.fail(answer.failure.reason)
  else if (answer.status >= 400) span.fail(String(answer.status))
  if ('failure' in answer || 'body' in answer) span.end()
}

const isGood = (status = 0) => status >= 200 && status < 300

/** Returns a target with the parameters of a call after its own, without its fragment (RFC 9110, 7.1). */
function withQuery(target: string, query: string): string {
  const [url = ''] = target.split('#', 1)
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
}

function readAnswer(
  answer: UpstreamResponse,
  { invocationId, quoted, service, reportedModel }: ProviderCall,
): ProviderOutcome {
  const result = readResult(answer, { mustBeJson: quoted.llm !== null, isHead: service.method === 'HEAD' })
  // An answer that a caller wants as a stream is converted to events, for which it is built completely.
  const isTooLarge = typeof result !== 'string' && result.isPartial && quoted.wantsStream
  if (typeof result === 'string' || isTooLarge) {
    const reason = typeof result === 'string' ? result : 'too_large'
    const error = new GatewayError('UPSTREAM_ERROR', { reason, invocationId })
    return { kind: 'failed', isBegun: true, failure: { status: 'FAILED_FINAL', error } }
  }
  const responseHash = hash('sha256', answer.body)
  const { text, json, isPartial } = result
  const resultText = reportedModel === undefined ? text : withModelName(text, reportedModel)
  const isEmbedding = quoted.llm?.shape === 'embeddings'
  return { kind: 'answered', resultText, result: json, isPartial, isEmbedding, responseHash }
}

const ACCEPT = 'application/json, */*;q=0.5'
const ACCEPT_STREAM = 'text/event-stream, application/json;q=0.9'

/**
 * Headers for the target. Of the caller's headers only those that its API passes on are forwarded: token, address and
 * cookies stay here.
 */
function forwardedRequest({ service, passedOn, quoted, invocationId, traceparent }: ProviderCall) {
  const { llm, parts } = quoted
  const body = isBodiless(service.method) ? null : bodyOf(parts, llm)
  const headers: Record<string, string> = {
    ...mergeHeaders(service.upstreamHeaders, passedOn),
    accept: quoted.wantsStream ? ACCEPT_STREAM : ACCEPT,
    'farebox-invocation-id': invocationId,
    'farebox-service-id': service.id,
    'farebox-provider': service.provider,
    'farebox-purpose': 'invocation',
    'idempotency-key': invocationId,
  }
  if (body !== null) headers['content-type'] = parts.encoded?.contentType ?? 'application/json'
  const urlAt = (target: string) =>
    llm === null ? fillPath(target, parts.path) : targetFor(target, llm.shape)
  return (target: string, ownTrace: string | undefined) => {
    const trace = ownTrace ?? traceparent
    return {
      url: withQuery(urlAt(target), parts.query),
      method: service.method,
      headers: trace === undefined ? headers : { ...headers, traceparent: trace },
      body,
      signingSecret: service.signingSecret,
    }
  }
}

function bodyOf({ payload, encoded }: RequestParts, llm: LlmRequest | null): string | Buffer | null {
  if (llm !== null) return llm.body
  if (encoded !== null) return encoded.bytes
  return payload.body === undefined ? null : exactJson(payload.body)
}
