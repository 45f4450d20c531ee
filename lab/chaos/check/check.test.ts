import { describe, expect, test } from 'vitest'
import { type Books, newTotals, type Totals } from './books.ts'
import { checkRound } from './check.ts'
import type { AskedCall, Credential, History } from './history.ts'

const TERMS = { prices: { input: 1_500_000n, output: 6_000_000n }, feeBasisPoints: 250n }
const [PAYER, PROVIDER] = ['0xaa', '0xbb']
const CREDENTIAL: Credential = { id: 'cred', token: 't', payer: PAYER, limit: null, isRevoked: false }
const NONCE = '0x01'
const TX_HASH = '0xfeed'

const answer = (id: string, charged = '0.010000') =>
  `{"invocationId":"${id}","status":"SUCCEEDED","chargedUsdc":"${charged}","result":{"n":1}}`
const seen = (text: string, status = 200) => ({ status, text, isWhole: true })
const refused = (code: string, status = 503) => seen(JSON.stringify({ code, detail: {} }), status)
const LOST = { status: null, text: '', isWhole: false }

const asked = (more: Partial<AskedCall> = {}): AskedCall => ({
  call: 'cred k',
  credentialId: 'cred',
  token: 't',
  service: 'fixed',
  payer: PAYER,
  provider: PROVIDER,
  price: 10_000n,
  body: { idempotencyKey: 'k' },
  isTooLate: false,
  seen: [seen(answer('inv')), seen(answer('inv'))],
  ...more,
})
const arrival = { call: 'cred k', invocationId: 'inv', idempotencyKey: 'inv' }

/** One call, one deposit and one redeemed withdrawal, all as they should be. */
function fixture(): { history: History; books: Books; totals: Totals } {
  const ticket = { to: PROVIDER, amount: '5000', deadline: 1, nonce: NONCE, signature: '0x' }
  const opened = seen(JSON.stringify({ withdrawalId: 'wd', ticket }))
  return {
    history: {
      calls: [asked()],
      deposits: [{ wallet: PAYER, amount: 1_000_000n, txHash: TX_HASH, isAcknowledged: true }],
      withdrawals: [{ wallet: '0xbb', token: 't', key: 'w', amountUsdc: '0.005', seen: [opened, opened] }],
      credentials: [CREDENTIAL],
    },
    books: {
      calls: [
        {
          id: 'inv',
          call: 'cred k',
          status: 'SUCCEEDED',
          charged: 10_000n,
          answer: { status: 200, text: answer('inv') },
        },
      ],
      arrivals: [arrival],
      usageOf: () => undefined,
      paidIn: [{ wallet: PAYER, amount: 1_000_000n, reference: `1:${TX_HASH}:0`, txHash: TX_HASH }],
      paidOut: [{ wallet: PROVIDER, amount: 5_000n, nonce: NONCE }],
      credits: [{ account: `consumer:${PAYER}`, amount: 1_000_000n, reference: `1:${TX_HASH}:0` }],
      withdrawals: [{ id: 'wd', wallet: PROVIDER, amount: 5_000n, status: 'COMPLETED', nonce: NONCE }],
      byCredential: new Map([['cred', { calls: 1, charged: 10_000n }]]),
      accounts: new Map([
        [`consumer:${PAYER}`, { posted: 990_000n, reserved: 0n }],
        [`provider:${PROVIDER}`, { posted: 4_750n, reserved: 0n }],
        ['fees', { posted: 250n, reserved: 0n }],
      ]),
      open: [],
      findings: [],
    },
    totals: newTotals(),
  }
}

const check = ({ history, books, totals }: ReturnType<typeof fixture>, older: AskedCall[] = []) =>
  checkRound(history, older, books, totals, TERMS)

/** What is found when a call was answered so, and the rest of the fixture is as it should be. */
const foundFor = (call: Partial<AskedCall>, books: Partial<Books> = {}): string[] => {
  const right = fixture()
  return check({
    ...right,
    history: { ...right.history, calls: [asked(call)] },
    books: { ...right.books, ...books },
  })
}
const foundIn = (books: Partial<Books>): string[] => {
  const right = fixture()
  return check({ ...right, books: { ...right.books, ...books } })
}

test('finds nothing wrong in a round that kept every promise', () => {
  expect(check(fixture())).toEqual([])
})

test('accumulates the totals of two rounds', () => {
  const first = fixture()
  expect(check(first)).toEqual([])
  const [row] = first.books.calls
  if (row === undefined) throw new Error('There is no call.')
  const again = { call: 'cred l', invocationId: 'inv2', idempotencyKey: 'inv2' }
  const books: Books = {
    ...first.books,
    calls: [{ ...row, id: 'inv2', call: 'cred l', answer: { status: 200, text: answer('inv2') } }],
    paidIn: [],
    paidOut: [],
    arrivals: [again],
    byCredential: new Map([['cred', { calls: 2, charged: 20_000n }]]),
    accounts: new Map([
      [`consumer:${PAYER}`, { posted: 980_000n, reserved: 0n }],
      [`provider:${PROVIDER}`, { posted: 14_500n, reserved: 0n }],
      ['fees', { posted: 500n, reserved: 0n }],
    ]),
  }
  const calls = [asked({ call: 'cred l', seen: [seen(answer('inv2'))] })]
  const history = { calls, deposits: [], withdrawals: [], credentials: [] }
  expect(check({ history, books, totals: first.totals })).toEqual([])
})

describe('finds in a call', () => {
  test.each<[string, Partial<AskedCall>, RegExp]>([
    [
      'an answer that differs by a byte for the same key',
      { seen: [seen(answer('inv').replace('1}', '2}')), seen(answer('inv'))] },
      /was answered .* and then/s,
    ],
    ['another charge', { seen: [seen(answer('inv', '0.020000')), seen(answer('inv'))] }, /and then/],
    ['a second call for one key', { seen: [seen(answer('inv')), seen(answer('inv3'))] }, /several calls/],
    [
      'a final state that was reverted',
      {
        seen: [
          seen(answer('inv')),
          seen('{"code":"UPSTREAM_ERROR","detail":{"invocationId":"inv","status":"PROCESSING"}}', 502),
        ],
      },
      /was over and then waited/,
    ],
    ['an incomplete answer without a fault', { seen: [seen(answer('inv')), LOST] }, /not answered whole/],
    ['no answer at all', { seen: [] }, /never answered/],
    [
      'a caller who is asked to wait forever',
      { seen: [refused('IDEMPOTENCY_IN_PROGRESS', 409)] },
      /still told/,
    ],
    ['a server error without a fault', { seen: [refused('INTERNAL', 500)] }, /still told INTERNAL/],
    [
      'a refusal of a call that the database has',
      { seen: [refused('BUDGET_EXHAUSTED', 402)] },
      /was refused/,
    ],
    ['a charge that was not agreed', { price: 9_999n }, /costs 10000 and not 9999/],
    ['a charge of a model for tokens it did not use', { price: null }, /costs 10000 and not 0/],
    ['a call after its credential was revoked', { isTooLate: true }, /although its credential was revoked/],
    [
      'a stream that began with other events',
      { seen: [{ status: 200, text: 'data: other\n\n', isWhole: false }, seen(answer('inv'))] },
      /began with events that its stream does not have/,
    ],
  ])('%s', (_, call, what) => {
    expect(foundFor(call).join('\n')).toMatch(what)
  })

  test('an acknowledged call that is missing from the database', () => {
    expect(foundFor({}, { calls: [] }).join('\n')).toMatch(/the database does not know it/)
  })
  test('a state that differs from the database', () => {
    const [row] = fixture().books.calls
    if (row === undefined) throw new Error('There is no call.')
    expect(foundIn({ calls: [{ ...row, status: 'FAILED_FINAL' }] }).join('\n')).toMatch(/the database has/)
    expect(foundIn({ calls: [{ ...row, answer: { status: 200, text: '{}' } }] }).join('\n')).toMatch(/stored/)
    expect(foundIn({ calls: [{ ...row, status: 'PENDING' }] }).join('\n')).toMatch(/is still PENDING/)
  })
  test('a second request to a provider', () => {
    expect(foundIn({ arrivals: [arrival, arrival] }).join('\n')).toMatch(/reached providers 2 times/)
  })
  test('a request to a provider without a hold, or under another name', () => {
    expect(foundFor({ seen: [refused('UNAVAILABLE')] }, { calls: [] }).join('\n')).toMatch(
      /as inv, and the data/,
    )
    expect(foundIn({ arrivals: [{ ...arrival, invocationId: 'x' }] }).join('\n')).toMatch(/as x, and is inv/)
    expect(foundIn({ arrivals: [{ ...arrival, idempotencyKey: 'x' }] }).join('\n')).toMatch(
      /the idempotency key x/,
    )
  })
  test('a charge without a request to a provider', () => {
    expect(foundIn({ arrivals: [] }).join('\n')).toMatch(/no provider was asked/)
  })
  test('a call of an earlier round that is made again, and one whose answer has changed', () => {
    const right = fixture()
    expect(check(right, [asked()]).join('\n')).toMatch(/again, rounds later/)
    const changed = asked({ seen: [seen(answer('inv')), seen(answer('inv', '0.000000'))] })
    const books = { ...right.books, arrivals: [] }
    expect(check({ ...fixture(), books }, [changed]).join('\n')).toMatch(/and then/)
  })
})

describe('finds in the books', () => {
  const account = (id: string, posted: bigint, reserved = 0n) =>
    new Map([...fixture().books.accounts, [id, { posted, reserved }]])
  const [credit] = fixture().books.credits
  if (credit === undefined) throw new Error('There is no credit.')
  const [withdrawal] = fixture().books.withdrawals
  if (withdrawal === undefined) throw new Error('There is no withdrawal.')

  test.each<[string, Partial<Books>, RegExp]>([
    ['a deposit that was not credited', { credits: [] }, /was credited 0 times/],
    ['a deposit acknowledged as credited that is not', { credits: [] }, /was said to be credited and is not/],
    ['a deposit that was credited twice', { credits: [credit, credit] }, /was credited 2 times/],
    ['a credit of another amount', { credits: [{ ...credit, amount: 1n }] }, /was credited 1 times/],
    [
      'a credit to another account',
      { credits: [{ ...credit, account: 'consumer:0xcc' }] },
      /was credited 1 times/,
    ],
    [
      'a credit without a deposit',
      { credits: [credit, { ...credit, reference: 'x' }] },
      /2000000 credited in all, and the chain has 1000000/,
    ],
    ['a ticket that the database has lost', { withdrawals: [] }, /a ticket is out, and the database/],
    [
      'a payment that the database has lost',
      { withdrawals: [] },
      /was paid, and the database does not know it/,
    ],
    [
      'a paid ticket that was reverted',
      { withdrawals: [{ ...withdrawal, status: 'CANCELLED' }] },
      /the chain has paid 5000, and the database has CANCELLED/,
    ],
    ['a withdrawal that the chain never paid', { paidOut: [] }, /5000 paid by the database, 0 by the chain/],
    ['missing money of an owner', { accounts: account('consumer:0xaa', 989_999n) }, /consumer:0xaa: 989999/],
    ['missing money of a provider', { accounts: account('provider:0xbb', 4_749n) }, /provider:0xbb: 4749/],
    ['missing fees', { accounts: account('fees', 249n) }, /account fees: 249/],
    [
      'a hold that is never released',
      { accounts: account('consumer:0xaa', 990_000n, 1n) },
      /1 are set aside and not 0/,
    ],
    ['a debt', { accounts: account('consumer:0xcc', -1n) }, /-1 with 0 set aside/],
    [
      'a call that nobody made',
      { byCredential: new Map([['cred', { calls: 2, charged: 20_000n }]]) },
      /2 calls for 20000, of which callers know 1/,
    ],
    [
      'a hold that outlives its lease',
      { open: [{ id: 'inv', status: 'PENDING' }] },
      /still PENDING after its lease/,
    ],
    ['a finding of the reconciliation', { findings: ['reconciliation: x'] }, /reconciliation: x/],
  ])('%s', (_, books, what) => {
    expect(foundIn(books).join('\n')).toMatch(what)
  })

  test('a credential that spent more than its limit', () => {
    const right = fixture()
    const credentials = [{ ...CREDENTIAL, limit: 9_999n }]
    const found = check({ ...right, history: { ...right.history, credentials } })
    expect(found).toEqual(['credential cred: has spent 10000 of 9999'])
  })
  test('a key with two withdrawals, or a withdrawal with two tickets', () => {
    const foundWith = (answer: object) => {
      const right = fixture()
      const [asked] = right.history.withdrawals
      if (asked === undefined) throw new Error('There is no withdrawal.')
      const withdrawals = [{ ...asked, seen: [...asked.seen, seen(JSON.stringify(answer))] }]
      return check({ ...right, history: { ...right.history, withdrawals } })
    }
    const ticket = { to: PROVIDER, amount: '6000', deadline: 1, nonce: NONCE, signature: '0x' }
    expect(foundWith({ withdrawalId: 'wd', ticket })).toEqual([expect.stringMatching(/was given 2 tickets/)])
    expect(foundWith({ withdrawalId: 'other', ticket: null })).toEqual([
      expect.stringMatching(/is 2 withdrawals/),
      expect.stringMatching(/withdrawal other: a ticket is out, and the database/),
    ])
    expect(foundWith({ withdrawalId: 'wd', ticket: null })).toEqual([])
  })
})
