import { formatUsdc } from '@farebox/money'
import { encodePaymentResponseHeader } from '@x402/core/http'
import type { Network } from '@x402/core/types'
import type { FastifyReply } from 'fastify'
import { type Address, getAddress, type Hex } from 'viem'
import { retryHeaders } from '../../http/errors.ts'
import { contentSecurityPolicy } from '../../http/security-headers.ts'
import type { Invoked } from '../invocation/invoke-service.ts'
import { billOf, binaryResultOf, resultOf } from '../invocation/records/read-answer.ts'
import { AgentStream } from '../invocation/stream/agent-stream.ts'
import { readAvailable } from '../ledger/read-available.ts'
import { readPlaceholders } from '../services/resolve-service-id.ts'
import {
  callAgain,
  callForFree,
  callFromBalance,
  failureOf,
  isShort,
  type Paid,
  payAndCall,
} from './call-resource.ts'
import { networkIn } from './networks.ts'
import { resourceUrlOf, sendTerms } from './payment-terms.ts'
import { type Offer, quoteResource, type ResourceRequest, readingsOf } from './quote-resource.ts'
import { type Payment, readPayment } from './read-payment.ts'
import { readSignIn } from './sign-in.ts'
import { findSent } from './store.ts'
import type { Visit, X402Deps } from './x402-deps.ts'

/**
 * Answers a request for a paid resource: with its terms, or with the provider's answer if it is paid, free, or covered
 * by the balance of a wallet that signs in.
 *
 * @throws GatewayError SERVICE_NOT_FOUND; INVALID_REQUEST for a malformed header; and why a paid request is refused
 */
export async function answerResource(deps: X402Deps, visit: Visit): Promise<FastifyReply> {
  const { request, reply } = visit
  const { headers } = request
  reply.header('cache-control', 'no-store')
  const payment = readPayment(deps.chain.facts, headers)
  const sent = payment === null ? null : await findSent(deps.rawDb, payment.authorization)
  if (payment !== null && sent !== null) return answerAgain(deps, visit, { payment, hash: sent.requestHash })
  const offer = await quoteVisit(deps, visit)
  // A free call takes no payment.
  if (payment !== null && offer.amount > 0n) return answerPaid(deps, visit, { offer, payment })
  if (offer.amount === 0n) {
    await deps.limitFree(request, reply)
    const stream = new AgentStream(reply)
    const invoked = await callForFree(deps, { request, offer, stream })
    // It has had a price since the offer was read.
    if (isShort(invoked))
      return sendTerms(deps, reply, await quoteVisit(deps, visit), { requestId: request.id })
    return sendAnswer(deps, visit, { invoked, payer: null, stream })
  }
  const signIn = await readSignIn(deps, headers, resourceUrlOf(deps.publicUrl, offer.service))
  if (signIn === null) return sendTerms(deps, reply, offer, { requestId: request.id })
  if ('refused' in signIn)
    return sendTerms(deps, reply, offer, { requestId: request.id, reason: signIn.refused })
  return answerSignedIn(deps, visit, { offer, wallet: signIn.wallet })
}

function requestOf({ request, unread }: Visit): ResourceRequest {
  const { params, query, method } = request
  return { reference: params.service, method, query, body: unread ?? request.body ?? undefined }
}

const quoteVisit = (deps: X402Deps, visit: Visit): Promise<Offer> => quoteResource(deps, requestOf(visit))

async function answerPaid(
  deps: X402Deps,
  visit: Visit,
  { offer, payment }: { offer: Offer; payment: Payment },
): Promise<FastifyReply> {
  const asked = askedBy(deps, visit, payment)
  const paid = await payAndCall(deps, { ...asked, offer })
  return sendPaid(deps, visit, { ...asked, paid, payer: payment.authorization.payer })
}

/**
 * Answers a payment that was broadcast before: anybody can read it on the chain and send it again, so the balance of its
 * payer is not shown.
 */
async function answerAgain(
  deps: X402Deps,
  visit: Visit,
  { payment, hash }: { payment: Payment; hash: Buffer | null },
): Promise<FastifyReply> {
  const request = requestOf(visit)
  const service = await readPlaceholders(deps.rawDb, request.reference)
  const readings = service === null ? [] : [...readingsOf(service, request)]
  const asked = askedBy(deps, visit, payment)
  const paid = await callAgain(deps, { ...asked, hash, readings })
  return sendPaid(deps, visit, { ...asked, paid, payer: null })
}

function askedBy(deps: X402Deps, { request, reply }: Visit, payment: Payment) {
  const onSettled = (transaction: Hex) => writePaymentResponse(deps, reply, payment, { transaction })
  return { request, stream: new AgentStream(reply), payment, onSettled }
}

async function sendPaid(
  deps: X402Deps,
  visit: Visit,
  {
    paid,
    payment,
    payer,
    stream,
  }: { paid: Paid; payment: Payment; payer: Address | null; stream: AgentStream },
): Promise<FastifyReply> {
  const { request, reply } = visit
  if (paid.kind === 'refused') {
    const { reason } = paid
    writePaymentResponse(deps, reply, payment, { errorReason: reason, transaction: '' })
    const offer = await quoteVisit(deps, visit)
    return sendTerms(deps, reply, offer, { requestId: request.id, reason })
  }
  if (isShort(paid.invoked)) return sendShort(deps, visit, payer)
  return sendAnswer(deps, visit, { invoked: paid.invoked, payer, stream })
}

async function answerSignedIn(
  deps: X402Deps,
  visit: Visit,
  { offer, wallet }: { offer: Offer; wallet: Address },
): Promise<FastifyReply> {
  const available = await readAvailable(deps.db, wallet)
  if (available < offer.amount) return sendShort(deps, visit, wallet)
  const stream = new AgentStream(visit.reply)
  const invoked = await callFromBalance(deps, { request: visit.request, offer, stream, wallet })
  if (isShort(invoked)) return sendShort(deps, visit, wallet)
  return sendAnswer(deps, visit, { invoked, payer: wallet, stream })
}

/**
 * Answers 402 with the current terms to a payer whose payment or balance does not cover the call. `payer` null: anybody
 * may be asking.
 */
async function sendShort(deps: X402Deps, visit: Visit, payer: Address | null): Promise<FastifyReply> {
  const offer = await quoteVisit(deps, visit)
  const short = { requestId: visit.request.id, reason: 'insufficient_balance' }
  if (payer === null) {
    const message = 'The balance of the payer does not cover the call.'
    return sendTerms(deps, visit.reply, offer, { ...short, message })
  }
  const available = await readAvailable(deps.db, payer)
  const balanceUsdc = formatUsdc(available)
  const refusal =
    available < offer.amount
      ? { ...short, message: `The balance of ${balanceUsdc} USDC does not cover the call.` }
      : {
          ...short,
          reason: 'invalid_exact_evm_payload_authorization_value',
          message: `The price rose above the payment, which is credited to the payer. The balance of ${balanceUsdc} USDC covers the call: spend it by sign-in-with-x.`,
        }
  return sendTerms(deps, visit.reply, offer, {
    ...refusal,
    detail: { balanceUsdc },
  })
}

/** Sets the header of a settlement, in the version of the payment. */
function writePaymentResponse(
  deps: X402Deps,
  reply: FastifyReply,
  { version, authorization }: Payment,
  settled: { transaction: Hex | ''; errorReason?: string },
): void {
  const { facts } = deps.chain
  const isV2 = version === 2
  // The type knows the networks of version 2 only.
  const network = networkIn(version, facts) as Network
  const { errorReason, transaction } = settled
  const payer = getAddress(authorization.payer)
  const value = encodePaymentResponseHeader({
    success: errorReason === undefined,
    ...(errorReason !== undefined && { errorReason }),
    transaction,
    network,
    payer,
  })
  reply.header(isV2 ? 'payment-response' : 'x-payment-response', value)
}

/** An image, sound or video without script, with plain parameters: browsers take no other type from it. */
const MEDIA_TYPE = /^(?:image|audio|video)\/(?!svg|xml)[\w.-]+(?:; ?[\w-]+=(?:[\w.-]+|"[\w., -]*"))*$/i

/** Returns the headers of a provider's file: no browser displays it as a page, or runs it as a script, of the gateway. */
function fileHeaders(contentType: string): Record<string, string> {
  return {
    'content-type': MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-security-policy': contentSecurityPolicy.file,
  }
}

/**
 * Ends the stream, or sends the provider's answer unchanged, or the error of a failed call.
 *
 * @param payer whose balance to show; null: none
 */
async function sendAnswer(
  deps: X402Deps,
  { request, reply }: Visit,
  { invoked, payer, stream }: { invoked: Invoked; payer: Address | null; stream: AgentStream },
): Promise<FastifyReply> {
  if (stream.isOpen) return stream.end(invoked, request.id)
  if (payer !== null) reply.header('farebox-balance-usdc', formatUsdc(await readAvailable(deps.db, payer)))
  const failure = failureOf(invoked, request.id)
  if (failure !== null)
    return reply.code(failure.status).headers(retryHeaders(failure.body.detail)).send(failure.body)
  if ('error' in invoked) throw invoked.error
  const { body, isReplay } = invoked.answer
  const { invocationId, chargedUsdc } = billOf(body)
  if (isReplay) reply.header('idempotent-replayed', 'true')
  reply.headers({ 'farebox-invocation-id': invocationId, 'farebox-charged-usdc': chargedUsdc })
  const binary = binaryResultOf(body)
  if (binary !== null) {
    reply.headers(fileHeaders(binary.contentType))
    return reply.send(Buffer.from(binary.base64, 'base64'))
  }
  return reply.type('application/json; charset=utf-8').send(resultOf(body))
}
