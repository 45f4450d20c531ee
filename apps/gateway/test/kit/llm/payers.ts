import { newPayer as newPayerWith, type Payer } from '../world/payer.ts'
import type { OnGateway } from '../world/world.ts'

/** Initial funds of a payer in micro-USDC. */
export const FUNDS = 10_000_000n
const FUNDS_USDC = '10'

/** Makes a payer with {@link FUNDS}. */
export const newPayer = (on: OnGateway, limits: Record<string, unknown> = {}): Promise<Payer> =>
  newPayerWith(on, FUNDS_USDC, limits)
