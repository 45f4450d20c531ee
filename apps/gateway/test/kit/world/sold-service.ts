import type { Answer } from '../network/http.ts'
import { startProvider, type TestProvider } from '../provider/provider.ts'
import { arrive, type InvokeBody, invoke, type OnGateway, type Person, register } from './world.ts'

/** Price of a call of a sold service, in micro-USDC and on the wire. */
export const PRICE = 10_000n
export const PRICE_USDC = '0.010000'

/** A provider on a socket and its service, at {@link PRICE} a call. */
export type SoldService = {
  readonly upstream: TestProvider
  readonly provider: Person
  readonly service: string
  /** Calls the service once, through the gateway that it was registered with unless another is given. */
  call(
    credential: { readonly token: string },
    more?: Record<string, unknown>,
    by?: { readonly url: string },
  ): Promise<Answer<InvokeBody>>
}

/** Starts a provider and registers its service. */
export async function sellService(on: OnGateway): Promise<SoldService> {
  const upstream = await startProvider()
  const provider = await arrive(on)
  const service = await register(on, provider, { targets: [upstream.url], priceUsdc: PRICE_USDC })
  return {
    upstream,
    provider,
    service,
    call: (credential, more = {}, by = on) =>
      invoke(by, credential, {
        serviceId: service,
        costUsdc: PRICE_USDC,
        payload: { body: { q: 1 } },
        ...more,
      }),
  }
}
