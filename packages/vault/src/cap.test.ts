import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alice, bob, type Chain, mallory, owner, revertOf, startChain } from '../test/chain.ts'
import { fund, openVault, pay, ticketFor, type Usdc, type Vault } from '../test/fixture.ts'

const HOUR = 3_600n
const CAP = 100n
const HELD = 10_000n

let chain: Chain
let usdc: Usdc
let vault: Vault
let firstHour: bigint

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

/** Starts each test in the first second of an hour, with a new vault that has paid nothing yet. */
beforeEach(async () => {
  firstHour = ((await chain.now()) / HOUR + 1n) * HOUR
  await chain.warpTo(firstHour)
  ;({ usdc, vault } = await openVault(chain, { cap: CAP }))
  await fund(usdc, vault, alice, HELD)
})

async function withdraw(amount: bigint) {
  return pay(vault, await ticketFor(chain, bob, { amount }))
}

function available() {
  return vault.read('availableToWithdraw', [])
}

describe('the daily withdrawal cap', () => {
  test('lets exactly the cap out, and not a unit more', async () => {
    await withdraw(CAP - 1n)
    expect(await available()).toBe(1n)
    expect(await revertOf(withdraw(2n))).toEqual(['DailyCapExceeded', 2n, 1n])
    await withdraw(1n)
    expect(await available()).toBe(0n)
    expect(await revertOf(withdraw(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
  })

  test('refuses a single ticket above it even when nothing has gone out', async () => {
    expect(await revertOf(withdraw(CAP + 1n))).toEqual(['DailyCapExceeded', CAP + 1n, CAP])
  })

  test('refuses the largest amount there is without overflow', async () => {
    const everything = 2n ** 256n - 1n
    await withdraw(1n)
    expect(await revertOf(withdraw(everything))).toEqual(['DailyCapExceeded', everything, CAP - 1n])
  })

  test('leaves a refused ticket open, to be paid when there is room', async () => {
    await withdraw(CAP)
    const ticket = await ticketFor(chain, bob, { amount: 5n, deadline: firstHour + 100n * HOUR })
    expect(await revertOf(pay(vault, ticket))).toEqual(['DailyCapExceeded', 5n, 0n])
    expect(await vault.read('isNonceUsed', [ticket.nonce])).toBe(false)
    await chain.warpTo(firstHour + 25n * HOUR)
    await pay(vault, ticket)
    expect(await available()).toBe(CAP - 5n)
  })

  test('counts a withdrawal for a full day, and until the end of the hour at most', async () => {
    await withdraw(CAP)
    await chain.warpTo(firstHour + 25n * HOUR - 1n)
    expect(await revertOf(withdraw(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
    await chain.warpTo(firstHour + 25n * HOUR)
    await withdraw(CAP)
  })

  test('does not forget a withdrawal from the last second of an hour before its day is over', async () => {
    const made = firstHour + HOUR - 1n
    await chain.warpTo(made)
    await withdraw(CAP)
    await chain.warpTo(made + 24n * HOUR)
    expect(await revertOf(withdraw(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
    await chain.warpTo(made + 24n * HOUR + 1n)
    await withdraw(CAP)
  })

  test('frees what was paid out hour by hour, in order', async () => {
    for (let hour = 0n; hour < 25n; hour += 1n) {
      await chain.warpTo(firstHour + hour * HOUR)
      await withdraw(hour % 2n === 0n ? 5n : 1n)
    }
    let counted = 13n * 5n + 12n * 1n
    expect(await vault.read('withdrawnInWindow', [])).toBe(counted)
    for (let hour = 0n; hour < 25n; hour += 1n) {
      await chain.warpTo(firstHour + (25n + hour) * HOUR)
      counted -= hour % 2n === 0n ? 5n : 1n
      expect(await vault.read('withdrawnInWindow', [])).toBe(counted)
      expect(await available()).toBe(CAP - counted)
    }
  })

  test('is fully available after days without a withdrawal, and counts on correctly', async () => {
    await withdraw(60n)
    await chain.warpTo(firstHour + HOUR)
    await withdraw(40n)
    await chain.warpTo(firstHour + 1_000n * HOUR)
    expect(await available()).toBe(CAP)
    await withdraw(30n)
    expect(await available()).toBe(CAP - 30n)
    await chain.warpTo(firstHour + 1_024n * HOUR)
    expect(await available()).toBe(CAP - 30n)
    await chain.warpTo(firstHour + 1_025n * HOUR)
    expect(await available()).toBe(CAP)
  })

  test('rolls: a day cannot be split so that twice the cap goes out', async () => {
    await chain.warpTo(firstHour + 12n * HOUR)
    await withdraw(CAP)
    const halfADayLater = firstHour + 24n * HOUR
    await chain.warpTo(halfADayLater)
    expect(await revertOf(withdraw(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
  })

  test("bounds what a thief of the signer's key can take: the cap each day until the signer is replaced, then nothing", async () => {
    // Whoever has the key signs any ticket: to himself, of any amount, with any nonce.
    const steal = async (amount: bigint) => pay(vault, await ticketFor(chain, mallory, { amount }))
    expect(await revertOf(steal(HELD))).toEqual(['DailyCapExceeded', HELD, CAP])
    for (let tickets = 0n; tickets < CAP / 10n; tickets += 1n) await steal(10n)
    expect(await revertOf(steal(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
    await chain.warpTo(firstHour + 25n * HOUR)
    await steal(CAP)
    await chain.warpTo(firstHour + 50n * HOUR)
    await vault.write(owner, 'setSigner', [bob.address])
    expect(await revertOf(steal(1n))).toEqual(['InvalidSignature'])
    expect(await usdc.read('balanceOf', [mallory.address])).toBe(2n * CAP)
  })

  test('is not raised by deposits', async () => {
    await withdraw(CAP)
    await fund(usdc, vault, alice, HELD)
    expect(await available()).toBe(0n)
  })
})

describe('a change of the cap', () => {
  test('counts what has already been paid out against the new cap', async () => {
    await withdraw(80n)
    await vault.write(owner, 'setDailyWithdrawalCap', [90n])
    expect(await available()).toBe(10n)
    await vault.write(owner, 'setDailyWithdrawalCap', [200n])
    expect(await available()).toBe(120n)
  })

  test('to less than what has been paid out leaves zero, rather than failing', async () => {
    await withdraw(80n)
    await vault.write(owner, 'setDailyWithdrawalCap', [50n])
    expect(await available()).toBe(0n)
    expect(await revertOf(withdraw(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
    await chain.warpTo(firstHour + 25n * HOUR)
    expect(await available()).toBe(50n)
  })

  test('to zero stops withdrawals while deposits go on', async () => {
    await vault.write(owner, 'setDailyWithdrawalCap', [0n])
    expect(await revertOf(withdraw(1n))).toEqual(['DailyCapExceeded', 1n, 0n])
    await fund(usdc, vault, alice, 1n)
  })

  test('to the largest number disables the cap', async () => {
    await vault.write(owner, 'setDailyWithdrawalCap', [2n ** 256n - 1n])
    await withdraw(HELD)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(HELD)
  })
})

describe('what is available to withdraw', () => {
  test('is never more than the vault holds', async () => {
    await vault.write(owner, 'setDailyWithdrawalCap', [HELD * 2n])
    expect(await available()).toBe(HELD)
  })

  test('is zero while the vault is paused', async () => {
    await vault.write(owner, 'pause', [])
    expect(await available()).toBe(0n)
    await vault.write(owner, 'unpause', [])
    expect(await available()).toBe(CAP)
  })
})
