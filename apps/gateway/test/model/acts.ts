import fc from 'fast-check'
import { type Act, type Books, callName, type Outcome, PAYERS } from './books.ts'

/** An act before its objects exist: a number selects one of the existing ones. */
export type Wish = (books: Books, fresh: () => string) => Act | null

const payer = fc.constantFrom(...PAYERS)
const pick = fc.nat({ max: 7 })
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 60_000n }), fc.constantFrom(10_000n, 30_000n))
const limit = fc.option(fc.bigInt({ min: 0n, max: 80_000n }), { nil: null })
const tokens = fc.record({ input: fc.nat({ max: 3_000 }), output: fc.nat({ max: 1_000 }) })
const key = fc.constantFrom('k0', 'k1', 'k2', 'k3')

const good: fc.Arbitrary<Outcome> = tokens.map(used => ({ kind: 'good', ...used }))
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 5, arbitrary: good },
  { weight: 2, arbitrary: fc.constant({ kind: 'silent' } as const) },
  ...(['refused', 'broken', 'reset', 'garbage'] as const).map(kind => ({
    weight: 1,
    arbitrary: fc.constant({ kind }),
  })),
)

const one = (names: readonly string[], number: number): string | undefined => names[number % names.length]
/** Returns an act on one of the existing objects, or null. */
const on = (names: readonly string[], number: number, make: (name: string) => Act): Act | null => {
  const name = one(names, number)
  return name === undefined ? null : make(name)
}

const credentials = (books: Books) => Object.keys(books.credentials)

const call = fc
  .record({
    credential: pick,
    key,
    outcome,
    old: fc.nat({ max: 9 }),
    offer: amount,
    service: fc.oneof(
      { weight: 5, arbitrary: fc.constant('echo' as const) },
      { weight: 4, arbitrary: fc.constant('model' as const) },
      { weight: 1, arbitrary: fc.constant('sleepy' as const) },
    ),
    isPriceRight: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.boolean()),
    isRepeated: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(
    (wish): Wish =>
      (books, fresh) =>
        on(credentials(books), wish.credential, credential => {
          const { owner, rotations } = books.credentials[credential] ?? { owner: PAYERS[0], rotations: 0 }
          const token = wish.old === 0 ? Math.max(0, rotations - 1) : rotations
          const price = books.prices[owner] + (wish.isPriceRight ? 0n : 1n)
          const { service, outcome } = wish
          return {
            kind: 'call',
            credential,
            token,
            service,
            outcome,
            key: wish.isRepeated ? wish.key : fresh(),
            offer: service === 'model' ? wish.offer : price,
          }
        }),
  )

/** Repeats a call unchanged. */
const again = pick.map(
  (number): Wish =>
    books => {
      const asked = Object.entries(books.calls)
      const [name, known] = asked[number % asked.length] ?? []
      if (name === undefined || known === undefined) return null
      const { credential, service } = known
      const [, offer, outcome] = JSON.parse(known.request) as [unknown, string, Outcome]
      const token = books.credentials[credential]?.rotations ?? 0
      const key = name.slice(callName({ credential, key: '' }).length)
      return { kind: 'call', credential, token, key, service, offer: BigInt(offer), outcome }
    },
)

const wishes = {
  deposit: fc.record({ who: payer, amount }).map(
    (act): Wish =>
      () => ({ kind: 'deposit', ...act }),
  ),
  issue: fc
    .record({
      who: payer,
      creditLimit: limit,
      maxCalls: fc.option(fc.bigInt({ min: 1n, max: 4n }), { nil: null }),
    })
    .map(
      (act): Wish =>
        (_, fresh) => ({ kind: 'issue', name: fresh(), ...act }),
    ),
  revoke: pick.map(
    (number): Wish =>
      books =>
        on(credentials(books), number, credential => ({ kind: 'revoke', credential })),
  ),
  rotate: pick.map(
    (number): Wish =>
      books =>
        on(credentials(books), number, credential => ({ kind: 'rotate', credential })),
  ),
  call,
  again,
  report: fc.record({ number: pick, usage: tokens }).map(
    ({ number, usage }): Wish =>
      books => {
        const waiting = Object.entries(books.calls).flatMap(([name, { service, state }]) =>
          service === 'model' && (state === 'waits for usage' || number % 2 === 0) ? [name] : [],
        )
        return on(waiting, number, name => ({ kind: 'report', call: name, ...usage }))
      },
  ),
  price: fc.record({ of: payer, amount: fc.constantFrom(0n, 1n, 39n, 10_000n, 25_000n) }).map(
    (act): Wish =>
      () => ({ kind: 'price', ...act }),
  ),
  policy: fc.record({ who: payer, monthly: limit, daily: limit, perCall: limit }).map(
    (act): Wish =>
      () => ({ kind: 'policy', ...act }),
  ),
  withdraw: fc.record({ number: pick, other: amount, isRepeated: fc.boolean() }).map(
    ({ number, other, isRepeated }): Wish =>
      (books, fresh) => {
        const known = isRepeated ? one(Object.keys(books.withdrawals), number) : undefined
        const all = number % 3 === 0 && books.earnings.receivable > 0n ? books.earnings.receivable : other
        const same = known === undefined ? undefined : books.withdrawals[known]?.amount
        return { kind: 'withdraw', key: known ?? fresh(), amount: number % 4 === 0 ? all : (same ?? all) }
      },
  ),
  complete: pick.map(
    (number): Wish =>
      books =>
        on(Object.keys(books.withdrawals), number, withdrawal => ({ kind: 'complete', withdrawal })),
  ),
  expire: fc.constant((): Act => ({ kind: 'expire' })),
  voucher: fc.record({ amount, times: fc.integer({ min: 1, max: 2 }) }).map(
    (act): Wish =>
      (_, fresh) => ({ kind: 'voucher', name: fresh(), ...act }),
  ),
  redeem: fc.record({ number: pick, who: fc.constantFrom(...PAYERS, 'pat' as const) }).map(
    ({ number, who }): Wish =>
      books =>
        on(Object.keys(books.vouchers), number, voucher => ({ kind: 'redeem', who, voucher })),
  ),
}

const weights: Record<keyof typeof wishes, number> = {
  deposit: 4,
  issue: 4,
  revoke: 1,
  rotate: 1,
  call: 14,
  again: 3,
  report: 3,
  price: 2,
  policy: 2,
  withdraw: 3,
  complete: 2,
  expire: 1,
  voucher: 1,
  redeem: 2,
}

/** Generates any act, mostly calls. */
export function anyWish(without: readonly (keyof typeof wishes)[] = []): fc.Arbitrary<Wish> {
  const kinds = (Object.keys(wishes) as (keyof typeof wishes)[]).filter(kind => !without.includes(kind))
  return fc.oneof(...kinds.map(kind => ({ weight: weights[kind], arbitrary: wishes[kind] })))
}

/** Money and credentials for both payers, which nearly every act needs. */
export const BEGINNING: readonly Act[] = PAYERS.flatMap((who): Act[] => [
  { kind: 'deposit', who, amount: 70_000n },
  { kind: 'issue', who, name: `first of ${who}`, maxCalls: null, creditLimit: null },
])
