import type { Usdc } from '@farebox/money'
import { type ErrorBody, GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { FastifyRequest } from 'fastify'
import type { Address, Hex } from 'viem'
import { asGatewayError } from '../../http/errors.ts'
import { requestHash } from '../../http/idempotency.ts'
import { assertNotSuspended } from '../auth/assert-not-suspended.ts'
import { assertLimitsAllow } from '../credentials/assert-limits-allow.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { type InvocationDeps, type Invoked, invokeService } from '../invocation/invoke-service.ts'
import { callOf } from '../invocation/read-call.ts'
import { keptNoLonger } from '../invocation/records/archived-answer.ts'
import { wasStreamed } from '../invocation/records/read-answer.ts'
import type { AgentStream } from '../invocation/stream/agent-stream.ts'
import { NOBODY, payerAgent } from './payer-agent.ts'
import type { Offer } from './quote-resource.ts'
import type { Payment } from './read-payment.ts'
import { type SettleDeps, settlePayment } from './settle-payment.ts'
import { claimCall, findPayer } from './store.ts'

type CallDeps = InvocationDeps & SettleDeps

/** A request, its price, and the stream of its answer if it asks a model for one. */
type Asked = { readonly request: FastifyRequest; readonly offer: Offer; readonly stream: AgentStream }

/** A paid request. `onSettled` is called with the transaction that paid, before the call is made. */
type AskedPaid = Pick<Asked, 'request' | 'stream'> & {
  readonly payment: Payment
  readonly onSettled: (txHash: Hex) => void
}

/** Outcome of a payment: the call; or why it is refused, as a reason of x402. */
export type Paid =
  | { readonly kind: 'called'; readonly invoked: Invoked }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Makes the call that a payment is for: settles it into the vault, credits its payer, then holds and charges from the
 * payer's balance like any other call, at most what was paid. The payment is the idempotency key: the same payment for
 * the same request gets the stored answer. Nothing settles for a request that cannot be served.
 *
 * @throws GatewayError why the request cannot be served; IDEMPOTENCY_CONFLICT if the payment was used for another;
 * WALLET_SUSPENDED; SERVICE_NOT_ALLOWED and BUDGET_EXHAUSTED by the payer's limits; UNAVAILABLE, as {@link settlePayment}
 * does
 */
export async function payAndCall(
  deps: CallDeps,
  { offer, ...asked }: AskedPaid & { readonly offer: Offer },
): Promise<Paid> {
  const { authorization, mismatch } = asked.payment
  const { payer, amount } = authorization
  if (mismatch !== null) return { kind: 'refused', reason: mismatch }
  if (offer.call instanceof GatewayError) throw offer.call
  if (amount < offer.due) return { kind: 'refused', reason: 'invalid_exact_evm_payload_authorization_value' }
  if (!offer.service.targets.some(({ isHealthy }) => isHealthy)) throw isDown()
  const shed = deps.calls.shed(payer)
  if (shed !== null) throw shed
  await deps.rawDb.transaction(tx => assertNotSuspended(tx, payer))
  const id = (await findPayer(deps.rawDb, payer))?.credentialId ?? null
  const names = [offer.service.id, offer.service.agentToolName, offer.call.serviceId]
  await assertLimitsAllow(deps, { owner: payer, id }, { names, hold: offer.amount })
  return settleAndCall(deps, asked, offer.call)
}

/**
 * Answers a request whose payment was broadcast before. It is settled and answered whatever has become of the service and
 * its price: a call that was made has a stored answer, and one that was not is refused like any other.
 *
 * @param asked.hash     what the payment is bound to
 * @param asked.readings what the request can be; the payment is for one of them
 * @throws GatewayError as {@link payAndCall} does
 */
export async function callAgain(
  deps: CallDeps,
  {
    hash,
    readings,
    ...asked
  }: AskedPaid & { readonly hash: Buffer | null; readonly readings: readonly (InvokeInput | GatewayError)[] },
): Promise<Paid> {
  const { mismatch } = asked.payment
  if (mismatch !== null) return { kind: 'refused', reason: mismatch }
  const isBound = (call: InvokeInput | GatewayError) =>
    !(call instanceof GatewayError) && hash?.equals(bindingOf(call)) === true
  const input = readings.find(isBound) ?? readings[0] ?? new GatewayError('SERVICE_NOT_FOUND')
  if (input instanceof GatewayError) throw input
  return settleAndCall(deps, asked, input)
}

async function settleAndCall(
  deps: CallDeps,
  { request, stream, payment, onSettled }: AskedPaid,
  input: InvokeInput,
): Promise<Paid> {
  const { authorization } = payment
  const { nonce, amount } = authorization
  const hash = bindingOf(input)
  const settlement = await settlePayment(deps, authorization, hash)
  if (settlement.kind === 'refused') return settlement
  onSettled(settlement.txHash)
  const agent = await agentOfPayment(deps, authorization)
  const paid = { hash, amount }
  const invoked = await makeCall(deps, { request, stream, agent, input, key: `x402-${nonce}`, paid })
  return { kind: 'called', invoked }
}

function isDown(): GatewayError {
  const message = 'The service has no healthy target now. Nothing was paid.'
  return new GatewayError('UPSTREAM_ERROR', { reason: 'no_healthy_target' }, { message })
}

/** Makes a call that costs nothing, without a payer. */
export async function callForFree(deps: CallDeps, { request, offer, stream }: Asked): Promise<Invoked> {
  if (offer.call instanceof GatewayError) throw offer.call
  return makeCall(deps, {
    request,
    stream,
    agent: await payerAgent(deps, NOBODY),
    input: offer.call,
    key: null,
  })
}

/** Makes a call from the balance of a wallet that has signed in. */
export async function callFromBalance(
  deps: CallDeps,
  { request, offer, stream, wallet }: Asked & { wallet: Address },
): Promise<Invoked> {
  if (offer.call instanceof GatewayError) throw offer.call
  return makeCall(deps, {
    request,
    stream,
    agent: await payerAgent(deps, wallet),
    input: offer.call,
    key: null,
  })
}

/** Returns true if a call was refused because it costs more than was paid for it, or than its payer has. */
export function isShort(invoked: Invoked): boolean {
  if (!('error' in invoked) || invoked.error.code !== 'BUDGET_EXHAUSTED') return false
  const { limit } = invoked.error.context
  return limit === 'payment' || limit === 'owner_balance'
}

/**
 * Returns the error of a failed call, or of one whose result is no longer stored, in the format of the wire; null if
 * there is a result.
 */
export function failureOf(invoked: Invoked, requestId: string): { status: number; body: ErrorBody } | null {
  const inWire = (error: GatewayError) => ({ status: error.status, body: error.toBody(requestId) })
  if ('error' in invoked) return inWire(invoked.error)
  const { answer } = invoked
  const { httpStatus, body } = answer
  if (httpStatus >= 400) return { status: httpStatus, body: JSON.parse(body) as ErrorBody }
  return answer.isExpired === true || wasStreamed(body) ? inWire(keptNoLonger(answer)) : null
}

/** Returns what a payment is bound to: service, payload and cap. */
function bindingOf({ serviceId, payload, maxCostUsdc }: InvokeInput): Buffer {
  return requestHash({ serviceId, payload, maxCostUsdc: maxCostUsdc?.toString() })
}

/**
 * Returns the agent of a payment's call.
 *
 * @throws GatewayError IDEMPOTENCY_CONFLICT if the call was made by a credential that has ended: its key is not known to
 * another, which would pay again
 */
async function agentOfPayment(
  deps: CallDeps,
  key: { readonly payer: Address; readonly nonce: Hex },
): Promise<Agent> {
  const agent = await payerAgent(deps, key.payer)
  const credentialId = await claimCall(deps.rawDb, key, agent.credentialId)
  if (credentialId === agent.credentialId) return agent
  const message = 'The payer has ended the credential of this payment. Sign a new payment.'
  throw new GatewayError('IDEMPOTENCY_CONFLICT', {}, { message })
}

async function makeCall(
  deps: CallDeps,
  call: Pick<Asked, 'request' | 'stream'> & {
    agent: Agent
    input: InvokeInput
    key: string | null
    paid?: { hash: Buffer; amount: Usdc }
  },
): Promise<Invoked> {
  const { request, stream, agent, key, paid } = call
  const input = { ...call.input, idempotencyKey: key ?? undefined }
  const made = callOf({ agent, request, input, assertsPrice: false, isFlat: true, sink: stream })
  try {
    return await invokeService(
      deps,
      paid === undefined ? made : { ...made, requestHash: paid.hash, holdMax: paid.amount },
    )
  } catch (error) {
    // Once the stream is open, the error must be reported inside it.
    if (!stream.isOpen) throw error
    deps.log.error({ requestId: request.id, err: error }, 'request failed')
    return { rate: null, error: asGatewayError(error) }
  }
}
