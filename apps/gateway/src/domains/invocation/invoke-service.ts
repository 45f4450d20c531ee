import { formatUsdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { Deps } from '../../ports.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Breakers } from '../services/breakers.ts'
import type { ServiceDirectory } from '../services/find-callable.ts'
import type { Admission } from './admit.ts'
import { callProvider } from './call-provider.ts'
import type { CallLedger } from './commit-calls.ts'
import { readRecording } from './metered-store.ts'
import { type QuotedCall, quoteCall } from './quote-call.ts'
import { type RelayRoom, replayStream } from './relay-stream.ts'
import { isTerminal } from './rules.ts'
import { type Answer, settleCall } from './settle-call.ts'
import { readAnswer } from './store.ts'
import type { StreamSink } from './stream-sink.ts'
import type { CallsUnderWay } from './under-way.ts'

/** How often a price may change between quote and hold before the caller is told to retry. */
const QUOTES_MAX = 3
const RETRY_AFTER_SECONDS = 1

/** What invocation needs beside the ports; made once by {@link createInvocations}. */
export type InvocationDeps = Deps & {
  readonly calls: CallLedger
  readonly directory: ServiceDirectory
  readonly breakers: Breakers
  /** The calls that this process carries now. */
  readonly underWay: CallsUnderWay
  readonly relays: RelayRoom
}

/** A call as the door understood it. */
export type Call = {
  readonly agent: Agent
  readonly requestId: string
  readonly idempotencyKey: string | null
  readonly requestHash: Buffer
  readonly traceparent: string | undefined
  /** The parsed request; or what is wrong with it, told once the rate has counted it. */
  readonly input: InvokeInput | GatewayError
  /** Where the events go when the call is streamed; absent: the caller takes the answer whole. */
  readonly sink?: StreamSink
}

export type { Answer } from './settle-call.ts'

/** An answer with the rate its request was counted at; `rate` is null when the rate refused it. */
export type Invoked = { readonly rate: Rate | null } & (
  | { readonly answer: Answer }
  | { readonly error: GatewayError }
)

/**
 * One paid call, from quote to answer: quote, hold, call the provider, settle. A refusal leaves no trace but its
 * count against the rate; once money is held, the call ends in exactly one stored answer, even when this process
 * does not live to see it (see recover-calls.ts), or its usage comes later (see report-usage.ts).
 */
export async function invokeService(deps: InvocationDeps, call: Call): Promise<Invoked> {
  const invocationId = deps.ids.next('inv')
  const done = deps.underWay.begin(invocationId)
  try {
    const { admission, quoted } = await holdAtLivePrice(deps, call, invocationId)
    const { rate } = admission
    if (admission.kind === 'refused') return { rate, error: admission.error }
    if (admission.kind === 'known') return { rate, ...(await replay(deps, call, admission)) }
    const { service, quote } = quoted
    const { input, agent } = call
    const isChanging = admission.kind === 'requote' || service === null || quote instanceof GatewayError
    if (isChanging || input instanceof GatewayError) return { rate, error: serviceIsChanging() }
    const { hold, metering, provider } = quote
    const { drawnAt } = admission
    const outcome = await callProvider(deps, {
      ...{ invocationId, traceparent: call.traceparent, service, payload: input.payload },
      ...{ quoted, sink: call.sink, holdUsdc: formatUsdc(hold), rate },
    })
    const { credentialId, owner } = agent
    const open = { invocationId, credentialId, owner, provider, hold, drawnAt }
    return { rate, answer: await settleCall(deps, { call, open, service, metering, outcome }) }
  } finally {
    done()
  }
}

/** Quotes and holds; quotes again when the service changed in between, so that the price held is the live one. */
async function holdAtLivePrice(
  deps: InvocationDeps,
  call: Call,
  invocationId: string,
): Promise<{ admission: Admission; quoted: QuotedCall }> {
  const { agent, input, requestHash } = call
  let counted: Rate | null = null
  for (let quotes = 1; ; quotes += 1) {
    const quoted = await quoteCall(deps, { agent, input, canStream: call.sink !== undefined })
    const { quote, service } = quoted
    const admission = await deps.calls.hold({
      ...{ invocationId, credentialId: agent.credentialId, owner: agent.owner },
      idempotencyKey: call.idempotencyKey ?? invocationId,
      ...{ requestHash, quote, service, counted },
    })
    if (admission.kind !== 'requote' || quotes === QUOTES_MAX) return { admission, quoted }
    counted = admission.rate
    if (service !== null) deps.directory.forget(service.id)
  }
}

function serviceIsChanging(): GatewayError {
  const message = 'The service is changing. Discover again and retry.'
  return new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/**
 * The stored answer of a known key, or word that the first call is not over. Who wants a stream gets the recorded
 * one, when the call was streamed; who does not gets the answer alone.
 */
async function replay(
  deps: Pick<Deps, 'db'>,
  { sink, input }: Call,
  { invocation, rate }: Extract<Admission, { kind: 'known' }>,
): Promise<{ answer: Answer } | { error: GatewayError }> {
  const { id: invocationId, status, hold } = invocation
  const answer = isTerminal(status) ? await readAnswer(deps.db, invocationId) : null
  if (answer === null) {
    const options = { retryAfterSeconds: RETRY_AFTER_SECONDS }
    return { error: new GatewayError('IDEMPOTENCY_IN_PROGRESS', { invocationId, status }, options) }
  }
  const told = { ...answer, isReplay: true }
  if (sink === undefined || status !== 'SUCCEEDED' || input instanceof GatewayError) return { answer: told }
  if (!asksForStream(input)) return { answer: told }
  const recording = await readRecording(deps.db, invocationId)
  if (recording === null) return { answer: told }
  await replayStream(recording, sink, {
    ...{ invocationId, holdUsdc: formatUsdc(hold), isReplay: true, rate },
  })
  return { answer: { ...told, streamed: recording.isWhole ? 'whole' : 'cut' } }
}

/** Whether a caller asks for a stream, if the service has one. */
export function asksForStream(input: InvokeInput): boolean {
  return input.responseMode === 'stream' || input.payload.body?.stream === true
}
