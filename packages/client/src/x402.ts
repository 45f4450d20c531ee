import type { Client } from './client.ts'
import { GatewayError, readObject } from './errors.ts'
import { type EventStream, openStream } from './event-stream.ts'
import { readStreamError } from './stream-errors.ts'
import { agreedTerms, decode, type PayingWallet, parseAmount, signTransfer } from './x402-terms.ts'

export type { PayingWallet, TypedDataAccount, TypedDataClient, TypedMessage } from './x402-terms.ts'

/** Default time for a response, in ms: a payment waits 25 s for the chain, and a call may take 120 s. */
const TIMEOUT_MS = 160_000
/** Default of `maxPaymentUsdc`. */
const PAYMENT_USDC_MAX = '1'

/** A call to pay for. */
export type PaidCallInput = {
  /** Account or wallet client of viem that holds USDC. It needs no ether and no account at the gateway. */
  readonly account: PayingWallet
  /** A service id or an agentToolName. */
  readonly service: string
  /** Arguments of the service. Without them the request is a GET. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Arguments in the URL; `maxCostUsdc` lowers the maximum cost at a model. */
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** Maximum payment, decimal USDC. Default 1. */
  readonly maxPaymentUsdc?: string | undefined
  /** Contract of the token to pay with. Default: USDC. The development chain needs it: `readChain` has it as `usdc`. */
  readonly asset?: string | undefined
  /** Called with the payment before it is sent. Store it: as `payment` it repeats the call after a crash. */
  readonly onSigned?: ((payment: string) => void | Promise<void>) | undefined
  /** A payment that was signed for the same call before. Nothing else is signed. */
  readonly payment?: string | undefined
  /** Time for each response, in ms. Default 160,000. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Answer to a paid call. Amounts are decimal USDC. */
export type PaidCall = {
  /** The provider's answer, unread. */
  readonly response: Response
  /** Reads the answer as events, for a model that was asked to `stream`; then the bill is in it. */
  readonly events: () => EventStream
  readonly invocationId: string
  /** Cost of the call; null for a stream, whose bill has it. */
  readonly chargedUsdc: string | null
  /** Remaining balance of the payer at the gateway; null for a free call, a stream, and a payment sent again. */
  readonly balanceUsdc: string | null
  /** Transaction of the payment; null for a free call. */
  readonly txHash: string | null
}

/**
 * Calls a service without an account and pays by x402: asks for the price, signs a transfer of that much USDC into the
 * vault, and sends it with the call. The gateway pays the gas. A payment is used once: after transient errors the same one
 * is sent again, which is never charged twice. What the call does not use is the payer's balance at the gateway.
 *
 * @param api client of the gateway; it needs no credential
 * @param input the call, who pays, and how much at most
 * @throws RangeError if `maxPaymentUsdc` is not an amount; nothing was sent
 * @throws GatewayError PAYMENT_REQUIRED if it costs more than `maxPaymentUsdc` or another token (nothing was signed), or if
 * the payment is refused (`detail.reason`); other codes of the call, whose payment is then in the payer's balance
 * @example
 * const api = createClient({ baseUrl: 'https://gateway.example' })
 * const { response } = await payWithX402(api, { account, service: 'weather', body: { city: 'Lisbon' } })
 * console.log(await response.json())
 */
export async function payWithX402(api: Pick<Client, 'raw'>, input: PaidCallInput): Promise<PaidCall> {
  const { account, service, body, query, maxPaymentUsdc = PAYMENT_USDC_MAX, asset, onSigned, signal } = input
  const amountMax = parseAmount('maxPaymentUsdc', maxPaymentUsdc)
  const send = async (payment: string | null) => {
    const request = {
      path: { service },
      query: { ...query },
      signal,
      timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
      ...(payment !== null && { headers: { 'payment-signature': payment } }),
    }
    const response =
      body === undefined
        ? await api.raw('getPaidResource', request)
        : await api.raw('callPaidResource', { ...request, body })
    return paidCallOf(response)
  }
  if (input.payment !== undefined) return send(input.payment)
  try {
    return await send(null)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'PAYMENT_REQUIRED') throw error
    const payment = await signTransfer(account, agreedTerms(error, { amountMax, asset }))
    await onSigned?.(payment)
    return send(payment)
  }
}

function paidCallOf(response: Response): PaidCall {
  const { headers } = response
  const transaction = readObject(decode(headers.get('payment-response') ?? ''))?.transaction
  return {
    response,
    events: () => openStream(response, readStreamError),
    invocationId: headers.get('farebox-invocation-id') ?? '',
    chargedUsdc: headers.get('farebox-charged-usdc'),
    balanceUsdc: headers.get('farebox-balance-usdc'),
    txHash: typeof transaction === 'string' ? transaction : null,
  }
}
