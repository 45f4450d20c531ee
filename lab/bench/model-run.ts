import { type Account, openAccount } from './account.ts'
import { type Balances, readBalances } from './books.ts'
import { type ModelMarket, openModelMarket } from './model-market.ts'
import type { Options } from './options.ts'
import type { BenchGateway } from './site.ts'
import type { LoadWorker, ServingWorker, StreamLoadWorker } from './workers.ts'

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
  options: Pick<Options, 'price'>,
  on: Pick<ModelRun, 'gateway' | 'model' | 'control' | 'streams' | 'calls' | 'say'>,
): Promise<ModelRun> {
  const { gateway, model } = on
  const market = await openModelMarket({ gateway, modelUrl: model.url, price: options.price })
  return {
    ...on,
    market,
    before: await readBalances(market),
    account: openAccount(),
    paid: { origin: gateway.url, path: '/api/v1/agent/invoke' },
  }
}
