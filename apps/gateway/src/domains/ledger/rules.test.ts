import { type Usdc, usdc, ZERO } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AccountState,
  applyMovement,
  changesOf,
  consumerOf,
  EMPTY_ACCOUNT,
  isCoveredAccount,
  type Movement,
  promotionalOf,
} from './rules.ts'

const wallets = ['0xa', '0xb', '0xc']
const wallet = fc.constantFrom(...wallets)
const amount = fc.bigInt({ min: 0n, max: 1_000n }).map(usdc)
const reference = fc.uuid()

const simple = fc.record({
  kind: fc.constantFrom(
    'deposit',
    'promotion-funding',
    'voucher',
    'hold',
    'withdrawal-lock',
    'redemption-adopted',
    'deposit-reversed',
    'loss' as const,
  ),
  wallet,
  provider: wallet,
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
  const ids = [
    'vault',
    'fees',
    'promotions',
    'losses',
    ...wallets.flatMap(w => [`consumer:${w}`, `provider:${w}`]),
  ]
  return new Map(ids.map(id => [id, EMPTY_ACCOUNT]))
}

const part = (whole: Usdc, share: number) => usdc(BigInt(Math.floor(Number(whole) * share)))

describe('promotional credit', () => {
  const has = (posted: bigint, promotional: bigint, reserved = 0n): AccountState => ({
    posted: usdc(posted),
    reserved: usdc(reserved),
    promotional: usdc(promotional),
  })
  const after = (books: Map<string, AccountState>, movement: Movement) =>
    Object.fromEntries(
      [...(applyMovement(books, movement) ?? [])].map(([id, state]) => [id, state.promotional]),
    )

  test("is spent first, and a provider's earnings from it are counted apart, the fee taken from deposited money first", () => {
    const books = emptyBooks().set('consumer:0xa', has(10n, 4n, 10n))
    const pay = (charge: bigint, fee: bigint) => after(books, captureOf({ hold: 10n, charge, fee }))
    expect(pay(3n, 1n)).toEqual({ 'consumer:0xa': 1n, 'provider:0xb': 2n, fees: 0n })
    expect(pay(9n, 1n)).toEqual({ 'consumer:0xa': 0n, 'provider:0xb': 4n, fees: 0n })
    expect(after(books, of('release', 10n))).toEqual({ 'consumer:0xa': 4n })
  })

  test('pays no call of a wallet to itself, even with holds for calls to others', () => {
    const own = (amount: bigint): Movement => ({
      kind: 'hold',
      wallet: '0xa',
      provider: '0xa',
      amount: usdc(amount),
      reference: 'inv',
    })
    const books = emptyBooks().set('consumer:0xa', has(10n, 4n, 1n))
    expect(applyMovement(books, own(6n))).toBeNull()
    expect(applyMovement(books, own(5n))?.get('consumer:0xa')).toEqual(has(10n, 4n, 6n))
    books.set('consumer:0xa', has(10n, 4n, 5n))
    const toItself = { ...captureOf({ hold: 5n, charge: 5n, fee: 0n }), provider: '0xa' } as Movement
    expect(after(books, toItself)).toEqual({ 'consumer:0xa': 4n, 'provider:0xa': 0n })
  })

  test('is withdrawn last, and is restored when the withdrawal is not paid', () => {
    const books = emptyBooks().set('provider:0xa', has(10n, 4n, 2n))
    expect(promotionalOf(books, of('withdrawal-lock', 4n))).toBe(0n)
    expect(promotionalOf(books, of('withdrawal-lock', 7n))).toBe(3n)
    for (const [id, state] of applyMovement(books, of('withdrawal-lock', 7n)) ?? []) books.set(id, state)
    expect(books.get('provider:0xa')).toEqual(has(10n, 1n, 9n))
    expect(after(books, of('withdrawal-paid', 7n))).toEqual({ 'provider:0xa': 1n, vault: 0n })
    const release = { ...of('withdrawal-release', 7n), promotional: usdc(3n) } as Movement
    expect(after(books, release)).toEqual({ 'provider:0xa': 4n })
  })

  test('stays promotional when it funds promotions; a reversed deposit takes deposited money first', () => {
    const books = emptyBooks().set('consumer:0xa', has(10n, 4n, 2n))
    expect(after(books, of('promotion-funding', 5n))).toEqual({ promotions: 0n, 'consumer:0xa': 0n })
    expect(after(books, of('deposit-reversed', 4n))).toEqual({ 'consumer:0xa': 4n, vault: 0n })
    expect(after(books, of('deposit-reversed', 6n))).toEqual({ 'consumer:0xa': 2n, vault: 0n })
  })

  test('is available for a call to another wallet', () => {
    const books = emptyBooks().set('consumer:0xa', has(10n, 4n))
    expect(applyMovement(books, of('hold', 10n))?.get('consumer:0xa')).toEqual(has(10n, 4n, 10n))
  })

  test('is charged for an unexplained redemption after deposited money', () => {
    const books = emptyBooks().set('provider:0xa', has(10n, 4n))
    expect(after(books, of('redemption-adopted', 6n))).toEqual({ 'provider:0xa': 4n, vault: 0n })
    expect(after(books, of('redemption-adopted', 8n))).toEqual({ 'provider:0xa': 2n, vault: 0n })
  })

  test('is at most the amount of a movement, even when holds exceed the deposited money', () => {
    const books = emptyBooks().set('consumer:0xa', has(10n, 4n, 8n))
    expect(promotionalOf(books, of('deposit-reversed', 2n))).toBe(2n)
  })

  test('is counted in a charge of a wallet to itself beyond the deposited money', () => {
    const books = emptyBooks().set('consumer:0xa', has(10n, 4n, 10n))
    const toItself = { ...captureOf({ hold: 10n, charge: 8n, fee: 0n }), provider: '0xa' } as Movement
    expect(promotionalOf(books, toItself)).toBe(2n)
  })

  test('is not counted in a hold, a deposit or a loss', () => {
    const books = emptyBooks().set('consumer:0xa', has(10n, 10n))
    expect(promotionalOf(books, of('hold'))).toBe(0n)
    expect(promotionalOf(books, of('deposit'))).toBe(0n)
    expect(promotionalOf(books, { kind: 'loss', amount: usdc(5n), reference: 'ref' })).toBe(0n)
  })

  test('is not counted in withdrawn fees, whatever the receiving wallet has earned', () => {
    const books = emptyBooks().set('provider:0xa', has(10n, 10n)).set('fees', has(7n, 0n))
    const lock = { ...of('withdrawal-lock'), source: 'fees' } as Movement
    expect(promotionalOf(books, lock)).toBe(0n)
    expect(Object.fromEntries(applyMovement(books, lock) ?? [])).toEqual({ fees: has(7n, 0n, 5n) })
    const ofEarnings = { ...of('withdrawal-lock'), source: 'earnings' } as Movement
    expect(promotionalOf(books, ofEarnings)).toBe(5n)
  })
})

describe('accounts', () => {
  test('of wallets and the platform may never be overdrawn; vault and losses are debit accounts', () => {
    const ids = ['consumer:0xa', 'provider:0xa', 'promotions', 'vault', 'fees', 'losses']
    expect(ids.filter(isCoveredAccount)).toEqual(['consumer:0xa', 'provider:0xa', 'promotions', 'fees'])
  })

  test('of consumers name their wallet, others do not', () => {
    expect(consumerOf('consumer:0xa')).toBe('0xa')
    for (const other of ['provider:0xa', 'vault', '0xa:consumer:']) expect(consumerOf(other)).toBeNull()
  })
})

/** Every movement there is, of 5 micro-USDC, with what it changes. */
const all: readonly (readonly [Movement, Record<string, { posted?: bigint; reserved?: bigint }>])[] = [
  [of('deposit'), { 'consumer:0xa': { posted: 5n }, vault: { posted: -5n } }],
  [of('promotion-funding'), { promotions: { posted: 5n }, 'consumer:0xa': { posted: -5n } }],
  [of('voucher'), { 'consumer:0xa': { posted: 5n }, promotions: { posted: -5n } }],
  [of('hold'), { 'consumer:0xa': { reserved: 5n } }],
  [of('release'), { 'consumer:0xa': { reserved: -5n } }],
  [of('withdrawal-lock'), { 'provider:0xa': { reserved: 5n } }],
  [of('withdrawal-release'), { 'provider:0xa': { reserved: -5n } }],
  [of('withdrawal-paid'), { 'provider:0xa': { posted: -5n, reserved: -5n }, vault: { posted: 5n } }],
  [fromFees('withdrawal-lock'), { fees: { reserved: 5n } }],
  [fromFees('withdrawal-release'), { fees: { reserved: -5n } }],
  [fromFees('withdrawal-paid'), { fees: { posted: -5n, reserved: -5n }, vault: { posted: 5n } }],
  [of('redemption-adopted'), { 'provider:0xa': { posted: -5n }, vault: { posted: 5n } }],
  [of('deposit-reversed'), { 'consumer:0xa': { posted: -5n }, vault: { posted: 5n } }],
  [
    { kind: 'loss', amount: usdc(5n), reference: 'ref' },
    { losses: { posted: -5n }, vault: { posted: 5n } },
  ],
  [
    captureOf({ hold: 5n, charge: 4n, fee: 1n }),
    { 'consumer:0xa': { posted: -4n, reserved: -5n }, 'provider:0xb': { posted: 3n }, fees: { posted: 1n } },
  ],
  [
    captureOf({ hold: 5n, charge: 4n, fee: 0n }),
    { 'consumer:0xa': { posted: -4n, reserved: -5n }, 'provider:0xb': { posted: 4n } },
  ],
]

describe('movements', () => {
  test.each(all)('$kind changes exactly the expected accounts and amounts', (movement, expected) => {
    const changes = changesOf(movement).map(({ account, ...change }) => [account, change])
    expect(Object.fromEntries(changes)).toEqual(expected)
    expect(changes).toHaveLength(Object.keys(expected).length)
  })

  test.each(all)('$kind returns the accounts that it touches only', (movement, expected) => {
    const books = new Map(
      [...emptyBooks().keys()].map(id => [id, { posted: usdc(20n), reserved: usdc(5n), promotional: ZERO }]),
    )
    const after = applyMovement(books, movement)
    const states = [...(after ?? [])].map(([id, { posted, reserved }]) => [id, { posted, reserved }])
    expect(Object.fromEntries(states)).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([id, { posted = 0n, reserved = 0n }]) => [
          id,
          { posted: 20n + posted, reserved: 5n + reserved },
        ]),
      ),
    )
  })

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

  test('no sequence of movements overdraws a wallet or the promotions, loses a reservation or creates money', () => {
    const step = fc.record({
      pick: fc.nat(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      movement: simple,
      to: wallet,
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const books = emptyBooks()
        const open: Open[] = []
        for (const taken of steps) takeStep(books, open, taken)

        const states = [...books]
        expect(states.reduce((sum, [, { posted }]) => sum + posted, 0n)).toBe(0n)
        const reserved = states.reduce((sum, [, state]) => sum + state.reserved, 0n)
        expect(reserved).toBe(open.reduce((sum, movement) => sum + movement.amount, 0n))
        for (const [, state] of states.filter(([id]) => isCoveredAccount(id))) {
          expect(state.posted >= state.reserved && state.reserved >= 0n).toBe(true)
        }
        for (const [id, { posted, reserved: locked, promotional }] of states) {
          const whole = id.startsWith('provider:') ? posted - locked : posted
          expect(promotional >= 0n && (promotional === 0n || promotional <= whole)).toBe(true)
        }
      }),
    )
  })

  test.each(['redemption-adopted', 'deposit-reversed'] as const)(
    '%s charges a wallet at most the available balance of its account',
    kind => {
      const account = kind === 'deposit-reversed' ? 'consumer:0xa' : 'provider:0xa'
      const books = emptyBooks()
      books.set(account, { posted: usdc(5n), reserved: usdc(2n), promotional: ZERO })
      expect(applyMovement(books, of(kind, 4n))).toBeNull()
      expect(Object.fromEntries(applyMovement(books, of(kind, 3n)) ?? [])).toEqual({
        [account]: { posted: 2n, reserved: 2n, promotional: 0n },
        vault: { posted: 3n, reserved: 0n, promotional: 0n },
      })
    },
  )

  test('a hold that the balance does not cover changes nothing', () => {
    const books = emptyBooks()
    expect(
      applyMovement(books, {
        kind: 'hold',
        wallet: '0xa',
        provider: '0xb',
        amount: usdc(1n),
        reference: 'inv',
      }),
    ).toBeNull()
    expect(books).toEqual(emptyBooks())
  })

  test('a platform loss is posted although nothing covers it', () => {
    const loss: Movement = { kind: 'loss', amount: usdc(5n), reference: 'ref' }
    expect(applyMovement(emptyBooks(), loss)?.get('losses')).toMatchObject({ posted: -5n, reserved: 0n })
  })

  test('vouchers pay out at most what promotions were funded with', () => {
    const books = emptyBooks()
    books.set('consumer:0xa', { posted: usdc(10n), reserved: usdc(4n), promotional: ZERO })
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
    expect(pay(6n)?.get('consumer:0xb')).toEqual({ posted: 6n, reserved: 0n, promotional: 6n })
    expect(pay(6n)?.get('promotions')).toMatchObject({ posted: 0n, reserved: 0n })
  })

  test('an owner who is also the provider pays itself: only the fee leaves', () => {
    const books = emptyBooks()
    books.set('consumer:0xa', { posted: usdc(10n), reserved: usdc(10n), promotional: ZERO })
    const after = applyMovement(books, {
      kind: 'capture',
      consumer: '0xa',
      provider: '0xa',
      reference: 'inv',
      hold: usdc(10n),
      charge: usdc(8n),
      fee: usdc(1n),
    })
    expect(after?.get('consumer:0xa')).toMatchObject({ posted: 2n, reserved: 0n })
    expect(after?.get('provider:0xa')).toMatchObject({ posted: 7n, reserved: 0n })
    expect(after?.get('fees')).toMatchObject({ posted: 1n, reserved: 0n })
  })

  test.each<[string, Movement, string]>([
    ['a negative amount', of('deposit', -1n), 'deposit of ref is invalid.'],
    ['a charge above its hold', captureOf({ hold: 1n, charge: 2n, fee: 0n }), 'capture of ref is invalid.'],
    ['a fee above its charge', captureOf({ hold: 1n, charge: 1n, fee: 2n }), 'capture of ref is invalid.'],
    ['a negative fee', captureOf({ hold: 1n, charge: 1n, fee: -1n }), 'capture of ref is invalid.'],
    ['a negative loss', { kind: 'loss', amount: usdc(-1n), reference: 'ref' }, 'loss of ref is invalid.'],
    [
      'a release of more than the reservation',
      of('release', 1n),
      'ref releases more than consumer:0xa has reserved.',
    ],
    [
      'a movement on unlocked accounts',
      { ...of('deposit'), wallet: '0xelse' },
      'Account consumer:0xelse is not locked.',
    ],
  ])('%s throws', (_, movement, message) => {
    expect(() => applyMovement(emptyBooks(), movement)).toThrow(new RangeError(message))
  })

  test('a movement of zero does not throw', () => {
    expect(applyMovement(emptyBooks(), captureOf({ hold: 0n, charge: 0n, fee: 0n }))).not.toBeNull()
    expect(applyMovement(emptyBooks(), of('hold', 0n))).not.toBeNull()
  })
})

type Reservation = Extract<Movement, { wallet: string; amount: Usdc }>

function of(kind: Reservation['kind'], micros = 5n): Reservation {
  const common = { wallet: '0xa', amount: usdc(micros), reference: 'ref' }
  if (kind === 'hold') return { kind, provider: '0xb', ...common }
  if (kind === 'withdrawal-release') return { kind, promotional: ZERO, ...common }
  return { kind, ...common }
}

function fromFees(kind: 'withdrawal-lock' | 'withdrawal-release' | 'withdrawal-paid'): Movement {
  return { ...of(kind), source: 'fees' } as Movement
}

function captureOf(amounts: { hold: bigint; charge: bigint; fee: bigint }): Movement {
  const [hold, charge, fee] = [usdc(amounts.hold), usdc(amounts.charge), usdc(amounts.fee)]
  return { kind: 'capture', consumer: '0xa', provider: '0xb', hold, charge, fee, reference: 'ref' }
}

/** Open movements, with their promotional part. */
type Open = Reservation & { readonly promotional: Usdc }

type Step = { pick: number; share: number; movement: unknown; to: string }

/** Every other step ends what is open, if anything is; the rest begin something. Ending always succeeds. */
function takeStep(books: Map<string, AccountState>, open: Open[], { pick, share, movement, to }: Step): void {
  const ending = pick % 2 === 0 ? open.pop() : undefined
  const next = ending === undefined ? (movement as Reservation) : endOf(ending, share, to)
  const promotional = promotionalOf(books, next)
  const after = applyMovement(books, next)
  if (after === null) {
    expect(ending).toBeUndefined()
    return
  }
  for (const [id, state] of after) books.set(id, state)
  if (next.kind === 'hold' || next.kind === 'withdrawal-lock') open.push({ ...next, promotional })
}

function endOf(open: Open, share: number, provider: string): Movement {
  const { wallet: owner, amount: held, reference: ref } = open
  if (open.kind === 'withdrawal-lock') {
    const common = { wallet: owner, amount: held, reference: ref }
    if (share < 0.5) return { kind: 'withdrawal-paid', ...common }
    return { kind: 'withdrawal-release', promotional: open.promotional, ...common }
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
