import { type Usdc, usdc, ZERO } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { credentialOf, NOW, policyOf } from '../../../test/kit/ledger/ledger-values.ts'
import {
  type BudgetPair,
  type CredentialBudget,
  drawCall,
  emptyLimit,
  isOpenedBy,
  mayCall,
  type PolicyBudget,
  rollCredential,
  rollPolicy,
  settleCall,
} from './budget-rules.ts'

const credential = (limits: Partial<CredentialBudget> = {}): CredentialBudget => {
  const tokens = { tokenHash: Buffer.from('now'), previousTokenHash: Buffer.from('before') }
  return credentialOf('0xa', 'cred_1', { ...tokens, ...limits })
}
const policy = (limits: Partial<PolicyBudget> = {}): PolicyBudget => policyOf('0xa', limits)

describe('mayCall', () => {
  test.each<[boolean, string[] | null, string[]]>([
    [true, null, ['svc_1']],
    [true, ['svc_2', 'svc_1'], ['svc_1', 'weather']],
    [true, ['weather'], ['svc_1', 'weather']],
    [true, ['its-old-name'], ['svc_1', 'weather', 'its-old-name']],
    [false, ['svc_2'], ['svc_1', 'weather']],
    [false, [], ['svc_1']],
    [false, ['svc_1'], []],
  ])(
    'returns %s for the allow-list %j and a service with the names %j',
    (expected, allowedServices, names) => {
      expect(mayCall(credential({ allowedServices }), names)).toBe(expected)
    },
  )
})

describe('isOpenedBy', () => {
  const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
  test.each<[boolean, string, Date | null]>([
    [true, 'now', null],
    [true, 'now', at(-1)],
    [false, 'before', null],
    [true, 'before', at(1)],
    [false, 'before', at(0)],
    [false, 'another', at(1)],
  ])(
    'returns %s for the token "%s" when the previous one expires at %s',
    (expected, token, previousExpiresAt) => {
      expect(isOpenedBy(credential({ previousExpiresAt }), Buffer.from(token), NOW)).toBe(expected)
    },
  )

  test('returns false when no previous token is stored', () => {
    const rotated = credential({ previousTokenHash: null, previousExpiresAt: at(1) })
    expect(isOpenedBy(rotated, Buffer.from('before'), NOW)).toBe(false)
  })
})

describe('drawCall', () => {
  test.each<[string, BudgetPair, bigint, bigint | null, string | null]>([
    [
      'credential_calls',
      { credential: credential({ maxCalls: 3n, callsUsed: 3n }), policy: policy() },
      0n,
      null,
      null,
    ],
    [
      'credential_credit',
      { credential: credential({ creditLimit: 10n, spent: 4n, held: 5n }), policy: policy() },
      1n,
      10n,
      '2026-03-19T00:00:00.000Z',
    ],
    [
      'credential_per_call',
      { credential: credential({ maxCostPerCall: 1n, creditLimit: 1n }), policy: policy() },
      1n,
      1n,
      null,
    ],
    ['policy_per_call', { credential: credential(), policy: policy({ perCallLimit: 1n }) }, 1n, 1n, null],
    [
      'policy_daily',
      { credential: credential(), policy: policy({ dailyLimit: 10n, dayDrawn: 9n }) },
      1n,
      10n,
      '2026-03-19T00:00:00.000Z',
    ],
    [
      'policy_monthly',
      { credential: credential(), policy: policy({ monthlyLimit: 10n, monthDrawn: 12n }) },
      0n,
      10n,
      '2026-04-01T00:00:00.000Z',
    ],
  ])(
    'returns %s with the remaining amount, the cap and the reset time',
    (limit, pair, remaining, cap, end) => {
      const resetsAt = end === null ? null : new Date(end)
      expect(drawCall(pair, usdc(2n))).toEqual({ limit, remaining, cap, resetsAt })
    },
  )

  test('reports the remaining credit of a refused call, never a negative amount', () => {
    const used = { maxCalls: 3n, callsUsed: 4n, creditLimit: 10n }
    const remainingOf = (spent: bigint, held: bigint) =>
      drawCall({ credential: credential({ ...used, spent, held }), policy: policy() }, usdc(2n))
    expect(remainingOf(4n, 5n)).toMatchObject({ limit: 'credential_calls', remaining: 1n })
    expect(remainingOf(8n, 5n)).toMatchObject({ limit: 'credential_calls', remaining: 0n })
  })

  test('counts the call and adds its hold to the credential, the day and the month', () => {
    const pair = { credential: credential({ held: 1n }), policy: policy({ dayDrawn: 2n, monthDrawn: 3n }) }
    expect(drawCall(pair, usdc(5n))).toEqual({
      credential: credential({ held: 6n, callsUsed: 1n }),
      policy: policy({ dayDrawn: 7n, monthDrawn: 8n }),
    })
  })

  test('admits a call that exactly reaches every limit', () => {
    const pair = {
      credential: credential({ creditLimit: 2n, maxCalls: 1n }),
      policy: policy({ perCallLimit: 2n, dailyLimit: 2n, monthlyLimit: 2n }),
    }
    expect(drawCall(pair, usdc(2n))).toMatchObject({ credential: { held: 2n, callsUsed: 1n } })
  })

  test('never exceeds a limit, and leaves no hold once every call is settled', () => {
    const call = fc.record({
      hold: fc.bigInt({ min: 0n, max: 60n }),
      share: fc.integer({ min: 0, max: 100 }),
      isCaptured: fc.boolean(),
      settlesNow: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), calls => {
        let pair: BudgetPair = {
          credential: credential({ creditLimit: 200n, maxCalls: 20n }),
          policy: policy({ dailyLimit: 300n, monthlyLimit: 250n }),
        }
        const open: { hold: Usdc; charge: Usdc; keepsCall: boolean }[] = []
        let charged = 0n
        const settle = () => {
          const draw = open.shift()
          if (draw === undefined) return
          pair = settleCall(pair, { ...draw, drawnAt: NOW })
          charged += draw.charge
        }
        for (const { hold, share, isCaptured, settlesNow } of calls) {
          const drawn = drawCall(pair, usdc(hold))
          if (!('limit' in drawn)) {
            pair = drawn
            const charge = isCaptured ? usdc((hold * BigInt(share)) / 100n) : ZERO
            open.push({ hold: usdc(hold), charge, keepsCall: isCaptured })
          }
          if (settlesNow) settle()
          expect(pair.credential.spent + pair.credential.held <= 200n).toBe(true)
          expect(pair.credential.callsUsed <= 20n && pair.policy.monthDrawn <= 250n).toBe(true)
        }
        while (open.length > 0) settle()
        expect(pair.credential.held).toBe(0n)
        expect([pair.credential.spent, pair.policy.dayDrawn, pair.policy.monthDrawn]).toEqual([
          charged,
          charged,
          charged,
        ])
      }),
    )
  })
})

describe('emptyLimit', () => {
  test.each<[ReturnType<typeof emptyLimit>, Partial<CredentialBudget>]>([
    [null, {}],
    [null, { maxCalls: 3n, callsUsed: 2n, creditLimit: 10n, spent: 4n, held: 5n }],
    ['credential_calls', { maxCalls: 3n, callsUsed: 3n }],
    ['credential_calls', { maxCalls: 3n, callsUsed: 4n, creditLimit: 10n, spent: 10n }],
    ['credential_credit', { creditLimit: 10n, spent: 4n, held: 6n }],
    ['credential_credit', { creditLimit: 10n, spent: 11n, held: 6n, maxCalls: 3n }],
  ])('returns %s in case %#', (limit, counted) => {
    expect(emptyLimit(credential(counted))).toBe(limit)
  })
})

describe('settleCall', () => {
  const pair = {
    credential: credential({ callsUsed: 2n, spent: 1n, held: 9n }),
    policy: policy({ dayDrawn: 10n, monthDrawn: 10n }),
  }

  test('releases the hold, keeps the charge, and uncounts a call that is not kept', () => {
    const draw = { hold: usdc(5n), charge: usdc(2n), drawnAt: pair.policy.dayStart, keepsCall: true }
    const credited = { spent: 3n, held: 4n }
    expect(settleCall(pair, draw)).toMatchObject({
      credential: { callsUsed: 2n, ...credited },
      policy: { dayDrawn: 7n, monthDrawn: 7n },
    })
    expect(settleCall(pair, { ...draw, keepsCall: false }).credential).toMatchObject({
      callsUsed: 1n,
      ...credited,
    })
  })

  test('changes only the intervals in which the call was drawn', () => {
    const ended = (drawnAt: Date) =>
      settleCall(pair, { hold: usdc(5n), charge: usdc(2n), drawnAt, keepsCall: true })
    expect(ended(new Date(pair.policy.dayStart.getTime() - 1))).toMatchObject({
      credential: { spent: 1n, held: 9n },
      policy: { dayDrawn: 10n, monthDrawn: 7n },
    })
    expect(ended(pair.policy.monthStart).policy).toMatchObject({ dayDrawn: 10n, monthDrawn: 7n })
    const lastMonth = ended(new Date(pair.policy.monthStart.getTime() - 1))
    expect(lastMonth.policy).toMatchObject({ dayDrawn: 10n, monthDrawn: 10n })
  })
})

describe('a new interval', () => {
  test('starts a new day with each new month, and never starts within the current interval', () => {
    const next = new Date('2026-04-01T00:00:00Z')
    const rolled = rollPolicy(policy({ dayDrawn: 5n, monthDrawn: 9n }), next)
    expect(rolled).toMatchObject({ dayDrawn: 0n, monthDrawn: 0n, dayStart: next, monthStart: next })
    const drawn = policy({ dayDrawn: 5n, monthDrawn: 9n })
    expect(rollPolicy(drawn, NOW)).toEqual(drawn)
    const held = credential({ held: 5n })
    expect(rollCredential(held, NOW)).toBe(held)
  })

  const tomorrow = new Date('2026-03-19T00:00:00Z')

  test('resets the amounts and keeps the lifetime call count', () => {
    const rolled = rollCredential(credential({ spent: 7n, held: 3n, callsUsed: 4n }), tomorrow)
    expect(rolled).toMatchObject({ spent: 0n, held: 0n, callsUsed: 4n, intervalStart: tomorrow })
    expect(rollPolicy(policy({ dayDrawn: 5n, monthDrawn: 9n }), tomorrow)).toMatchObject({
      dayDrawn: 0n,
      monthDrawn: 9n,
    })
  })

  test('excludes a call that was held yesterday and settles today', () => {
    const pair = {
      credential: rollCredential(credential({ held: 5n, callsUsed: 1n }), tomorrow),
      policy: rollPolicy(policy({ dayDrawn: 5n, monthDrawn: 5n }), tomorrow),
    }
    const settled = settleCall(pair, { hold: usdc(5n), charge: usdc(2n), drawnAt: NOW, keepsCall: true })
    expect(settled.credential).toMatchObject({ held: 0n, spent: 0n, callsUsed: 1n })
    expect(settled.policy).toMatchObject({ dayDrawn: 0n, monthDrawn: 2n })
  })

  test('does not start when the clock jumps back', () => {
    const before = credential({ spent: 7n })
    expect(rollCredential(before, new Date('2026-03-17T23:00:00Z'))).toBe(before)
  })
})
