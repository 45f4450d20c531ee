import { type Client, createClient } from '@farebox/client'
import { signIn } from '@farebox/client/sign-in'
import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Address } from 'viem'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'

/** A gateway that has just started may be busy: requests that may be repeated are. */
const RETRIES = 20
/** Calls per minute of a credential: no limit for any load. */
const RPM_MAX = 10_000_000

/** A wallet with a session, and its requests to one gateway. */
export type Person = { readonly wallet: Address; readonly token: string; readonly api: Client }

/** Returns a client of a gateway with a session. */
export const clientOf = (url: string, token: string | null): Client =>
  createClient({ baseUrl: url, token: () => token, retries: RETRIES })

/** Signs a wallet in, a new one by default. */
export async function arrive(url: string, account: LocalAccount = newWallet()): Promise<Person> {
  const { token } = await signIn(clientOf(url, null), account)
  return { wallet: account.address, token, api: clientOf(url, token) }
}

/** Returns a wallet with a new key. */
export function newWallet(): LocalAccount {
  return privateKeyToAccount(generatePrivateKey())
}

/** Mints an agent credential, which may spend `limit` at most. */
export async function mint(
  { api }: Person,
  limit: Usdc | null = null,
): Promise<{ id: string; token: string }> {
  const limits = limit === null ? {} : { creditLimit: formatUsdc(limit) }
  const { credentialId: id, token } = await api.issueCredential({
    body: { name: 'lab', rpm: RPM_MAX, ...limits },
  })
  return { id, token }
}

/** A service to be registered. Prices of tokens are per million. */
export type Offer = {
  readonly name: string
  readonly urls: readonly string[]
  readonly price: Usdc | { readonly input: Usdc; readonly output: Usdc; readonly maxOutputTokens?: number }
  readonly timeoutMs?: number
}

/** Registers an API at a fixed price, or a model priced by tokens. Returns its id. */
export async function register({ api }: Person, { name, urls, price, timeoutMs }: Offer): Promise<string> {
  const targets = urls.map(url => ({ url, weight: 1 }))
  const invoke = { method: 'POST' as const, targets, ...(timeoutMs !== undefined && { timeoutMs }) }
  const named = { serviceName: name, agentToolName: name.toLowerCase().replaceAll(' ', '-') }
  const body = typeof price === 'bigint' ? { pricing: priceBody(price) } : tokenPrices(price)
  return (await api.registerService({ body: { ...named, summary: 'Answers.', ...body, invoke } })).serviceId
}

/** Returns the member `pricing` of a manifest. */
export const priceBody = (price: Usdc) => ({ currency: 'USDC' as const, amount: formatUsdc(price) })

const tokenPrices = ({ input, output, maxOutputTokens }: Exclude<Offer['price'], Usdc>) => ({
  serviceKind: 'llm' as const,
  priceModel: 'token_metered' as const,
  llmDialect: 'openai' as const,
  inputPricePer1MTokensUsdc: formatUsdc(input),
  outputPricePer1MTokensUsdc: formatUsdc(output),
  ...(maxOutputTokens !== undefined && { defaultMaxOutputTokens: maxOutputTokens, maxAutoHoldUsdc: '1' }),
})

/** Money of a wallet, in micro-USDC. */
export type Balance = {
  readonly available: Usdc
  readonly held: Usdc
  readonly receivable: Usdc
  readonly feesPaid: Usdc
}

/** Reads the balance of a wallet. */
export async function balanceOf({ api }: Pick<Person, 'api'>): Promise<Balance> {
  const body = await api.readBalance()
  return {
    available: parseUsdc(body.consumer_available_balance),
    held: parseUsdc(body.consumer_held_balance),
    receivable: parseUsdc(body.provider_receivable_balance),
    feesPaid: parseUsdc(body.protocol_fee_balance),
  }
}

/** Returns the cost of tokens: usage times price, rounded up once. */
export function costOfTokens(
  used: { readonly inputTokens: number; readonly outputTokens: number },
  price: { readonly input: bigint; readonly output: bigint },
): Usdc {
  const millionths = BigInt(used.inputTokens) * price.input + BigInt(used.outputTokens) * price.output
  return usdc((millionths + 999_999n) / 1_000_000n)
}
