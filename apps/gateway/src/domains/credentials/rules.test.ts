import { type Usdc, usdc } from '@farebox/money'
import { RESET_INTERVALS } from '@farebox/wire/intervals'
import {
  array,
  bigInt,
  boolean,
  constantFrom,
  assert as hold,
  integer,
  oneof,
  property,
  record,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BudgetPair,
  DRAW_AHEAD_MS_MAX,
  drawCall,
  rollCredential,
  rollPolicy,
  settleCall,
} from './budget-rules.ts'
import {
  areCallsExhausted,
  type Credential,
  type CredentialRow,
  changeLimits,
  changeSettings,
  countersAfter,
  credentialAt,
  creditCeiling,
  differenceOf,
  type PolicyRow,
  policyAt,
  presentLimits,
  presentSettings,
  unixSeconds,
} from './rules.ts'

const NOON = new Date('2024-03-13T12:30:00.000Z') // a Wednesday
const HOUR_MS = 3_600_000

const row: CredentialRow = {
  id: 'cred_1',
  owner: '0x1',
  name: 'agent',
  status: 'active',
  maxCalls: null,
  creditLimit: usdc(5_000_000n),
  maxCostPerCall: null,
  rpm: 600,
  resetInterval: 'daily',
  allowedServices: null,
  expiresAt: null,
  createdAt: new Date('2024-01-01T00:00:00Z'),
  callsUsed: 7n,
  spent: usdc(30n),
  held: usdc(4n),
  intervalStart: new Date('2024-03-13T00:00:00Z'),
}

const policyRow: PolicyRow = {
  monthlyLimit: null,
  allowUnlimited: false,
  dailyLimit: null,
  perCallLimit: null,
  monthStart: new Date('2024-03-01T00:00:00Z'),
  monthDrawn: usdc(90n),
  dayStart: new Date('2024-03-13T00:00:00Z'),
  dayDrawn: usdc(20n),
}
const DEFAULT = usdc(1_000_000_000n)

describe('a credential as of now', () => {
  test('shows the amounts of the current interval, and zero once it is over', () => {
    expect(credentialAt(row, NOON)).toMatchObject({ spent: 30n, held: 4n, callsUsed: 7n })
    const tomorrow = new Date('2024-03-14T00:00:00Z')
    expect(credentialAt(row, tomorrow)).toMatchObject({ spent: 0n, held: 0n, callsUsed: 7n })
    const forLife = { ...row, resetInterval: 'never', intervalStart: new Date(0) } as const
    expect(credentialAt(forLife, new Date('2099-01-01T00:00:00Z'))).toMatchObject({ spent: 30n, held: 4n })
  })

  test('is expired from the instant of its expiry, unless it is revoked', () => {
    const expiring = { ...row, expiresAt: NOON }
    expect(credentialAt(expiring, new Date(NOON.getTime() - 1)).status).toBe('active')
    expect(credentialAt(expiring, NOON).status).toBe('expired')
    expect(credentialAt({ ...expiring, status: 'revoked' }, NOON).status).toBe('revoked')
  })

  test('exhausts its calls at the cap, and never without a cap', () => {
    const credential: Credential = credentialAt(row, NOON)
    expect(areCallsExhausted(credential)).toBe(false)
    expect(areCallsExhausted({ ...credential, maxCalls: 8n })).toBe(false)
    expect(areCallsExhausted({ ...credential, maxCalls: 7n })).toBe(true)
  })

  test('rounds its expiry up to whole seconds', () => {
    expect(unixSeconds(new Date(1_001))).toBe(2)
    expect(unixSeconds(null)).toBeNull()
  })
})

describe('a spending policy as of now', () => {
  test('has the default cap until one is set, and no cap when unlimited', () => {
    expect(policyAt(policyRow, NOON, DEFAULT).monthlyLimit).toBe(DEFAULT)
    expect(policyAt({ ...policyRow, monthlyLimit: usdc(0n) }, NOON, DEFAULT).monthlyLimit).toBe(0n)
    expect(policyAt({ ...policyRow, allowUnlimited: true }, NOON, DEFAULT).monthlyLimit).toBeNull()
  })

  test('resets the daily total at midnight and the monthly total at the end of the month', () => {
    const drawnAt = (at: string) => {
      const { dayDrawn, monthDrawn } = policyAt(policyRow, new Date(at), DEFAULT)
      return [dayDrawn, monthDrawn]
    }
    expect(drawnAt('2024-03-13T23:59:59.999Z')).toEqual([20n, 90n])
    expect(drawnAt('2024-03-14T00:00:00Z')).toEqual([0n, 90n])
    expect(drawnAt('2024-04-01T00:00:00Z')).toEqual([0n, 0n])
  })

  test('caps credit at the monthly limit, and also at the daily limit for intervals up to a day', () => {
    const policy = policyAt({ ...policyRow, dailyLimit: usdc(50n) }, NOON, DEFAULT)
    expect(RESET_INTERVALS.map(interval => creditCeiling(policy, interval))).toEqual([
      50n,
      50n,
      DEFAULT,
      DEFAULT,
      DEFAULT,
    ])
    const unlimited = { ...policy, monthlyLimit: null }
    expect(creditCeiling(unlimited, 'hourly')).toBe(50n)
    expect(creditCeiling(unlimited, 'monthly')).toBeNull()
    expect(creditCeiling({ ...policy, monthlyLimit: usdc(10n) }, 'daily')).toBe(10n)
  })

  test('changes only the given limits: a cap and allowUnlimited replace each other, null clears', () => {
    const limited = { ...policyRow, monthlyLimit: usdc(7n), dailyLimit: usdc(3n) }
    expect(changeLimits(limited, { allowUnlimited: true })).toMatchObject({
      allowUnlimited: true,
      monthlyLimit: null,
      dailyLimit: 3n,
    })
    const unlimited = { ...policyRow, allowUnlimited: true }
    expect(changeLimits(unlimited, { dailyLimitUsdc: usdc(1n) })).toMatchObject({ allowUnlimited: true })
    expect(changeLimits(unlimited, { spendingLimitUsdc: usdc(9n) })).toMatchObject({
      allowUnlimited: false,
      monthlyLimit: 9n,
    })
    expect(changeLimits(limited, { spendingLimitUsdc: null, dailyLimitUsdc: null })).toMatchObject({
      allowUnlimited: false,
      monthlyLimit: null,
      dailyLimit: null,
    })
    expect(changeLimits(unlimited, { allowUnlimited: false })).toMatchObject({
      allowUnlimited: false,
      monthlyLimit: null,
    })
  })
})

test('limits are returned as amounts, unset ones as null', () => {
  const limits = { ...policyRow, dailyLimit: usdc(3_000_000n), perCallLimit: usdc(1n) }
  expect(presentLimits(limits)).toEqual({
    spendingLimitUsdc: null,
    allowUnlimited: false,
    dailyLimitUsdc: '3.000000',
    perCallLimitUsdc: '0.000001',
  })
  const spending = { ...policyRow, monthlyLimit: usdc(7n), allowUnlimited: true }
  expect(presentLimits(spending)).toEqual({
    spendingLimitUsdc: '0.000007',
    allowUnlimited: true,
    dailyLimitUsdc: null,
    perCallLimitUsdc: null,
  })
})

test('a per-call limit is set, kept and cleared like the others', () => {
  const limited = changeLimits(policyRow, { perCallLimitUsdc: usdc(4n) })
  expect(limited).toEqual({ monthlyLimit: null, allowUnlimited: false, dailyLimit: null, perCallLimit: 4n })
  expect(changeLimits(limited, {})).toEqual(limited)
  expect(changeLimits(limited, { perCallLimitUsdc: null }).perCallLimit).toBeNull()
})

describe('a change of settings', () => {
  test('applies every given setting', () => {
    const after = changeSettings(
      row,
      {
        name: 'other',
        maxCalls: 9,
        creditLimit: usdc(2n),
        rpm: 10,
        allowedServices: ['svc_b'],
        resetInterval: 'hourly' as const,
        expiresInSec: 1,
        maxCostPerCallUsdc: usdc(3n),
      },
      NOON,
    )
    expect(after).toEqual({
      name: 'other',
      maxCalls: 9n,
      creditLimit: 2n,
      rpm: 10,
      resetInterval: 'hourly',
      maxCostPerCall: 3n,
      allowedServices: ['svc_b'],
      expiresAt: new Date(NOON.getTime() + 1_000),
    })
    expect(presentSettings(after)).toEqual({
      name: 'other',
      maxCalls: 9,
      creditLimit: '0.000002',
      rpm: 10,
      resetInterval: 'hourly',
      maxCostPerCallUsdc: '0.000003',
      allowedServices: ['svc_b'],
      expiresAt: NOON.getTime() / 1_000 + 1,
    })
  })

  test('shows unset limits as null', () => {
    expect(presentSettings({ ...row, creditLimit: null })).toEqual({
      name: 'agent',
      maxCalls: null,
      creditLimit: null,
      rpm: 600,
      resetInterval: 'daily',
      maxCostPerCallUsdc: null,
      allowedServices: null,
      expiresAt: null,
    })
  })

  test('keeps absent settings and clears null ones', () => {
    const full = { ...row, maxCalls: 5n, allowedServices: ['svc_a'], expiresAt: NOON }
    expect(differenceOf(full, changeSettings(full, {}, NOON))).toBeNull()
    const cleared = changeSettings(
      full,
      { maxCalls: null, creditLimit: null, allowedServices: null, expiresInSec: null },
      NOON,
    )
    expect(cleared).toMatchObject({
      maxCalls: null,
      creditLimit: null,
      allowedServices: null,
      expiresAt: null,
    })
    expect(cleared).toMatchObject({ name: 'agent', rpm: 600, resetInterval: 'daily' })
  })

  test('reports only the changed settings, before and after', () => {
    const after = changeSettings(row, { creditLimit: usdc(1n), rpm: 600, expiresInSec: 60 }, NOON)
    expect(differenceOf(row, after)).toEqual({
      before: { creditLimit: '5.000000', expiresAt: null },
      after: { creditLimit: '0.000001', expiresAt: NOON.getTime() / 1_000 + 60 },
    })
  })

  test('keeps the amounts for a longer interval, and resets them after the last draw for a shorter one', () => {
    const at = { now: NOON, lastDraw: null }
    expect(countersAfter(row, 'monthly', at)).toEqual({
      spent: 30n,
      held: 4n,
      intervalStart: row.intervalStart,
    })
    expect(countersAfter(row, 'daily', at)).toMatchObject({ spent: 30n, held: 4n })
    expect(countersAfter(row, 'hourly', at)).toEqual({
      spent: 0n,
      held: 0n,
      intervalStart: new Date(NOON.getTime() + DRAW_AHEAD_MS_MAX + 1),
    })
    const lastDraw = new Date(NOON.getTime() + HOUR_MS)
    expect(countersAfter(row, 'hourly', { now: NOON, lastDraw }).intervalStart).toEqual(
      new Date(lastDraw.getTime() + 1),
    )
  })
})

type Draw = { readonly hold: Usdc; readonly drawnAt: Date }

/** Returns the expected counters: the calls drawn since the start of their interval. */
function explained(open: readonly Draw[], captured: readonly (Draw & { charge: bigint })[], since: Date) {
  const within = <Item extends Draw>(draws: readonly Item[]) => draws.filter(draw => draw.drawnAt >= since)
  return {
    held: within(open).reduce((sum, draw) => sum + draw.hold, 0n),
    spent: within(captured).reduce((sum, draw) => sum + draw.charge, 0n),
  }
}

/** Returns the counters after a change; the last draw is read only if the interval changes. */
function countersChanged(
  { spent, held, intervalStart, resetInterval }: BudgetPair['credential'],
  interval: CredentialRow['resetInterval'],
  { now, lastDraw }: { now: Date; lastDraw: Date },
) {
  const before = { spent: usdc(spent), held: usdc(held), intervalStart }
  return countersAfter(before, interval, { now, lastDraw: interval === resetInterval ? null : lastDraw })
}

test('held and spent equal the sums over the calls of the interval, however intervals pass or change, or the clock jumps', () => {
  const step = record({
    act: oneof(constantFrom('draw' as const, 'settle' as const), constantFrom(...RESET_INTERVALS)),
    waitMs: oneof(
      constantFrom(0, 1, 300),
      integer({ min: 0, max: 40 * 24 * HOUR_MS }),
      integer({ min: -2 * HOUR_MS, max: 0 }),
    ),
    leadMs: integer({ min: 0, max: DRAW_AHEAD_MS_MAX }),
    amount: bigInt({ min: 0n, max: 1_000n }),
    isCaptured: boolean(),
  })
  hold(
    property(array(step, { maxLength: 60 }), steps => {
      let now = NOON
      let pair: BudgetPair = {
        credential: {
          ...row,
          creditLimit: null,
          callsUsed: 0n,
          spent: 0n,
          held: 0n,
          rateWindow: Buffer.alloc(0),
          tokenHash: Buffer.alloc(32),
          previousTokenHash: null,
          previousExpiresAt: null,
          allowedServices: null,
        },
        policy: { ...policyRow, owner: '0x1', isSuspended: false, dayDrawn: 0n, monthDrawn: 0n },
      }
      let lastDraw = new Date(0)
      const open: Draw[] = []
      const captured: (Draw & { charge: bigint })[] = []
      for (const { act, waitMs, leadMs, amount, isCaptured } of steps) {
        now = new Date(now.getTime() + waitMs)
        if (act !== 'draw' && act !== 'settle') {
          const counters = countersChanged(pair.credential, act, { now, lastDraw })
          pair = { ...pair, credential: { ...pair.credential, resetInterval: act, ...counters } }
        }
        // The gateway that draws or settles estimates the time.
        const at = new Date(now.getTime() + leadMs)
        pair = { credential: rollCredential(pair.credential, at), policy: rollPolicy(pair.policy, at) }
        if (act === 'draw') {
          const after = drawCall(pair, usdc(amount))
          if ('limit' in after) throw new Error('No limit is set.')
          pair = after
          const drawnAt = new Date(Math.max(at.getTime(), pair.credential.intervalStart.getTime()))
          lastDraw = new Date(Math.max(drawnAt.getTime(), lastDraw.getTime()))
          open.push({ hold: usdc(amount), drawnAt })
        }
        const ended = act === 'settle' ? open.shift() : undefined
        if (ended !== undefined) {
          const charge = usdc(isCaptured ? ended.hold / 2n : 0n)
          pair = settleCall(pair, { ...ended, charge, keepsCall: isCaptured })
          captured.push({ ...ended, charge })
        }
        const { spent, held, intervalStart } = pair.credential
        expect({ spent, held }).toEqual(explained(open, captured, intervalStart))
      }
    }),
  )
})
