import { type Usdc, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Budgets } from '../../credentials/draw-budgets.ts'
import type { Books } from '../../ledger/lock-books.ts'
import { type Admission, admit, type HoldRequest, keyOf, type World } from './admit.ts'

const NOW = new Date('2026-03-18T15:30:00Z')
const SERVICE = { id: 'svc_1', version: 1n, names: ['svc_1', 'weather'] }
const RATE = { rpm: 600, remaining: 599, seconds: 1 }

/** The state as plain numbers: what an owner has, what a credential may draw, how many requests it may make. */
function worldWith(
  rows: {
    balance?: bigint
    credit?: bigint
    requests?: number
    version?: bigint
    isRevoked?: boolean
    allowed?: string
  } = {},
) {
  const left = {
    balance: rows.balance ?? 100n,
    credit: rows.credit ?? 100n,
    requests: rows.requests ?? 1_000,
  }
  const budgets: Budgets = {
    countRequest() {
      if (left.requests === 0) throw new GatewayError('RATE_LIMITED')
      left.requests -= 1
      return RATE
    },
    requireUsable(credentialId) {
      if (rows.isRevoked === true) throw new GatewayError('CREDENTIAL_INACTIVE', { credentialId })
    },
    requireAllowed(_, names) {
      if (rows.allowed !== undefined && !names.includes(rows.allowed))
        throw new GatewayError('SERVICE_NOT_ALLOWED')
    },
    draw(_, hold) {
      if (hold > left.credit) throw new GatewayError('BUDGET_EXHAUSTED', { limit: 'credential_credit' })
      left.credit -= hold
      return NOW
    },
    undraw(_, { hold }) {
      left.credit += hold
    },
    settle: () => undefined,
    exhausted: () => [],
    changes: () => ({ credentials: new Map(), policies: new Map() }),
  }
  const books: Books = {
    post(movement) {
      if (movement.kind !== 'hold' || movement.amount > left.balance) return false
      left.balance -= movement.amount
      return true
    },
    promotionalOf: () => usdc(0n),
    available: () => usdc(left.balance),
    availableFor: () => usdc(left.balance),
    receivable: () => usdc(0n),
    fees: () => usdc(0n),
    promotions: () => usdc(0n),
    changes: () => ({ accounts: new Map(), entries: [] }),
  }
  const world: World = {
    budgets,
    books,
    known: new Map(),
    isCurrent: ({ id, version }) => id === 'svc_1' && version === (rows.version ?? 1n),
  }
  return { world, left }
}

let made = 0
function requestOf(parts: Partial<HoldRequest> & { hold?: bigint } = {}): HoldRequest {
  made += 1
  const { hold = 1n, ...rest } = parts
  return {
    invocationId: `inv_${made}`,
    credentialId: 'cred_1',
    owner: '0xa',
    idempotencyKey: `key-${made}`,
    requestHash: Buffer.from('request'),
    service: SERVICE,
    counted: null,
    tokenDigest: Buffer.from('token'),
    quote: { serviceId: 'svc_1', provider: '0xb', hold: usdc(hold), metering: null },
    ...rest,
  }
}

const codes = (admissions: readonly Admission[]) =>
  admissions.map(admission => (admission.kind === 'refused' ? admission.error.code : admission.kind))

describe('admission', () => {
  test('checks the rate, known key, service version, quote and budgets in that order', () => {
    const refusal = new GatewayError('PRICE_MISMATCH')
    const knownKey = { idempotencyKey: 'known', quote: refusal, service: { ...SERVICE, version: 9n } }
    const first = requestOf({ idempotencyKey: 'known' })
    const { world } = worldWith({ requests: 5, credit: 1n })
    expect(
      codes(
        admit(world, [
          first,
          requestOf(knownKey),
          requestOf({ quote: refusal, service: { ...SERVICE, version: 9n } }),
          requestOf({ quote: refusal }),
          requestOf({ hold: 2n }),
          requestOf(knownKey),
        ]),
      ),
    ).toEqual(['held', 'known', 'requote', 'PRICE_MISMATCH', 'BUDGET_EXHAUSTED', 'RATE_LIMITED'])
  })

  test('holds duplicates in a batch once and rejects a different request under the same key', () => {
    const { world, left } = worldWith()
    const twins = [1, 2, 3].map(() => requestOf({ idempotencyKey: 'same' }))
    const other = requestOf({ idempotencyKey: 'same', requestHash: Buffer.from('another') })
    expect(codes(admit(world, [...twins, other]))).toEqual(['held', 'known', 'known', 'IDEMPOTENCY_CONFLICT'])
    expect(left.balance).toBe(99n)
  })

  test('recovers its own hold after a lost COMMIT without holding or counting it again', () => {
    const { world, left } = worldWith()
    const request = requestOf()
    world.known.set(keyOf(request), {
      id: request.invocationId,
      requestHash: request.requestHash,
      status: 'PENDING',
      drawnAt: NOW,
      hold: usdc(1n),
    })
    expect(admit(world, [request])).toEqual([{ kind: 'held', rate: null, drawnAt: NOW, isNew: false }])
    expect(left).toEqual({ balance: 100n, credit: 100n, requests: 1_000 })
  })

  test('restores the budget when the balance is too low, and reports the limit and the remaining balance', () => {
    const { world, left } = worldWith({ balance: 3n })
    const [admission] = admit(world, [requestOf({ hold: 4n })])
    expect(admission).toMatchObject({
      error: {
        code: 'BUDGET_EXHAUSTED',
        context: { limit: 'owner_balance', remainingUsdc: '0.000003', requiredUsdc: '0.000004' },
      },
    })
    expect(left.credit).toBe(100n)
  })

  test('covers every hold of any batch, and does not let a refused large request starve smaller ones', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 60n }), { maxLength: 60 }), holds => {
        const { world, left } = worldWith({ balance: 90n, credit: 120n })
        const admissions = admit(
          world,
          holds.map(hold => requestOf({ hold })),
        )
        let rest = 90n
        for (const [index, admission] of admissions.entries()) {
          const hold = holds[index] as Usdc
          expect(admission.kind).toBe(hold <= rest ? 'held' : 'refused')
          if (hold <= rest) rest -= hold
        }
        expect(left.balance).toBe(rest)
        expect(120n - left.credit).toBe(90n - rest)
      }),
    )
  })

  test('returns the rate and time of a hold and makes its key known to later requests', () => {
    const { world } = worldWith()
    const request = requestOf({ hold: 7n })
    expect(admit(world, [request])).toEqual([{ kind: 'held', rate: RATE, drawnAt: NOW, isNew: true }])
    const invocation = {
      id: request.invocationId,
      requestHash: request.requestHash,
      status: 'PENDING',
      drawnAt: NOW,
      hold: 7n,
    }
    expect(world.known.get(keyOf(request))).toEqual(invocation)
    const again = requestOf({ idempotencyKey: request.idempotencyKey })
    expect(admit(world, [again])).toEqual([{ kind: 'known', rate: RATE, invocation }])
  })

  test('does not count a requoted request again, but still requires an active credential', () => {
    const counted = { rpm: 60, remaining: 3, seconds: 2 }
    const { world, left } = worldWith()
    expect(admit(world, [requestOf({ counted })])).toMatchObject([{ kind: 'held', rate: counted }])
    expect(left.requests).toBe(1_000)
    const revoked = worldWith({ isRevoked: true }).world
    const error = { code: 'CREDENTIAL_INACTIVE', context: { credentialId: 'cred_1' } }
    expect(admit(revoked, [requestOf({ counted })])).toMatchObject([
      { kind: 'refused', rate: counted, error },
    ])
  })

  test('returns the rate of a refused request, or null if the rate limit refused it', () => {
    const { world } = worldWith({ requests: 1 })
    const refusal = new GatewayError('SERVICE_NOT_FOUND')
    const requests = [requestOf({ quote: refusal, service: null }), requestOf()]
    expect(admit(world, requests)).toMatchObject([
      { kind: 'refused', rate: RATE, error: { code: 'SERVICE_NOT_FOUND' } },
      { kind: 'refused', rate: null, error: { code: 'RATE_LIMITED' } },
    ])
  })

  test('checks the current allow-list after the key and version, and before the quote', () => {
    const first = requestOf({ idempotencyKey: 'known' })
    const { world } = worldWith({ allowed: 'weather' })
    expect(codes(admit(world, [first]))).toEqual(['held'])
    const { world: changed } = worldWith({ allowed: 'another' })
    const wrong = new GatewayError('PRICE_MISMATCH')
    const requests = [
      requestOf({ idempotencyKey: 'known' }),
      requestOf({ service: { ...SERVICE, version: 9n } }),
      requestOf({ quote: wrong }),
      requestOf({ quote: new GatewayError('SERVICE_NOT_FOUND'), service: null }),
    ]
    expect(codes(admit({ ...changed, known: world.known }, requests))).toEqual([
      'known',
      'requote',
      'SERVICE_NOT_ALLOWED',
      'SERVICE_NOT_FOUND',
    ])
  })

  test('scopes a key to its credential', () => {
    const { world } = worldWith()
    const requests = ['cred_1', 'cred_2'].map(credentialId =>
      requestOf({ credentialId, idempotencyKey: 'same' }),
    )
    expect(codes(admit(world, requests))).toEqual(['held', 'held'])
  })

  test('requotes a call to a service that no longer exists', () => {
    const { world } = worldWith()
    expect(codes(admit(world, [requestOf({ service: { ...SERVICE, id: 'svc_gone' } })]))).toEqual(['requote'])
  })

  test('rethrows unexpected errors instead of refusing the request', () => {
    const { world } = worldWith()
    const post = () => {
      throw new RangeError('broken')
    }
    expect(() => admit({ ...world, books: { ...world.books, post } }, [requestOf()])).toThrow('broken')
  })
})
