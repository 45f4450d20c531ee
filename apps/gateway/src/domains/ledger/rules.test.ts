import { type Usdc, usdc, ZERO } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccountState, applyMovement, changesOf, isCoveredAccount, type Movement } from './rules.ts'

const wallets = ['0xa', '0xb', '0xc']
const wallet = fc.constantFrom(...wallets)
const amount = fc.bigInt({ min: 0n, max: 1_000n }).map(usdc)
const reference = fc.uuid()

const simple = fc.record({
  kind: fc.constantFrom('deposit', 'promotion-funding', 'voucher', 'hold', 'withdrawal-lock' as const),
  wallet,
  amount,
  reference,
})
const capture = fc.record({
  consumer: wallet,
  provider: wallet,
  hold: amount,
  reference,
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  feeShare: fc.double({ min: 0, max: 1, noNaN: true }),
})

/** The books of a world with every account, empty. */
function emptyBooks(): Map<string, AccountState> {
  const ids = ['vault', 'fees', 'promotions', ...wallets.flatMap(w => [`consumer:${w}`, `provider:${w}`])]
  return new Map(ids.map(id => [id, { posted: ZERO, reserved: ZERO }]))
}

const part = (whole: Usdc, share: number) => usdc(BigInt(Math.floor(Number(whole) * share)))

describe('movements', () => {
  test('the posted changes of any movement add up to zero', () => {
    fc.assert(
      fc.property(fc.oneof(simple, capture), raw => {
        const movement: Movement =
          'kind' in raw
            ? (raw as Movement)
            : {
                ...raw,
                kind: 'capture',
                charge: part(raw.hold, raw.share),
                fee: part(part(raw.hold, raw.share), raw.feeShare),
              }
        const sum = changesOf(movement).reduce((total, change) => total + (change.posted ?? 0n), 0n)
        expect(sum).toBe(0n)
      }),
    )
  })

  test('no sequence of movements overdraws a wallet or the promotions, loses a reservation or makes money', () => {
    const step = fc.record({
      pick: fc.nat(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      movement: simple,
      to: wallet,
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const books = emptyBooks()
        const open: Reservation[] = []
        for (const taken of steps) takeStep(books, open, taken)

        const states = [...books]
        expect(states.reduce((sum, [, { posted }]) => sum + posted, 0n)).toBe(0n)
        const reserved = states.reduce((sum, [, state]) => sum + state.reserved, 0n)
        expect(reserved).toBe(open.reduce((sum, movement) => sum + movement.amount, 0n))
        for (const [, state] of states.filter(([id]) => isCoveredAccount(id))) {
          expect(state.posted >= state.reserved && state.reserved >= 0n).toBe(true)
        }
      }),
    )
  })

  test('a hold that the balance does not cover changes nothing', () => {
    const books = emptyBooks()
    expect(
      applyMovement(books, { kind: 'hold', wallet: '0xa', amount: usdc(1n), reference: 'inv' }),
    ).toBeNull()
    expect(books).toEqual(emptyBooks())
  })

  test('a voucher pays out what promotions were funded with, and not a micro more', () => {
    const books = emptyBooks()
    books.set('consumer:0xa', { posted: usdc(10n), reserved: usdc(4n) })
    const fund = (amount: bigint) =>
      applyMovement(books, {
        kind: 'promotion-funding',
        wallet: '0xa',
        amount: usdc(amount),
        reference: 'vch',
      })
    expect(fund(7n)).toBeNull() // 4 are held
    for (const [id, state] of fund(6n) ?? []) books.set(id, state)
    const pay = (amount: bigint) =>
      applyMovement(books, { kind: 'voucher', wallet: '0xb', amount: usdc(amount), reference: 'vrd' })
    expect(pay(7n)).toBeNull()
    expect(pay(6n)?.get('consumer:0xb')).toEqual({ posted: 6n, reserved: 0n })
    expect(pay(6n)?.get('promotions')).toEqual({ posted: 0n, reserved: 0n })
  })

  test('an owner who is also the provider pays itself: only the fee leaves', () => {
    const books = emptyBooks()
    books.set('consumer:0xa', { posted: usdc(10n), reserved: usdc(10n) })
    const after = applyMovement(books, {
      ...{ kind: 'capture', consumer: '0xa', provider: '0xa', reference: 'inv' },
      ...{ hold: usdc(10n), charge: usdc(8n), fee: usdc(1n) },
    })
    expect(after?.get('consumer:0xa')).toEqual({ posted: 2n, reserved: 0n })
    expect(after?.get('provider:0xa')).toEqual({ posted: 7n, reserved: 0n })
    expect(after?.get('fees')).toEqual({ posted: 1n, reserved: 0n })
  })

  test.each<[string, Movement]>([
    ['a negative amount', { kind: 'deposit', wallet: '0xa', amount: usdc(-1n), reference: 'dep' }],
    [
      'a charge above its hold',
      {
        kind: 'capture',
        consumer: '0xa',
        provider: '0xb',
        hold: usdc(1n),
        charge: usdc(2n),
        fee: ZERO,
        reference: 'inv',
      },
    ],
    [
      'a fee above its charge',
      {
        kind: 'capture',
        consumer: '0xa',
        provider: '0xb',
        hold: usdc(1n),
        charge: usdc(1n),
        fee: usdc(2n),
        reference: 'inv',
      },
    ],
    [
      'a release of more than is reserved',
      { kind: 'release', wallet: '0xa', amount: usdc(1n), reference: 'inv' },
    ],
  ])('%s is a defect and throws', (_, movement) => {
    expect(() => applyMovement(emptyBooks(), movement)).toThrow(RangeError)
  })
})

type Reservation = Extract<Movement, { wallet: string }>
type Step = { pick: number; share: number; movement: unknown; to: string }

/** Every other step ends what is open, if anything is; the rest begin something. Ending always succeeds. */
function takeStep(
  books: Map<string, AccountState>,
  open: Reservation[],
  { pick, share, movement, to }: Step,
): void {
  const ending = pick % 2 === 0 ? open.pop() : undefined
  const next = ending === undefined ? (movement as Reservation) : endOf(ending, share, to)
  const after = applyMovement(books, next)
  if (after === null) {
    expect(ending).toBeUndefined()
    return
  }
  for (const [id, state] of after) books.set(id, state)
  if (next.kind === 'hold' || next.kind === 'withdrawal-lock') open.push(next)
}

function endOf(open: Reservation, share: number, provider: string): Movement {
  const { wallet: owner, amount: held, reference: ref } = open
  if (open.kind === 'withdrawal-lock') {
    return {
      kind: share < 0.5 ? 'withdrawal-paid' : 'withdrawal-release',
      wallet: owner,
      amount: held,
      reference: ref,
    }
  }
  if (share < 0.3) return { kind: 'release', wallet: owner, amount: held, reference: ref }
  const charge = part(held, share)
  return {
    kind: 'capture',
    consumer: owner,
    provider,
    hold: held,
    charge,
    fee: part(charge, share),
    reference: ref,
  }
}
