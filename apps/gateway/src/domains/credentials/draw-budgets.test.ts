import { usdc } from '@farebox/money'
import { expect, test } from 'vitest'
import type { CredentialBudget, PolicyBudget } from './budget-rules.ts'
import { openBudgets } from './draw-budgets.ts'

const HOUR_MS = 3_600_000
const MIDNIGHT = new Date('2026-04-01T00:00:00Z')
const BEFORE = new Date(MIDNIGHT.getTime() - HOUR_MS / 2)
const HOLD = usdc(100n)

const credential: CredentialBudget = {
  id: 'one',
  owner: 'owner',
  status: 'active',
  expiresAt: null,
  maxCalls: null,
  creditLimit: 150n,
  maxCostPerCall: null,
  rpm: 60,
  resetInterval: 'hourly',
  callsUsed: 0n,
  spent: 0n,
  held: 0n,
  intervalStart: new Date(BEFORE.getTime() - HOUR_MS / 2),
  rateWindow: Buffer.alloc(0),
  tokenHash: Buffer.alloc(32),
  previousTokenHash: null,
  previousExpiresAt: null,
  allowedServices: null,
}
/** Drawn on after midnight, before the clock was set back. */
const policy: PolicyBudget = {
  owner: 'owner',
  isSuspended: false,
  monthlyLimit: null,
  dailyLimit: null,
  perCallLimit: null,
  monthStart: MIDNIGHT,
  monthDrawn: 0n,
  dayStart: MIDNIGHT,
  dayDrawn: 0n,
}

test('a call drawn after the clock is set back across midnight leaves no negative counter when it settles', () => {
  const early = openBudgets(
    { credentials: new Map([['one', credential]]), policies: new Map([['owner', policy]]) },
    BEFORE,
  )
  const drawnAt = early.draw('one', HOLD)
  expect(drawnAt).toEqual(MIDNIGHT)

  const late = openBudgets(early.changes(), new Date(MIDNIGHT.getTime() + HOUR_MS / 2))
  late.settle('one', { hold: HOLD, charge: usdc(0n), drawnAt, keepsCall: false })
  const { credentials, policies } = late.changes()
  expect(credentials.get('one')).toMatchObject({ held: 0n, spent: 0n, callsUsed: 0n })
  expect(policies.get('owner')).toMatchObject({ dayDrawn: 0n, monthDrawn: 0n })
})
