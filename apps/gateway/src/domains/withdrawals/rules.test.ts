import { usdc } from '@farebox/money'
import { withdrawalStatuses } from '@farebox/wire/withdrawals'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRedemption, isStale, isTicketOut, liquidity, mayBecome, NEXT, reviewCauses } from './rules.ts'

const money = fc.bigInt(0n, 10n ** 12n).map(usdc)

test('final states are final, and only an issued ticket can be paid or expire', () => {
  for (const from of withdrawalStatuses) {
    expect(mayBecome(from, 'COMPLETED')).toBe(isTicketOut(from))
    expect(mayBecome(from, 'CANCELLED')).toBe(isTicketOut(from))
    expect(mayBecome(from, 'REJECTED')).toBe(from === 'PENDING_REVIEW')
  }
  for (const end of ['COMPLETED', 'CANCELLED', 'REJECTED'] as const) expect(NEXT[end]).toEqual([])
})

test('promised amounts never exceed what the vault holds or lets out', () => {
  fc.assert(
    fc.property(money, money, fc.array(money, { maxLength: 20 }), (balance, withdrawable, asked) => {
      let promised = usdc(0n)
      for (const amount of asked) {
        const free = liquidity({ balance, withdrawable }, promised)
        expect(free >= 0n).toBe(true)
        if (amount <= free) promised = usdc(promised + amount)
      }
      expect(promised <= balance && promised <= withdrawable).toBe(true)
    }),
  )
})

test('automatic approvals of a day stay within the limit', () => {
  fc.assert(
    fc.property(money, fc.array(money, { maxLength: 20 }), (autoApproveMax, asked) => {
      let openedToday = usdc(0n)
      let approved = 0n
      for (const amount of asked) {
        const ample = usdc(10n ** 18n)
        const causes = reviewCauses({
          amount,
          promotional: usdc(0n),
          openedToday,
          autoApproveMax,
          approvedToday: openedToday,
          autoApproveTotal: ample,
          liquidity: ample,
          isTicketing: true,
        })
        if (causes.length === 0) approved += amount
        openedToday = usdc(openedToday + amount)
      }
      expect(approved <= autoApproveMax).toBe(true)
    }),
  )
})

test('names every reason for a review', () => {
  const asked = {
    amount: usdc(5n),
    promotional: usdc(0n),
    openedToday: usdc(0n),
    autoApproveMax: usdc(5n),
    approvedToday: usdc(0n),
    autoApproveTotal: usdc(5n),
    liquidity: usdc(5n),
    isTicketing: true,
  }
  expect(reviewCauses(asked)).toEqual([])
  expect(reviewCauses({ ...asked, liquidity: usdc(4n) })).toEqual(['vault_illiquid'])
  expect(reviewCauses({ ...asked, isTicketing: false })).toEqual(['tickets_stopped'])
  expect(reviewCauses({ ...asked, promotional: usdc(1n) })).toEqual(['vouchers'])
  expect(reviewCauses({ ...asked, openedToday: usdc(1n) })).toEqual(['wallet_limit'])
  expect(reviewCauses({ ...asked, approvedToday: usdc(1n) })).toEqual(['total_limit'])
  expect(reviewCauses({ ...asked, amount: usdc(6n) })).toEqual([
    'wallet_limit',
    'total_limit',
    'vault_illiquid',
  ])
})

test('distinguishes a redemption from lookalikes', () => {
  const ticket = { wallet: '0xa', amount: usdc(5n), nonce: '0x1' }
  const event = { to: '0xa', amount: usdc(5n), nonce: '0x1', logIndex: 3 }
  const other = { ...event, nonce: '0x2' }
  expect(findRedemption([other, event], ticket)).toEqual({ event })
  expect(findRedemption([], ticket)).toEqual({ mismatch: 'no_withdrawn_event' })
  expect(findRedemption([other], ticket)).toEqual({ mismatch: 'wrong_nonce' })
  expect(findRedemption([{ ...event, to: '0xb' }], ticket)).toEqual({ mismatch: 'wrong_recipient' })
  expect(findRedemption([{ ...event, amount: usdc(6n) }], ticket)).toEqual({ mismatch: 'wrong_amount' })
})

test('a ticket can be redeemed in the last second of its deadline', () => {
  expect([isStale(100n, 100n), isStale(100n, 101n)]).toEqual([false, true])
})
