import { usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  ALICE,
  accountOf,
  awaitOf,
  BOB,
  captureOf,
  credentialOf,
  DAY_START,
  loadOwner,
  memoryAtStart,
  NOW,
  PROVIDER,
  partitionOf,
  policyOf,
  releaseOf,
  requestOf,
  TOKEN_DIGEST,
} from '../../../../test/kit/ledger/ledger-values.ts'
import type { LedgerMemory } from '../log/ledger-memory.ts'
import { batchOf, bytesOf, endMovements, type Item, openWorld, partsOf, partyOf } from './call-batch.ts'

const count = { credentialId: 'cred_2', owner: BOB, tokenDigest: TOKEN_DIGEST }

let memory: LedgerMemory
beforeEach(() => {
  memory = memoryAtStart()
})

test('returns the credential and owner of each kind of item', () => {
  expect(partyOf({ hold: requestOf(ALICE, 'inv_1') })).toMatchObject({ credentialId: 'cred_1', owner: ALICE })
  expect(partyOf({ settle: captureOf(BOB, 'inv_1') })).toMatchObject({ credentialId: 'cred_1', owner: BOB })
  expect(partyOf({ count })).toMatchObject({ credentialId: 'cred_2', owner: BOB })
})

test('counts the answer or pending result and the stream events as the size of an item', () => {
  const recording = { events: Buffer.alloc(100), isWhole: true }
  const answer = { httpStatus: 200, body: 'twelve bytes' }
  expect(bytesOf({ hold: requestOf(ALICE, 'inv_1') })).toBe(0)
  expect(bytesOf({ count })).toBe(0)
  expect(bytesOf({ settle: captureOf(ALICE, 'inv_1', { answer }) })).toBe(12)
  expect(bytesOf({ settle: captureOf(ALICE, 'inv_1', { answer, recording }) })).toBe(112)
  expect(bytesOf({ settle: awaitOf(ALICE, 'inv_1') })).toBe(0)
  expect(bytesOf({ settle: awaitOf(ALICE, 'inv_1', { pendingResult: '{"a":1}', recording }) })).toBe(107)
})

test('splits a batch by owner partition and keeps the order of items', () => {
  const items: Item[] = [
    { hold: requestOf(ALICE, 'inv_1') },
    { count },
    { settle: captureOf(ALICE, 'inv_2') },
    { hold: requestOf(BOB, 'inv_3') },
  ]
  expect(partsOf(items, memory)).toEqual([
    { partition: partitionOf(memory, ALICE), items: [items[0], items[2]] },
    { partition: partitionOf(memory, BOB), items: [items[1], items[3]] },
  ])
})

test('groups items by kind and keeps their order', () => {
  const [first, second] = [requestOf(ALICE, 'inv_1'), requestOf(ALICE, 'inv_2')]
  const [capture, release] = [captureOf(ALICE, 'inv_3'), releaseOf(ALICE, 'inv_4')]
  const items: Item[] = [
    { hold: first },
    { settle: capture },
    { count },
    { hold: second },
    { settle: release },
  ]
  expect(batchOf(items)).toEqual({
    items,
    holds: [first, second],
    settlements: [capture, release],
    requests: [count],
  })
})

describe('the movements of a settlement', () => {
  test('capture the charge of a successful call', () => {
    expect(endMovements(captureOf(ALICE, 'inv_1'))).toEqual([
      {
        kind: 'capture',
        consumer: ALICE,
        provider: PROVIDER,
        hold: 10n,
        charge: 8n,
        fee: 1n,
        reference: 'inv_1',
      },
    ])
  })

  test.each(['FAILED_RETRYABLE', 'FAILED_FINAL'] as const)(
    'release the hold of a call that is %s',
    status => {
      expect(endMovements({ ...releaseOf(ALICE, 'inv_1'), status })).toEqual([
        { kind: 'release', wallet: ALICE, amount: 10n, reference: 'inv_1' },
      ])
    },
  )

  test('are empty while the call awaits its usage', () => {
    expect(endMovements(awaitOf(ALICE, 'inv_1'))).toEqual([])
  })
})

describe('the decision state of a batch', () => {
  const open = (items: readonly Item[], live: ReadonlyMap<string, bigint | null> = new Map()) =>
    openWorld(batchOf(items), memory, { partition: partitionOf(memory, ALICE), now: NOW, live })
  const call = {
    id: 'inv_1',
    owner: ALICE,
    status: 'PENDING',
    errorCode: null,
    credentialId: 'cred_1',
    idempotencyKey: 'mine',
    requestHash: Buffer.from('hash'),
    drawnAt: NOW,
    hold: usdc(10n),
  } as const

  test('contains the account, policy and credential of each item', () => {
    loadOwner(memory, ALICE, {
      account: accountOf(100n, 30n),
      policy: policyOf(ALICE, { dailyLimit: 15n }),
    })
    const { books, budgets, now } = open([{ hold: requestOf(ALICE, 'inv_2') }])
    expect(now).toBe(NOW)
    expect(books.available(ALICE)).toBe(70n)
    expect(budgets.draw('cred_1', usdc(10n))).toEqual(NOW)
    expect(() => budgets.draw('cred_1', usdc(10n))).toThrow(GatewayError)
  })

  test('refuses requests whose credential does not exist or whose owner has no policy', () => {
    loadOwner(memory, ALICE, { credentials: new Map([['cred_1', null]]) })
    const missing = open([{ hold: requestOf(ALICE, 'inv_2') }])
    expect(() => missing.budgets.countRequest('cred_1', TOKEN_DIGEST)).toThrow(
      'A valid agent credential is required.',
    )
    loadOwner(memory, BOB, { policy: null })
    const withoutPolicy = open([{ hold: requestOf(BOB, 'inv_3') }])
    expect(() => withoutPolicy.budgets.countRequest('cred_1', TOKEN_DIGEST)).toThrow(
      'A valid agent credential is required.',
    )
  })

  test('starts with empty accounts for providers and the platform', () => {
    loadOwner(memory, ALICE, { account: accountOf(100n, 10n), calls: [call] })
    const { books } = open([
      { settle: captureOf(ALICE, 'inv_1') },
      { hold: requestOf(ALICE, 'inv_2', { quote: new GatewayError('PRICE_MISMATCH') }) },
    ])
    for (const movement of endMovements(captureOf(ALICE, 'inv_1'))) expect(books.post(movement)).toBe(true)
    expect(books.available(ALICE)).toBe(92n)
    expect(books.receivable(PROVIDER)).toBe(7n)
  })

  test('lets an owner pay its own service from the account in memory', () => {
    loadOwner(memory, ALICE, { account: accountOf(100n) })
    const quote = { serviceId: 'svc_1', provider: ALICE, hold: usdc(100n), metering: null }
    const { books } = open([{ hold: requestOf(ALICE, 'inv_2', { quote }) }])
    expect(books.availableFor(ALICE, ALICE)).toBe(100n)
    const movement = { kind: 'hold', wallet: ALICE, provider: ALICE, amount: usdc(100n), reference: 'inv_2' }
    expect(books.post(movement as Parameters<typeof books.post>[0])).toBe(true)
  })

  test('contains only the open calls that the batch settles', () => {
    loadOwner(memory, ALICE, { calls: [call, { ...call, id: 'inv_2', idempotencyKey: 'other' }] })
    const { states } = open([{ settle: captureOf(ALICE, 'inv_1') }, { settle: captureOf(ALICE, 'inv_9') }])
    expect(states.get('inv_1')).toMatchObject({ status: 'PENDING', errorCode: null })
    expect(states.get('inv_2')).toBeUndefined()
    expect(states.get('inv_9')).toBeUndefined()
  })

  test('knows the keys of the partition and those that the batch adds, without adding them to memory', () => {
    const partition = loadOwner(memory, ALICE, { calls: [call] })
    const { known } = open([{ hold: requestOf(ALICE, 'inv_2') }])
    expect(known.get('cred_1 mine')).toMatchObject({ id: 'inv_1' })
    expect(known.get('cred_1 new')).toBeUndefined()
    known.set('cred_1 new', { ...call, id: 'inv_2' })
    expect(known.get('cred_1 new')).toMatchObject({ id: 'inv_2' })
    expect(partition.keyOf('cred_1 new')).toBeUndefined()
  })

  test('treats the quoted version of a service as current unless another version is known', () => {
    loadOwner(memory, ALICE)
    const live = new Map([
      ['svc_2', 2n],
      ['svc_gone', null],
    ])
    const { isCurrent } = open([{ hold: requestOf(ALICE, 'inv_2') }], live)
    const service = (id: string, version: bigint) => ({ id, version, names: [id] })
    expect(isCurrent(service('svc_1', 7n))).toBe(true)
    expect(isCurrent(service('svc_2', 2n))).toBe(true)
    expect(isCurrent(service('svc_2', 1n))).toBe(false)
    expect(isCurrent(service('svc_gone', 1n))).toBe(false)
  })

  test('does not modify memory when changed', () => {
    loadOwner(memory, ALICE, {
      account: accountOf(100n, 10n),
      credentials: new Map([['cred_1', credentialOf(ALICE, 'cred_1', { intervalStart: DAY_START })]]),
      calls: [call],
    })
    const before = structuredClone(memory.owner(ALICE)?.account)
    const { books, budgets, states } = open([{ settle: captureOf(ALICE, 'inv_1') }])
    for (const movement of endMovements(captureOf(ALICE, 'inv_1'))) books.post(movement)
    budgets.countRequest('cred_1', TOKEN_DIGEST)
    states.set('inv_1', { status: 'SUCCEEDED', errorCode: null })
    expect(memory.owner(ALICE)?.account).toEqual(before)
    expect(memory.owner(ALICE)?.credentials.get('cred_1')).toEqual(credentialOf(ALICE, 'cred_1'))
    expect(memory.owner(ALICE)?.calls.get('inv_1')).toMatchObject({ status: 'PENDING' })
  })

  test('throws for an owner that is not in memory', () => {
    expect(() => open([{ hold: requestOf(ALICE, 'inv_2') }])).toThrow(
      `The state of ${ALICE} is not in memory.`,
    )
  })
})
