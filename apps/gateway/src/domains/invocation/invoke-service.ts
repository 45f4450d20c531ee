import { formatUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { Deps } from '../../ports.ts'
import type { Load } from '../../runtime/batch-loader.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { traceStep } from '../../telemetry/trace-step.ts'
import type { Span } from '../../telemetry/tracer.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { CallableService, ServiceDirectory } from '../services/find-callable.ts'
import type { Breakers } from '../services/targets/breakers.ts'
import type { Admission, HoldRequest } from './admission/admit.ts'
import { type CallPlaces, takeCallPlaces } from './admission/call-places.ts'
import type { CallLedger } from './admission/commit-calls.ts'
import type { Projector } from './log/project-log.ts'
import type { LlmShape } from './pricing/llm-request-rules.ts'
import { readRecording } from './pricing/metered-store.ts'
import { type QuotedCall, quoteCall } from './pricing/quote-call.ts'
import { meteredEnd } from './pricing/settle-rules.ts'
import { callProvider } from './provider/call-provider.ts'
import type { InFlightCalls } from './provider/in-flight-calls.ts'
import { kindOf, recordEnded, recordUnheld } from './record-metrics.ts'
import { readArchivedAnswer } from './records/archived-answer.ts'
import type { CallTally } from './records/call-tally.ts'
import { wasStreamed } from './records/read-answer.ts'
import type { RefusalTally } from './records/refusal-tally.ts'
import type { OwnedCall, StoredAnswer } from './records/store.ts'
import type { PeerWatch } from './recovery/watch-peers.ts'
import { isTerminal } from './rules.ts'
import { type Answer, settleCall } from './settle-call.ts'
import { type RelayRoom, replayStream } from './stream/relay-stream.ts'
import type { StreamSink } from './stream/stream-sink.ts'
import type { TargetTally } from './targets/target-tally.ts'

/** Maximum price changes between quote and hold before the caller has to retry. */
const QUOTES_MAX = 3
const THROWN = { kind: 'unknown', outcome: 'error' } as const

/** Dependencies of invocation besides the ports; created by {@link createInvocations}. */
export type InvocationDeps = Deps & {
  readonly calls: CallLedger
  readonly projector: Projector
  readonly directory: ServiceDirectory
  readonly breakers: Breakers
  /** Calls in flight of this process. */
  readonly inFlight: InFlightCalls
  /** Leases of other gateways. */
  readonly peers: PeerWatch
  /** Places taken by the calls of this process. */
  readonly places: CallPlaces
  readonly relays: RelayRoom
  /** Recent call statistics for providers. */
  readonly tally: CallTally
  /** Recent attempts at targets for providers. */
  readonly targets: TargetTally
  /** Recent refusals for owners. */
  readonly refusals: RefusalTally
  /** Loads stored answers for replays, in one statement per turn of the event loop. */
  readonly loadAnswer: Load<OwnedCall, StoredAnswer>
}

/** A call, parsed by the API that received it. */
export type Call = {
  readonly agent: Agent
  /** Reads the credential again if `agent` may be outdated; absent: it was just read. */
  readonly renewAgent?: () => Promise<Agent>
  readonly requestId: string
  readonly idempotencyKey: string | null
  /** Start of the key of a call without an idempotency key; absent: the key is the id of the call. */
  readonly keyPrefix?: string
  readonly requestHash: Buffer
  /** Trace header of the caller, forwarded to the provider unless our own trace continues it. */
  readonly traceparent: string | undefined
  /** Span of the request, if tracing is on. */
  readonly span: Span | undefined
  /** Called with the id of the call that was made, or that is answered again. */
  readonly onInvocation: (invocationId: string) => void
  /** The parsed request; or its fault, reported after the rate has counted it. */
  readonly input: InvokeInput | GatewayError
  /** True if callers must state a fixed price; others pay the listed one. */
  readonly assertsPrice: boolean
  /** Maximum hold, micro-USDC; absent: only caps, budgets and the balance limit it. */
  readonly holdMax?: Usdc
  /** True if the members of the body are the arguments of a tool, some of which belong into path and query. */
  readonly isFlat: boolean
  /** The rate that its request was counted at, of an attempt after the first; absent: it is counted now. */
  readonly counted?: Rate
  /** Value of `model` in the answer; absent: the provider's. */
  readonly reportedModel?: string
  /** Shape of the model API that took the call; absent: derived from the request. */
  readonly shape?: LlmShape
  /** Headers of the caller that its API forwards to the provider; names in lower case. */
  readonly passedOn?: Readonly<Record<string, string>>
  /** Receiver of the events of a streamed call; absent: the caller takes the whole answer. */
  readonly sink?: StreamSink
}

export type { Answer } from './settle-call.ts'

/** An answer with the rate of its request; `rate` is null if the rate limit refused it. */
export type Invoked = { readonly rate: Rate | null } & (
  | { readonly answer: Answer }
  | { readonly error: GatewayError }
)

/**
 * Runs one paid call: quote, hold, provider call, settlement. A refusal leaves no trace but its count against the rate.
 * Once money is held, the call ends in exactly one stored answer, even if this process dies (recover-calls.ts), or its
 * usage is reported later (report-usage.ts).
 */
export async function invokeService(deps: InvocationDeps, call: Call): Promise<Invoked> {
  const { metrics } = deps
  const { agent, input, sink } = call
  const isStream = sink !== undefined && !(input instanceof GatewayError) && asksForStream(input)
  const leave = takeCallPlaces(deps, { owner: agent.owner, isStream })
  if (leave instanceof GatewayError) {
    recordUnheld(metrics, { service: null, answer: 'refused', error: leave })
    deps.refusals.record(agent, leave)
    return { rate: null, error: leave }
  }
  const startedAt = metrics.time()
  const invocationId = deps.ids.next('inv')
  const done = deps.inFlight.begin(invocationId)
  try {
    return await carry(deps, call, { invocationId, startedAt })
  } catch (error) {
    metrics.count('farebox_calls_total', THROWN)
    throw error
  } finally {
    done()
    leave()
  }
}

async function carry(
  deps: InvocationDeps,
  call: Call,
  { invocationId, startedAt }: { invocationId: string; startedAt: number },
): Promise<Invoked> {
  const { metrics } = deps
  const { input, agent, span, traceparent } = call
  const { admission, quoted } = await traceStep(span, 'hold', () => holdAtLivePrice(deps, call, invocationId))
  const { rate } = admission
  const { service, quote } = quoted
  span?.set({ 'farebox.invocation.id': invocationId, ...(service && { 'farebox.service.id': service.id }) })
  if (admission.kind === 'known') {
    call.onInvocation(admission.invocation.id)
    const known = await replay(deps, call, admission)
    span?.event('farebox.replay', { 'farebox.invocation.id': admission.invocation.id })
    recordUnheld(metrics, { service, answer: 'known', error: 'error' in known ? known.error : null })
    return { rate, ...known }
  }
  const isQuoted = admission.kind === 'held' && service !== null && !(quote instanceof GatewayError)
  if (!isQuoted || input instanceof GatewayError) {
    const error = admission.kind === 'refused' ? admission.error : serviceIsChanging()
    recordUnheld(metrics, { service, answer: 'refused', error })
    deps.refusals.record(agent, error)
    return { rate, error }
  }
  const { hold, metering, provider } = quote
  const { drawnAt } = admission
  call.onInvocation(invocationId)
  const calledAt = metrics.time()
  const outcome = await callProvider(deps, {
    invocationId,
    traceparent,
    span,
    service,
    owner: agent.owner,
    passedOn: call.passedOn ?? {},
    quoted,
    chargeOf: metering === null ? null : usage => meteredEnd(metering, usage, hold, null).charge,
    sink: call.sink,
    reportedModel: call.reportedModel,
    holdUsdc: formatUsdc(hold),
    rate,
  })
  const providerSeconds = metrics.time() - calledAt
  const { credentialId, owner } = agent
  const open = { invocationId, credentialId, owner, provider, serviceId: service.id, hold, drawnAt }
  const { answer, status } = await traceStep(span, 'settle', () =>
    settleCall(deps, { call, open, service, metering, outcome }),
  )
  const totalSeconds = metrics.time() - startedAt
  recordEnded(metrics, { kind: kindOf(metering), status, totalSeconds, providerSeconds })
  return { rate, answer }
}

/** Quotes and holds. Quotes again if the service changed in between, so that the live price is held. */
async function holdAtLivePrice(
  deps: InvocationDeps,
  call: Call,
  invocationId: string,
): Promise<{ admission: Admission; quoted: QuotedCall }> {
  const { agent, input, requestHash } = call
  let counted: Rate | null = call.counted ?? null
  for (let quotes = 1; ; quotes += 1) {
    const quoted = await quoteCall(deps, {
      input,
      canStream: call.sink !== undefined,
      assertsPrice: call.assertsPrice,
      isFlat: call.isFlat,
      shape: call.shape,
      perCall: async () => ((await call.renewAgent?.()) ?? agent).maxCostPerCall,
      holdMax: call.holdMax,
    })
    const { quote, service } = quoted
    const admission = await deps.calls.hold({
      invocationId,
      credentialId: agent.credentialId,
      owner: agent.owner,
      tokenDigest: agent.tokenDigest,
      idempotencyKey: call.idempotencyKey ?? `${call.keyPrefix ?? ''}${invocationId}`,
      requestHash,
      quote,
      counted,
      service: service === null || input instanceof GatewayError ? null : seen(service, input.serviceId),
    })
    if (admission.kind !== 'requote' || quotes === QUOTES_MAX) return { admission, quoted }
    counted = admission.rate
    if (service !== null) deps.directory.forget(service.id)
  }
}

/** Members of a service that are checked again under the lock. The caller may use a former name. */
function seen({ id, version, agentToolName }: CallableService, reference: string): HoldRequest['service'] {
  return { id, version, names: [id, agentToolName, reference] }
}

function serviceIsChanging(): GatewayError {
  const message = 'The service is changing. Discover again and retry.'
  return new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy })
}

/**
 * Returns the answer of a known key, or that the first call is still running. A caller that wants a stream gets the
 * recorded one, if the call was streamed; others get only the answer. An expired answer is never requested again.
 */
async function replay(
  deps: Pick<InvocationDeps, 'rawDb' | 'loadAnswer'>,
  { sink, input, agent }: Call,
  { invocation, rate }: Extract<Admission, { kind: 'known' }>,
): Promise<{ answer: Answer } | { error: GatewayError }> {
  const { id: invocationId, status, hold } = invocation
  if (!isTerminal(status)) {
    const options = { retryAfterSeconds: RETRY_AFTER_SECONDS.busy }
    return { error: new GatewayError('IDEMPOTENCY_IN_PROGRESS', { invocationId, status }, options) }
  }
  const owned = { invocationId, owner: agent.owner }
  const answer = await readArchivedAnswer(deps.rawDb, owned, deps.loadAnswer)
  const reported = { ...answer, isReplay: true }
  if (sink === undefined || status !== 'SUCCEEDED' || input instanceof GatewayError)
    return { answer: reported }
  if (answer.isExpired || !asksForStream(input)) return { answer: reported }
  const recording = await readRecording(deps.rawDb, owned)
  if (recording === null) {
    if (!wasStreamed(answer.body)) return { answer: reported }
    // Its stream was pruned after its answer was read: both are deleted together.
    return { answer: { ...(await readArchivedAnswer(deps.rawDb, owned)), isReplay: true } }
  }
  await replayStream(recording, sink, { invocationId, holdUsdc: formatUsdc(hold), isReplay: true, rate })
  return { answer: { ...reported, streamed: recording.isWhole ? 'whole' : 'cut' } }
}

/** True if a caller requests a stream, if the service offers one. */
export function asksForStream(input: InvokeInput): boolean {
  const { body } = input.payload
  return input.responseMode === 'stream' || (typeof body === 'object' && body.stream === true)
}
