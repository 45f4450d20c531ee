import { type Usdc, usdc } from '@farebox/money'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPaymentFromConfig, type x402Client } from '@x402/fetch'
import { type Address, type Hex, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { readAvailable } from '../../../src/domains/ledger/read-available.ts'
import type { Deps } from '../../../src/ports.ts'
import { AUTHORIZATION_TYPES, newNonce } from '../chain/authorization.ts'
import type { TestChain } from '../chain/test-chain.ts'
import { newWallet } from './wallets.ts'

/** Terms of a resource, version 2, as tests read them. */
export type Terms = Parameters<x402Client['createPaymentPayload']>[0]

/** The key that pays for gas, as a setting and as an address. */
export function newSettler(): { key: Hex; address: Address; env: Record<string, string> } {
  const key = generatePrivateKey()
  return { key, address: privateKeyToAccount(key).address, env: { X402_SETTLER_KEY: key } }
}

/** Sets the ether of an address. */
export const giveGas = (chain: TestChain, address: Address, ether = '10') =>
  chain.client.setBalance({ address, value: parseEther(ether) })

/** A wallet with USDC and no account. */
export async function newX402Payer(chain: TestChain, amount: bigint) {
  const account = newWallet()
  await chain.fund(account.address, usdc(amount))
  return account
}

/** The stock client of a wallet, with the options that a token unknown to the library needs. */
export function stockFetch(account: PrivateKeyAccount): typeof fetch {
  return wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: 'eip155:31337', client: new ExactEvmScheme(account) }],
    spendControls: { allowedAssets: true },
  })
}

/** Parses a header of x402. */
export const decoded = <T = Record<string, unknown>>(header: string | null | undefined): T =>
  JSON.parse(Buffer.from(header ?? '', 'base64').toString()) as T

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Reads the terms of a resource. */
export async function askTerms(url: string, body: unknown = {}): Promise<Terms> {
  const answer = await request(url, body)
  return decoded<Terms>(answer.headers.get('payment-required'))
}

/** Signs a payment; returns the header to send any number of times. */
export async function signPayment(
  account: PrivateKeyAccount,
  terms: Terms,
  different: Partial<Record<'value' | 'validAfter' | 'validBefore', bigint>> & {
    nonce?: Hex
    to?: Address
  } = {},
): Promise<{ header: string; nonce: Hex; message: Authorized }> {
  const [accepted] = terms.accepts
  if (accepted === undefined) throw new Error('There are no terms.')
  const { name, version } = accepted.extra as { name: string; version: string }
  const now = BigInt(Math.floor(Date.now() / 1_000))
  const message = {
    from: account.address,
    to: accepted.payTo as Address,
    value: BigInt(accepted.amount),
    validAfter: now - 600n,
    validBefore: now + 3_600n,
    nonce: newNonce(),
    ...different,
  }
  const signature = await account.signTypedData({
    domain: { name, version, chainId: 31_337, verifyingContract: accepted.asset as Address },
    types: AUTHORIZATION_TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { value, validAfter, validBefore } = message
  const authorization = {
    ...message,
    value: `${value}`,
    validAfter: `${validAfter}`,
    validBefore: `${validBefore}`,
  }
  const header = encoded({ x402Version: 2, accepted, payload: { signature, authorization } })
  return { header, nonce: message.nonce, message: { ...message, signature } }
}

/** Returns the header of a payment that claims another amount than its payer signed. */
export function claiming(header: string, value: bigint): string {
  const claim = decoded<{ payload: { authorization: { value: string } } }>(header)
  claim.payload.authorization.value = String(value)
  return encoded(claim)
}

/** Returns the header of version 1 (`X-PAYMENT`) for a payment of version 2. */
export function asVersion1(header: string): string {
  const { payload } = decoded<{ payload: unknown }>(header)
  return encoded({ x402Version: 1, scheme: 'exact', network: 'eip155:31337', payload })
}

/** A signed authorization. */
export type Authorized = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

/** Sends a POST, with a payment if there is one. */
export function request(url: string, body: unknown, header?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(header !== undefined && { 'payment-signature': header }),
    },
    body: JSON.stringify(body),
  })
}

/** Returns what a wallet can spend. */
export const balanceOf = (deps: Deps, { address }: { address: Address }): Promise<Usdc> =>
  readAvailable(deps.db, address.toLowerCase())
