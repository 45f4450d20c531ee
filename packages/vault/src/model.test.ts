import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alice, bob, type Chain, mallory, owner, Reverted, signer, startChain } from '../test/chain.ts'
import { openVault, pay, type Usdc, type Vault } from '../test/fixture.ts'
import { type Step, VaultModel } from '../test/model.ts'
import { withdrawalNonce } from './index.ts'

const USERS = [alice, bob]
const KEYS = [signer, mallory]
const NONCES = 20
const OPENING: Step = { do: 'deposit', wait: 0, user: 0, amount: 300n }
const START = { users: USERS.length, balance: 400n, cap: 100n }

const user = fc.nat({ max: USERS.length - 1 })
const key = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) })

/**
 * Waits of minutes, whole hours, about a day and many days, so that buckets fill up and expire one by one or all at
 * once.
 */
const wait = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 3_000 }) },
  { weight: 3, arbitrary: fc.nat({ max: 12 }).map(hours => hours * 3_600) },
  { weight: 1, arbitrary: fc.integer({ min: 23 * 3_600, max: 26 * 3_600 }) },
  { weight: 1, arbitrary: fc.nat({ max: 10 }).map(days => days * 86_400) },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('deposit'), wait, user, amount: fc.bigInt(0n, 150n) }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constant('withdraw'),
      wait,
      user,
      amount: fc.bigInt(0n, 60n),
      nonce: fc.nat({ max: NONCES - 1 }),
      key,
      lifetime: fc.integer({ min: -1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('setCap'), wait, cap: fc.bigInt(0n, 200n) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('setSigner'), wait, key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause'), wait }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('unpause'), wait }) },
)

let chain: Chain

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

function pick<T>(from: readonly T[], index: number): T {
  const found = from[index]
  if (found === undefined) throw new Error(`there is no number ${index}`)
  return found
}

/** Executes a step on the chain, at the model's time. */
async function perform(vault: Vault, now: bigint, step: Step): Promise<unknown> {
  await chain.client.setNextBlockTimestamp({ timestamp: now })
  switch (step.do) {
    case 'deposit':
      return vault.write(pick(USERS, step.user), 'deposit', [step.amount])
    case 'withdraw': {
      const ticket = {
        to: pick(USERS, step.user).address,
        amount: step.amount,
        deadline: now + BigInt(step.lifetime),
        nonce: withdrawalNonce(`withdrawal ${step.nonce}`),
      }
      return pay(vault, ticket, pick(KEYS, step.key))
    }
    case 'setCap':
      return vault.write(owner, 'setDailyWithdrawalCap', [step.cap])
    case 'setSigner':
      return vault.write(owner, 'setSigner', [pick(KEYS, step.key).address])
    default:
      return vault.write(owner, step.do, [])
  }
}

async function outcome(transaction: Promise<unknown>): Promise<string> {
  return transaction.then(
    () => 'ok',
    cause => {
      if (cause instanceof Reverted) return cause.errorName
      throw cause
    },
  )
}

/** Returns the part of the chain's state that the model also has. */
async function chainState(usdc: Usdc, vault: Vault) {
  const nonces = Array.from({ length: NONCES }, (_, nonce) => nonce)
  const used = await Promise.all(
    nonces.map(nonce => vault.read('isNonceUsed', [withdrawalNonce(`withdrawal ${nonce}`)])),
  )
  return {
    balances: await Promise.all(USERS.map(({ address }) => usdc.read('balanceOf', [address]))),
    held: await usdc.read('balanceOf', [vault.address]),
    used: nonces.filter(nonce => used[nonce]),
    counted: await vault.read('withdrawnInWindow', []),
    available: await vault.read('availableToWithdraw', []),
  }
}

function modelState(model: VaultModel) {
  const { balances, held, counted, available } = model
  return { balances, held, used: [...model.usedNonces].sort((a, b) => a - b), counted, available }
}

async function play(steps: Step[]): Promise<void> {
  const { usdc, vault } = await openVault(chain, { cap: START.cap })
  for (const { address } of USERS) {
    await usdc.write(owner, 'mint', [address, START.balance])
    await usdc.write({ address }, 'approve', [vault.address, 2n ** 256n - 1n])
  }
  const model = new VaultModel({ ...START, time: Number(await chain.now()) })
  for (const step of [OPENING, ...steps]) {
    const expected = model.take(step)
    expect(await outcome(perform(vault, BigInt(model.time), step))).toBe(expected)
    if (step.do === 'withdraw' && expected === 'ok') {
      expect(model.paidInADay).toBeLessThanOrEqual(model.cap)
    }
    expect(await chainState(usdc, vault)).toEqual(modelState(model))
  }
}

describe('the vault', () => {
  test('behaves like its model, step by step, for any sequence of actions', async () => {
    const story = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' })
    await fc.assert(fc.asyncProperty(story, play), { numRuns: 20, interruptAfterTimeLimit: 15_000 })
  })
})
