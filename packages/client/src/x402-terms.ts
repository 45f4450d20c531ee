import { GatewayError, readMember, readObject } from './errors.ts'

/** Contracts of USDC by chain (CAIP-2), as Circle lists them. */
export const USDC: Readonly<Record<string, string>> = {
  'eip155:1': '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  'eip155:137': '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:42161': '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  'eip155:43114': '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  'eip155:421614': '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
}

/** Lifetime of a payment, in seconds, at most, and how far the payer's clock may be ahead of the chain's. */
const LIFETIME_SECONDS_MAX = 3_600
const SKEW_SECONDS = 600
const NONCE_BYTES = 32
const USDC_DECIMALS = 6

/** An EIP-712 message. Its parts have the types that accounts of viem and of x402 take. */
export type TypedMessage = {
  readonly domain: Record<string, unknown>
  readonly types: Record<string, unknown>
  readonly primaryType: string
  readonly message: Record<string, unknown>
}

/** Signs typed data with the key of a wallet: an account of viem that has its key, or anything of this shape. */
export type TypedDataAccount = {
  readonly address: string
  signTypedData(message: TypedMessage): Promise<string>
}

/** Signs typed data through a wallet: a wallet client of viem that has an account. */
export type TypedDataClient = {
  readonly account: { readonly address: string }
  signTypedData(message: TypedMessage): Promise<string>
}

/** A wallet that can pay. */
export type PayingWallet = TypedDataAccount | TypedDataClient

/** Terms that a payer agrees to. */
export type Agreed = {
  /** In micro-USDC. */
  readonly amountMax: bigint
  /** The token; undefined: USDC. */
  readonly asset: string | undefined
}

/** A way to pay: a transfer of one token by the scheme `exact`, as sent. */
export type Terms = {
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly amount: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Record<string, unknown>
}

/**
 * Returns the terms in a 402.
 *
 * @throws GatewayError PAYMENT_REQUIRED if none of them is agreed to; UNREADABLE without terms
 */
export function agreedTerms(refusal: GatewayError, { amountMax, asset }: Agreed): Terms {
  const { paymentRequired, status, requestId, detail } = refusal
  const about = { status, requestId, detail, cause: refusal }
  const accepts = readObject(decode(paymentRequired ?? ''))?.accepts
  const offered = (Array.isArray(accepts) ? accepts : []).filter(isTerms)
  if (offered.length === 0) throw new GatewayError('UNREADABLE', 'The 402 has no terms to pay by.', about)
  const inToken = offered.find(
    each => (asset ?? USDC[each.network])?.toLowerCase() === each.asset.toLowerCase(),
  )
  if (inToken === undefined) {
    const message =
      'The payment is not asked for in USDC, or on an unknown chain. Nothing was signed. If the token is right, give it as `asset`.'
    throw new GatewayError('PAYMENT_REQUIRED', message, about)
  }
  if (BigInt(inToken.amount) <= amountMax) return inToken
  const message = `It costs ${String(detail.requiredUsdc)} USDC, more than maxPaymentUsdc. Nothing was signed.`
  throw new GatewayError('PAYMENT_REQUIRED', message, about)
}

function isTerms(value: unknown): value is Terms {
  const of = readMember({ value }, 'value')
  const texts = [of?.network, of?.asset, of?.amount, of?.payTo]
  return (
    of?.scheme === 'exact' &&
    texts.every(text => typeof text === 'string') &&
    /^eip155:\d{1,15}$/.test(String(of.network)) &&
    /^\d{1,30}$/.test(String(of.amount)) &&
    typeof of.maxTimeoutSeconds === 'number' &&
    readMember(of, 'extra') !== null
  )
}

/** Returns an amount in micro-USDC. @throws RangeError if it is not a decimal with at most six decimals */
export function parseAmount(name: string, usdc: string): bigint {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(usdc) ?? []
  if (whole === undefined) throw new RangeError(`${name}: "${usdc}" is not an amount of USDC, such as "2.5".`)
  return BigInt(whole + fraction.padEnd(USDC_DECIMALS, '0'))
}

const TRANSFER = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
]

/** Signs an EIP-3009 transfer by terms. Returns it as the header `PAYMENT-SIGNATURE` of x402 version 2. */
export async function signTransfer(wallet: PayingWallet, accepted: Terms): Promise<string> {
  const { address } = 'address' in wallet ? wallet : wallet.account
  const now = Math.floor(Date.now() / 1_000)
  const { network, asset, amount, payTo, maxTimeoutSeconds, extra } = accepted
  const lifetime = Math.min(Math.max(1, Math.floor(maxTimeoutSeconds)), LIFETIME_SECONDS_MAX)
  const authorization = {
    from: address,
    to: payTo,
    value: amount,
    validAfter: `${now - SKEW_SECONDS}`,
    validBefore: `${now + lifetime}`,
    nonce: `0x${hexOf(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))}`,
  }
  const { value, validAfter, validBefore } = authorization
  const chainId = Number(network.slice('eip155:'.length))
  const signature = await wallet.signTypedData({
    domain: { name: extra.name, version: extra.version, chainId, verifyingContract: asset },
    types: { TransferWithAuthorization: TRANSFER },
    primaryType: 'TransferWithAuthorization',
    message: Object.assign({}, authorization, {
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    }),
  })
  return encode(JSON.stringify({ x402Version: 2, accepted, payload: { signature, authorization } }))
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

/** Encodes text as base64 of its UTF-8. */
const encode = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''))

/** Decodes a header of x402; '' if it is not base64. */
export function decode(header: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(header), character => character.charCodeAt(0)))
  } catch {
    return ''
  }
}
