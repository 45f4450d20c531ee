import { parseUsdc } from '@farebox/money'
import { expect } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../kit/provider/llm-provider.ts'
import { until } from '../kit/until.ts'
import { arrive, mint, ownerWith, type Person } from '../kit/world/world.ts'

/** Prices of every model here, in micro-USDC per million tokens: uneven, so that rounding shows. */
const INPUT_PRICE = 2_500_001n
const OUTPUT_PRICE = 10_000_003n
const PER = 1_000_000n

/** A call in the books. Amounts in micro-USDC. */
type BookedCall = {
  readonly id: string
  readonly status: string
  readonly hold: bigint
  readonly charged: bigint
  readonly input_tokens: string | null
  readonly output_tokens: string | null
}

/** A gateway, an LLM provider and an owner with money. */
export type ModelFixture = Awaited<ReturnType<typeof startModelFixture>>

/** Starts gateway and provider for a test file; no model is registered yet. */
export async function startModelFixture(options: { env?: Record<string, string> } = {}) {
  const [on, provider] = await Promise.all([startTestGateway(options), startLlmProvider()])
  const [seller, owner] = [await arrive(on), await ownerWith(on, '50')]

  return {
    on,
    provider,
    seller,
    owner,
    /** Registers a model at a path of the provider; returns its service id. */
    offer: (name: string, path: string, manifest: Record<string, unknown> = {}) =>
      offer({ on, provider, seller }, { name, path, manifest }),
    /** Mints a credential of the owner. */
    credential: (limits: Record<string, unknown> = {}) => mint(on, owner, limits),
    /** Returns the only call of a credential, once it is in a state. */
    bookedCall: async (credential: { id: string }, status: string): Promise<BookedCall> => {
      let calls: BookedCall[] = []
      await until(`one call is ${status}`, async () => {
        calls = await readCalls(on, credential.id)
        return calls.length === 1 && calls[0]?.status === status
      })
      const [call] = calls
      if (call === undefined) throw new Error('There is no call.')
      return call
    },
    /** Returns the number of a credential's calls. */
    countCalls: async (credential: { id: string }) => (await readCalls(on, credential.id)).length,
    /** Returns what the calls of the provider from an index on cost by its true tokens, each rounded up, micro-USDC. */
    costSince: (index: number): bigint =>
      provider.calls
        .slice(index)
        .reduce((sum, { tokens }) => sum + (tokens === null ? 0n : costOf(tokens)), 0n),
    /** Checks that every charged call of the provider costs its true tokens times the prices, rounded up once. */
    async assertCharges() {
      for (const call of await readCalls(on, null)) {
        if (call.status !== 'SUCCEEDED') continue
        const seen = provider.calls.filter(({ headers }) => headers['farebox-invocation-id'] === call.id)
        expect(seen).toHaveLength(1)
        const tokens = seen[0]?.tokens
        if (tokens === null || tokens === undefined) throw new Error('The provider counted nothing.')
        expect({ id: call.id, charged: BigInt(call.charged) }).toEqual({
          id: call.id,
          charged: costOf(tokens),
        })
      }
      await on.assertBooks()
    },
    async stop() {
      await Promise.all([on.stop(), provider.stop()])
    },
  }
}

function costOf({ input, output }: { input: number; output: number }): bigint {
  const cost = BigInt(input) * INPUT_PRICE + BigInt(output) * OUTPUT_PRICE
  return (cost + PER - 1n) / PER
}

async function offer(
  { on, provider, seller }: { on: TestGateway; provider: LlmTestProvider; seller: Person },
  { name, path, manifest }: { name: string; path: string; manifest: Record<string, unknown> },
): Promise<string> {
  const registered = await send<{ serviceId: string }>(on.url, '/api/v1/services', {
    method: 'POST',
    token: seller.token,
    body: {
      serviceName: `Model ${name}`,
      agentToolName: name,
      serviceKind: 'llm',
      priceModel: 'token_metered',
      inputPricePer1MTokensUsdc: '2.500001',
      outputPricePer1MTokensUsdc: '10.000003',
      invoke: { method: 'POST', targets: [{ url: provider.url + path }] },
      ...manifest,
    },
  })
  expect(registered.body).toMatchObject({ status: 'active' })
  return registered.body.serviceId
}

function readCalls(on: TestGateway, credentialId: string | null): Promise<BookedCall[]> {
  return on.sql<BookedCall>(
    `select i.id, i.status, i.hold, i.charged, m.input_tokens, m.output_tokens
     from invocations i join metered_calls m on m.invocation_id = i.id
     where $1::text is null or i.credential_id = $1 order by i.id`,
    [credentialId],
  )
}

/** Returns the bill in the comment of a stream. */
export function billIn(stream: string): Record<string, unknown> {
  const [, json = ''] = /^: farebox (.*)$/m.exec(stream) ?? []
  return JSON.parse(json)
}

/** Parses an amount of a header or a bill, in micro-USDC. */
export const microsOf = (amount: unknown): bigint => parseUsdc(String(amount))

/** Sends a request without a client, for what clients do not show; a text is sent as it is. */
export function postTo(
  on: { readonly url: string },
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(`${on.url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Returns the error that a client throws; fails if it throws none, or another kind. */
export async function raisedAs<Raised>(
  kind: abstract new (...parts: never[]) => Raised,
  asked: Promise<unknown>,
): Promise<Raised> {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof kind)) throw error ?? new Error('Nothing was raised.')
  return error
}
