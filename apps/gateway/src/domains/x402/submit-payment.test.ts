import { expect, test } from 'vitest'
import { silent } from '../../../test/kit/silent-log.ts'
import type { Settler } from '../../payment-ports.ts'
import { readAffordable } from './submit-payment.ts'

test.each([
  [9n, 4n, 2n],
  [0n, 4n, 0n],
  // A chain without fees.
  [0n, 0n, 2n],
])('of %i wei, at %i for a payment, %i can be paid for', async (left, perPayment, affordable) => {
  const settler = { address: '0x', gas: async () => ({ left, perPayment }) } as unknown as Settler
  expect(await readAffordable({ settler, metrics: { set: () => undefined } as never, log: silent })).toBe(
    affordable,
  )
})
