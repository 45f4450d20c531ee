import { usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import {
  accountOf,
  credentialOf,
  METERING,
  NOW,
  policyOf,
} from '../../../../test/kit/ledger/ledger-values.ts'
import { openBudgets } from '../../credentials/draw-budgets.ts'
import { EMPTY_ACCOUNT, openBooks } from '../../ledger/lock-books.ts'
import type { Metering } from '../pricing/metering-rules.ts'
import type { Settlement } from '../rules.ts'
import type { HoldRequest } from './admit.ts'
import { batchOf, type CallState, type Item, type World } from './call-batch.ts'
import { type Decision, decideBatch } from './decide-batch.ts'

const TOKEN = Buffer.from('digest of the token')

/** One owner, 0xa, with a credential and this much money; inv_1 is open and holds 10 of it. */
function worldWith(
  rows: { posted?: bigint; states?: Record<string, CallState>; credit?: bigint } = {},
): World {
  const { posted = 100n, states = { inv_1: { status: 'PENDING', errorCode: null } }, credit = null } = rows
  const drawn = { creditLimit: credit, callsUsed: 1n, held: 10n, tokenHash: TOKEN }
  const credential = credentialOf('0xa', 'cred_1', drawn)
  const policy = policyOf('0xa', { monthDrawn: 10n, dayDrawn: 10n })
  return {
    budgets: openBudgets(
      { credentials: new Map([['cred_1', credential]]), policies: new Map([['0xa', policy]]) },
      NOW,
    ),
    books: openBooks(
      new Map([
        ['consumer:0xa', accountOf(posted, 10n)],
        ['provider:0xb', EMPTY_ACCOUNT],
        ['fees', EMPTY_ACCOUNT],
      ]),
    ),
    known: new Map(),
    isCurrent: ({ version }) => version === 1n,
    states: new Map(Object.entries(states)),
    now: NOW,
  }
}

function holdOf(id: string, hold: bigint, parts: Partial<HoldRequest> & { metering?: Metering } = {}): Item {
  const { metering = null, ...rest } = parts
  return {
    hold: {
      invocationId: id,
      credentialId: 'cred_1',
      owner: '0xa',
      idempotencyKey: `key of ${id}`,
      tokenDigest: TOKEN,
      requestHash: Buffer.from(id),
      service: { id: 'svc_1', version: 1n, names: ['svc_1'] },
      counted: null,
      quote: { serviceId: 'svc_1', provider: '0xb', hold: usdc(hold), metering },
      ...rest,
    },
  }
}

const CALL = {
  invocationId: 'inv_1',
  credentialId: 'cred_1',
  owner: '0xa',
  provider: '0xb',
  serviceId: 'svc_1',
  hold: usdc(10n),
  drawnAt: NOW,
  latencyMs: 5,
  attempts: 1,
  recording: null,
  from: 'PENDING',
} as const
const ANSWER = { answer: { httpStatus: 200, body: '{}' }, metered: null }
const succeeded: Settlement = {
  ...CALL,
  ...ANSWER,
  status: 'SUCCEEDED',
  errorCode: null,
  charge: usdc(8n),
  fee: usdc(1n),
}
const failed: Settlement = {
  ...CALL,
  ...ANSWER,
  status: 'FAILED_RETRYABLE',
  errorCode: 'UPSTREAM_ERROR',
  charge: ZERO,
  fee: ZERO,
}
const awaited: Settlement = {
  ...CALL,
  status: 'PROCESSING',
  errorCode: 'UPSTREAM_ERROR',
  charge: ZERO,
  fee: ZERO,
  reason: 'usage_missing',
  pendingResult: null,
}

function decide(world: World, items: readonly Item[], options: { isNews?: boolean } = {}) {
  const { isNews = true } = options
  return decideBatch({
    batch: batchOf(items),
    world,
    isNews: () => isNews,
  })
}

/** Rows that a decision writes, by the ids of its calls. */
const idsOf = ({ effects: { held, awaited, ended, budgets, accounts } }: Decision) => ({
  held: held.map(({ invocationId }) => invocationId),
  awaited: awaited.map(({ invocationId }) => invocationId),
  ended: ended.map(({ invocationId }) => invocationId),
  rows: [...budgets.credentials.keys(), ...budgets.policies.keys(), ...accounts.keys()],
})
const ALL_ROWS = ['cred_1', '0xa', '0xa']
const NOTHING = { held: [], awaited: [], ended: [], rows: [] }
/** Balance and holds of the consumer after a decision; null if unchanged. */
const balanceOf = ({ effects }: Decision) => {
  const account = effects.accounts.get('0xa')
  return account === undefined ? null : [account.posted, account.reserved]
}
const creditOf = ({ effects }: Decision) => {
  const credential = effects.budgets.credentials.get('cred_1')
  return credential === undefined ? null : [credential.callsUsed, credential.spent, credential.held]
}

describe('a batch', () => {
  test('decides settlements before holds in any order, so that holds can use released funds', () => {
    const decision = decide(worldWith({ posted: 10n }), [holdOf('inv_2', 10n), { settle: failed }])
    expect(decision.outcomes).toMatchObject([
      { kind: 'held', isNew: true },
      { kind: 'settled', isNew: true },
    ])
    expect(balanceOf(decision)).toEqual([10n, 10n])
  })

  test('returns the outcome of each item, in order', () => {
    const lost: Settlement = { ...succeeded, invocationId: 'inv_gone' }
    const items = [
      holdOf('inv_2', 1n),
      { settle: lost },
      holdOf('inv_3', 1_000n),
      { settle: succeeded },
      holdOf('inv_4', 1n, { service: { id: 'svc_1', version: 0n, names: ['svc_1'] } }),
    ]
    const { outcomes } = decide(worldWith(), items)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['held', 'lost', 'refused', 'settled', 'requote'])
  })

  test('writes each held or ended call and each changed row once', () => {
    const items = [holdOf('inv_2', 1n), holdOf('inv_3', 1n), { settle: succeeded }]
    const decision = decide(worldWith(), items)
    expect(idsOf(decision)).toEqual({
      ...NOTHING,
      held: ['inv_2', 'inv_3'],
      ended: ['inv_1'],
      rows: ALL_ROWS,
    })
    expect(decision.effects.held.map(({ drawnAt, quote }) => [drawnAt, quote.hold])).toEqual([
      [NOW, 1n],
      [NOW, 1n],
    ])
    expect(balanceOf(decision)).toEqual([92n, 2n])
    expect(creditOf(decision)).toEqual([3n, 8n, 2n])
  })

  test('writes the metering terms and the usage of metered calls', () => {
    const metered = {
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 },
      isCapped: false,
      cost: usdc(8n),
      reportedBy: null,
    }
    const items = [holdOf('inv_2', 1n, { metering: METERING }), { settle: { ...succeeded, metered } }]
    const { held, ended } = decide(worldWith(), items).effects
    expect(held.map(({ quote }) => quote.metering)).toEqual([METERING])
    expect(ended.map(call => call.metered)).toEqual([metered])
  })

  test('writes no call that was refused or is already written', () => {
    const items = [
      holdOf('inv_2', 1_000n),
      holdOf('inv_3', 1n, { quote: new GatewayError('PRICE_MISMATCH') }),
    ]
    // The rate has counted them.
    const refused = decide(worldWith(), items)
    expect(idsOf(refused)).toMatchObject({ held: [], ended: [] })
    expect(refused.effects.budgets.credentials.get('cred_1')?.rateWindow).not.toEqual(Buffer.alloc(0))
    expect(creditOf(refused)).toEqual([1n, 0n, 10n])
    expect(balanceOf(refused)).toBeNull()
    const world = worldWith()
    world.known.set('cred_1 key of inv_2', {
      id: 'inv_2',
      requestHash: Buffer.from('inv_2'),
      status: 'PENDING',
      drawnAt: NOW,
      hold: usdc(1n),
    })
    const again = decide(world, [holdOf('inv_2', 1n)])
    expect(again.outcomes).toMatchObject([{ kind: 'held', isNew: false }])
    expect(idsOf(again)).toEqual(NOTHING)
  })

  test('counts a request that is not a call, and charges nothing for it', () => {
    const count = { credentialId: 'cred_1', owner: '0xa', tokenDigest: TOKEN }
    const decision = decide(worldWith(), [{ count }, { count: { ...count, tokenDigest: Buffer.from('x') } }])
    expect(decision.outcomes).toMatchObject([
      { kind: 'counted', rate: { rpm: 600 } },
      { kind: 'counted', error: { code: 'CREDENTIAL_INVALID' } },
    ])
    expect(idsOf(decision)).toEqual({ ...NOTHING, rows: ['cred_1'] })
    expect(creditOf(decision)).toEqual([1n, 0n, 10n])
  })

  test('leaves provider and platform accounts to the projection', () => {
    const { accounts } = decide(worldWith(), [{ settle: succeeded }]).effects
    expect([...accounts.keys()]).toEqual(['0xa'])
  })

  test('refuses a request with a wrong token digest before counting it, and writes nothing', () => {
    const stranger = holdOf('inv_3', 10n, { tokenDigest: Buffer.from('digest of another') })
    const decision = decide(worldWith(), [stranger])
    expect(decision.outcomes).toMatchObject([{ kind: 'refused', rate: null }])
    expect(idsOf(decision)).toEqual(NOTHING)
  })
})

describe('a settlement', () => {
  test('that succeeded captures the charge, counts the call and releases the hold', () => {
    const decision = decide(worldWith(), [{ settle: succeeded }])
    expect(balanceOf(decision)).toEqual([92n, 0n])
    expect(decision.effects.ended).toMatchObject([{ charge: 8n, fee: 1n, promotional: 0n, finishedAt: NOW }])
    expect(creditOf(decision)).toEqual([1n, 8n, 0n])
  })

  test.each([failed, { ...failed, status: 'FAILED_FINAL' } as Settlement])(
    'that failed ($status) charges nothing and does not count the call',
    settlement => {
      const decision = decide(worldWith(), [{ settle: settlement }])
      expect(balanceOf(decision)).toEqual([100n, 0n])
      expect(creditOf(decision)).toEqual([0n, 0n, 0n])
    },
  )

  test('that awaits its usage keeps its hold and draw, and is written as awaited', () => {
    const decision = decide(worldWith(), [{ settle: awaited }])
    expect(decision.outcomes).toEqual([{ kind: 'settled', isNew: true }])
    expect(idsOf(decision)).toEqual({ ...NOTHING, awaited: ['inv_1'] })
  })

  test('stores the stream events of ended and awaited calls', () => {
    const recording = { events: Buffer.from('events'), isWhole: true }
    const { ended } = decide(worldWith(), [{ settle: { ...succeeded, recording } }]).effects
    expect(ended.map(call => call.recording)).toEqual([recording])
    const waiting = decide(worldWith(), [{ settle: { ...awaited, recording } }]).effects
    expect(waiting.awaited.map(call => call.recording)).toEqual([recording])
  })

  test('that is already committed succeeds again and writes nothing', () => {
    const states = { inv_1: { status: 'SUCCEEDED', errorCode: null } } as const
    const decision = decide(worldWith({ states }), [{ settle: succeeded }])
    expect(decision.outcomes).toEqual([{ kind: 'settled', isNew: false }])
    expect(idsOf(decision)).toEqual(NOTHING)
  })

  test('that is sent twice in a batch settles once', () => {
    const decision = decide(worldWith(), [{ settle: succeeded }, { settle: succeeded }])
    expect(decision.outcomes).toEqual([
      { kind: 'settled', isNew: true },
      { kind: 'settled', isNew: false },
    ])
    expect(balanceOf(decision)).toEqual([92n, 0n])
    expect(idsOf(decision).ended).toEqual(['inv_1'])
  })

  test('that contradicts an earlier one in the batch is lost and returns the earlier state', () => {
    const decision = decide(worldWith(), [{ settle: failed }, { settle: succeeded }])
    expect(decision.outcomes).toEqual([
      { kind: 'settled', isNew: true },
      { kind: 'lost', state: { status: 'FAILED_RETRYABLE', errorCode: 'UPSTREAM_ERROR' } },
    ])
    expect(balanceOf(decision)).toEqual([100n, 0n])
  })

  test.each<[string, Settlement, CallState | undefined]>([
    ['nobody knows', succeeded, undefined],
    ['has ended otherwise', succeeded, { status: 'FAILED_FINAL', errorCode: 'UPSTREAM_ERROR' }],
    [
      'has failed for another reason',
      failed,
      { status: 'FAILED_RETRYABLE', errorCode: 'GATEWAY_INTERRUPTED' },
    ],
    ['already waits for its usage', succeeded, { status: 'PROCESSING', errorCode: 'UPSTREAM_ERROR' }],
    ['does not wait yet', { ...succeeded, from: 'PROCESSING' }, { status: 'PENDING', errorCode: null }],
    [
      'waits, and may not be tried again',
      { ...failed, from: 'PROCESSING' },
      { status: 'PROCESSING', errorCode: 'UPSTREAM_ERROR' },
    ],
  ])('of a call that %s is lost and changes nothing', (_, settlement, state) => {
    const decision = decide(worldWith({ states: state === undefined ? {} : { inv_1: state } }), [
      { settle: settlement },
    ])
    expect(decision.outcomes).toEqual([{ kind: 'lost', state: state ?? null }])
    expect(idsOf(decision)).toEqual(NOTHING)
  })

  test('of a call that awaited its usage ends it', () => {
    const states = { inv_1: { status: 'PROCESSING', errorCode: 'UPSTREAM_ERROR' } } as const
    const decision = decide(worldWith({ states }), [{ settle: { ...succeeded, from: 'PROCESSING' } }])
    expect(decision.outcomes).toEqual([{ kind: 'settled', isNew: true }])
    expect(idsOf(decision)).toEqual({ ...NOTHING, ended: ['inv_1'], rows: ALL_ROWS })
  })

  test('throws if its hold is not covered', () => {
    const world = worldWith()
    const post = () => false
    expect(() => decide({ ...world, books: { ...world.books, post } }, [{ settle: succeeded }])).toThrow(
      'The hold of inv_1 is not covered.',
    )
  })
})

describe('the announcements of a batch', () => {
  test('report failed calls and exhausted credentials', () => {
    const items = [{ settle: failed }, holdOf('inv_2', 20n)]
    const { news } = decide(worldWith({ credit: 20n }), items)
    expect(news.map(({ type }) => type)).toEqual(['invocation.failed', 'credential.exhausted'])
  })

  test('omit settlements without effect and recent announcements', () => {
    const states = { inv_1: { status: 'FAILED_RETRYABLE', errorCode: 'UPSTREAM_ERROR' } } as const
    expect(decide(worldWith({ states }), [{ settle: failed }]).news).toEqual([])
    expect(decide(worldWith({ states: {} }), [{ settle: failed }]).news).toEqual([])
    expect(decide(worldWith(), [{ settle: failed }], { isNews: false }).news).toEqual([])
  })
})
