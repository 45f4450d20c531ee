import { type Usdc, usdc } from '@farebox/money'
import { type Account, openAccount } from './account.ts'
import { type Balances, readBalances } from './books.ts'
import type { BenchGateway } from './gateway.ts'
import { type ModelMarket, openModelMarket } from './model-market.ts'
import type { Options } from './options.ts'
import type { LoadWorker, ServingWorker, StreamLoadWorker } from './workers.ts'

/** More than a call of any part costs and has held, micro-USDC. */
const CALL_MICROS_MAX = 10_000n
/** More calls per second than any gateway here will serve: deposits must outlast the run. */
const CALLS_PER_SECOND_MAX = 25_000

/** A gateway with a model behind it and all that a part of the run needs. */
export type ModelRun = {
  readonly gateway: BenchGateway
  readonly model: ServingWorker
  /** The plain proxy in front of the model. */
  readonly control: ServingWorker
  readonly streams: StreamLoadWorker
  readonly calls: LoadWorker
  readonly market: ModelMarket
  readonly before: Balances
  readonly account: Account
  /** Where paid calls go. */
  readonly paid: { readonly origin: string; readonly path: string }
  say(line: string): void
}

/** Sets up a market for the model on a gateway. */
export async function openModelRun(
  options: Pick<Options, 'price' | 'rounds' | 'seconds' | 'warmupSeconds' | 'streams'>,
  on: Pick<ModelRun, 'gateway' | 'model' | 'control' | 'streams' | 'calls' | 'say'>,
): Promise<ModelRun> {
  const { gateway, model } = on
  const market = await openModelMarket({
    ...{ gatewayUrl: gateway.url, modelUrl: model.url, price: options.price },
    deposit: depositFor(options),
  })
  return {
    ...{ ...on, market, before: await readBalances(market), account: openAccount(market) },
    paid: { origin: gateway.url, path: '/api/v1/agent/invoke' },
  }
}

function depositFor(options: Pick<Options, 'rounds' | 'seconds' | 'warmupSeconds' | 'streams'>): Usdc {
  const { rounds, seconds, warmupSeconds, streams } = options
  const calls = Math.ceil(2 * (warmupSeconds + rounds * (seconds + 2)) * CALLS_PER_SECOND_MAX)
  return usdc(BigInt(calls + 2 * streams) * CALL_MICROS_MAX)
}
