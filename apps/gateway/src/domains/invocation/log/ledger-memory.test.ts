import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { CredentialBudget, PolicyBudget } from '../../credentials/draw-budgets.ts'
import type { OpenRow } from './append-store.ts'
import type { Change } from './ledger-events.ts'
import { createLedgerMemory, type LedgerMemory, type LoadedOwner, type Partition } from './ledger-memory.ts'

const START = new Date('2026-03-18T00:00:00Z')
const KEYS_MAX = 1_024
const OWNERS_MAX = 20_000
const POLICY: PolicyBudget = {
  owner: '0xa',
  isSuspended: false,
  monthlyLimit: null,
  dailyLimit: null,
  perCallLimit: null,
  monthStart: START,
  monthDrawn: 0n,
  dayStart: START,
  dayDrawn: 0n,
}
const CREDENTIAL: CredentialBudget = {
  id: 'cred_1',
  owner: '0xa',
  status: 'active',
  expiresAt: null,
  maxCalls: null,
  creditLimit: null,
  maxCostPerCall: null,
  rpm: 60,
  resetInterval: 'daily',
  callsUsed: 0n,
  spent: 0n,
  held: 0n,
  intervalStart: START,
  rateWindow: Buffer.alloc(0),
  tokenHash: Buffer.alloc(32),
  previousTokenHash: null,
  previousExpiresAt: null,
  allowedServices: null,
}
const NOTHING: Change = {
  held: [],
  moved: [],
  credentials: new Map(),
  policies: new Map(),
  accounts: new Map(),
  rewritten: null,
}
const hashOf = (seq: bigint) => Buffer.alloc(32, Number(seq % 256n))
const balance = (posted: bigint, reserved = 0n) => ({
  posted: usdc(posted),
  reserved: usdc(reserved),
  promotional: usdc(0n),
})
const invocation = (id: string, status: 'PENDING' | 'SUCCEEDED' = 'PENDING') => ({
  id,
  requestHash: Buffer.from(id),
  status,
  drawnAt: START,
  hold: usdc(5n),
})
const heldBy = (owner: string, id: string): Change['held'][number] => ({
  ...invocation(id),
  owner,
  key: `cred_1 key of ${id}`,
})
const movedTo = (owner: string, id: string, status: 'PROCESSING' | 'SUCCEEDED'): Change['moved'][number] => ({
  id,
  owner,
  status,
  errorCode: status === 'PROCESSING' ? 'USAGE_MISSING' : null,
})

let memory: LedgerMemory
let partition: Partition
beforeEach(() => {
  memory = createLedgerMemory(2)
  partition = memory.partition(0)
  partition.position = { head: 0n, hash: hashOf(0n) }
})

/** Holds an owner as it is read who has this much. */
function load(owner: string, state: Partial<LoadedOwner> = {}, into = partition): void {
  memory.load(into, owner, {
    policy: { ...POLICY, owner },
    account: balance(100n),
    credentials: new Map([['cred_1', { ...CREDENTIAL, owner }]]),
    calls: [],
    ...state,
  })
}
/** Applies the next row, or one of another number. */
function apply(change: Partial<Change>, seq = (partition.position?.head ?? 0n) + 1n): void {
  memory.apply(partition, { seq, hash: hashOf(seq), change: { ...NOTHING, ...change } })
}
const postedOf = (owner: string) => memory.owner(owner)?.account.posted

describe('a log row', () => {
  test('sets the recorded fields and keeps the others', () => {
    load('0xa', { policy: { ...POLICY, dailyLimit: usdc(50n), isSuspended: true } })
    const rateWindow = Buffer.from('window')
    apply({
      accounts: new Map([['0xa', balance(90n, 5n)]]),
      policies: new Map([['0xa', { monthStart: START, monthDrawn: 7n, dayStart: START, dayDrawn: 8n }]]),
      credentials: new Map([
        ['cred_1', { owner: '0xa', callsUsed: 1n, spent: 2n, held: 3n, intervalStart: START, rateWindow }],
      ]),
    })
    expect(memory.owner('0xa')).toMatchObject({
      account: { posted: 90n, reserved: 5n },
      policy: { monthDrawn: 7n, dayDrawn: 8n, dailyLimit: 50n, isSuspended: true },
    })
    expect(memory.owner('0xa')?.credentials.get('cred_1')).toEqual({
      ...CREDENTIAL,
      callsUsed: 1n,
      spent: 2n,
      held: 3n,
      rateWindow,
    })
    expect(partition.position).toEqual({ head: 1n, hash: hashOf(1n) })
  })

  test('that is repeated, out of order or for an unknown partition changes nothing', () => {
    load('0xa')
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 8n }), { maxLength: 40 }), seqs => {
        let head = partition.position?.head ?? 0n
        let posted = postedOf('0xa')
        for (const step of seqs) {
          const seq = head - 3n + step
          apply({ accounts: new Map([['0xa', balance(1_000n + seq)]]) }, seq)
          if (seq === head + 1n) {
            head = seq
            posted = usdc(1_000n + seq)
          }
          expect(partition.position).toEqual({ head, hash: hashOf(head) })
          expect(postedOf('0xa')).toBe(posted)
        }
      }),
    )
    partition.position = null
    const before = postedOf('0xa')
    apply({ accounts: new Map([['0xa', balance(1n)]]) }, 1n)
    expect([partition.position, postedOf('0xa')]).toEqual([null, before])
  })

  test('for owners that are not in memory does not load them', () => {
    apply({
      held: [heldBy('0xb', 'inv_1')],
      accounts: new Map([['0xb', balance(1n)]]),
      policies: new Map([['0xb', { monthStart: START, monthDrawn: 7n, dayStart: START, dayDrawn: 8n }]]),
    })
    apply({ moved: [movedTo('0xb', 'inv_1', 'SUCCEEDED')] })
    expect(memory.owner('0xb')).toBeUndefined()
    expect(partition.keyOf('cred_1 key of inv_1')).toBeUndefined()
    expect(partition.position?.head).toBe(2n)
  })

  test('creates no credential or policy that the database lacks', () => {
    load('0xa', { policy: null, credentials: new Map([['cred_1', null]]) })
    const counters = { callsUsed: 1n, spent: 2n, held: 3n, intervalStart: START, rateWindow: Buffer.alloc(0) }
    apply({
      policies: new Map([['0xa', { monthStart: START, monthDrawn: 7n, dayStart: START, dayDrawn: 8n }]]),
      credentials: new Map([
        ['cred_1', { owner: '0xa', ...counters }],
        ['cred_2', { owner: '0xa', ...counters }],
        ['cred_3', { owner: '0xb', ...counters }],
      ]),
    })
    expect(memory.owner('0xa')?.policy).toBeNull()
    expect(memory.owner('0xa')?.credentials).toEqual(new Map([['cred_1', null]]))
    expect(memory.owner('0xb')).toBeUndefined()
  })

  test('of another transaction evicts only the owner whose rows it changed', () => {
    load('0xa')
    load('0xb')
    apply({ held: [heldBy('0xa', 'inv_1'), heldBy('0xb', 'inv_2')] })
    apply({ rewritten: '0xa' })
    expect(memory.owner('0xa')).toBeUndefined()
    expect(partition.keyOf('cred_1 key of inv_1')).toBeUndefined()
    expect(memory.owner('0xb')?.calls.size).toBe(1)
    expect(partition.keyOf('cred_1 key of inv_2')).toMatchObject({ id: 'inv_2' })
  })
})

describe('a call', () => {
  test('is tracked from hold to end, and its key stays known', () => {
    load('0xa')
    const key = 'cred_1 key of inv_1'
    const seen = () => [memory.owner('0xa')?.calls.get('inv_1')?.status, partition.keyOf(key)]
    apply({ held: [heldBy('0xa', 'inv_1')] })
    expect(seen()).toEqual(['PENDING', { ...invocation('inv_1'), seq: 1n }])
    apply({ moved: [movedTo('0xa', 'inv_1', 'PROCESSING')] })
    expect(seen()).toEqual(['PROCESSING', { ...invocation('inv_1'), status: 'PROCESSING', seq: 2n }])
    expect(memory.owner('0xa')?.calls.get('inv_1')?.errorCode).toBe('USAGE_MISSING')
    apply({ moved: [movedTo('0xa', 'inv_1', 'SUCCEEDED')] })
    expect(seen()).toEqual([undefined, { ...invocation('inv_1', 'SUCCEEDED'), seq: 3n }])
  })

  test('that is held and ended by one row is not open', () => {
    load('0xa')
    apply({ held: [heldBy('0xa', 'inv_1')], moved: [movedTo('0xa', 'inv_1', 'SUCCEEDED')] })
    expect(memory.owner('0xa')?.calls.size).toBe(0)
    expect(partition.keyOf('cred_1 key of inv_1')).toMatchObject({ status: 'SUCCEEDED', seq: 1n })
  })

  test('that is not open ignores status changes', () => {
    load('0xa')
    apply({ moved: [movedTo('0xa', 'inv_1', 'PROCESSING'), movedTo('0xa', 'inv_2', 'SUCCEEDED')] })
    expect(memory.owner('0xa')?.calls.size).toBe(0)
    expect(partition.position?.head).toBe(1n)
  })

  test('that was open when its owner was loaded is known by its key', () => {
    const row: OpenRow = {
      ...invocation('inv_1'),
      owner: '0xa',
      status: 'PROCESSING',
      errorCode: 'USAGE_MISSING',
      credentialId: 'cred_1',
      idempotencyKey: 'mine',
    }
    load('0xa', { calls: [row] })
    expect(memory.owner('0xa')?.calls.get('inv_1')).toMatchObject({ status: 'PROCESSING' })
    expect(partition.keyOf('cred_1 mine')).toMatchObject({ id: 'inv_1', status: 'PROCESSING', seq: null })
    apply({ moved: [movedTo('0xa', 'inv_1', 'SUCCEEDED')] })
    expect(partition.keyOf('cred_1 mine')).toMatchObject({ status: 'SUCCEEDED', seq: 1n })
  })
})

describe('keys of ended calls', () => {
  /** Returns calls, each held and ended by a row of its own. */
  const endCalls = (from: number, count: number) => {
    for (let index = from; index < from + count; index += 1) {
      apply({ held: [heldBy('0xa', `inv_${index}`)], moved: [movedTo('0xa', `inv_${index}`, 'SUCCEEDED')] })
    }
  }
  const isKnown = (index: number) => partition.keyOf(`cred_1 key of inv_${index}`) !== undefined

  test('are kept, however many, until they are projected', () => {
    load('0xa')
    endCalls(0, KEYS_MAX + 500)
    expect([0, 1, KEYS_MAX + 499].map(isKnown)).toEqual([true, true, true])
    // Rows 1 to 10 are calls 0 to 9.
    partition.projected = 10n
    endCalls(KEYS_MAX + 500, 1)
    expect([0, 9, 10, KEYS_MAX + 500].map(isKnown)).toEqual([false, false, true, true])
  })

  test('are evicted oldest first once they are projected and exceed the limit', () => {
    load('0xa')
    partition.projected = 1_000_000n
    endCalls(0, KEYS_MAX)
    expect(isKnown(0)).toBe(true)
    endCalls(KEYS_MAX, 3)
    expect([0, 2, 3].map(isKnown)).toEqual([false, false, true])
  })

  test('that were read from the database are known, and evicted like others', () => {
    memory.learnKey(partition, 'cred_1 read', invocation('inv_read', 'SUCCEEDED'))
    expect(partition.keyOf('cred_1 read')).toMatchObject({ id: 'inv_read', seq: null })
    load('0xa')
    endCalls(0, KEYS_MAX)
    expect(partition.keyOf('cred_1 read')).toBeUndefined()
    expect(isKnown(0)).toBe(true)
  })
})

describe('owners', () => {
  test('beyond the limit are evicted least recently used first, with the keys of their open calls', () => {
    load('0xa')
    apply({ held: [heldBy('0xa', 'inv_1')] })
    for (let index = 0; index < OWNERS_MAX; index += 1) load(`0x${index}`)
    expect(memory.owner('0xa')).toBeUndefined()
    expect(partition.keyOf('cred_1 key of inv_1')).toBeUndefined()
    expect(memory.owner(`0x${OWNERS_MAX - 1}`)).toBeDefined()
  })

  test('keep their open calls and known credentials when another credential is loaded', () => {
    load('0xa')
    apply({ held: [heldBy('0xa', 'inv_1')] })
    load('0xa', { credentials: new Map([['cred_2', null]]), account: balance(70n) })
    expect([...(memory.owner('0xa')?.credentials ?? [])].map(([id, row]) => [id, row === null])).toEqual([
      ['cred_1', false],
      ['cred_2', true],
    ])
    expect(memory.owner('0xa')?.calls.has('inv_1')).toBe(true)
    expect(postedOf('0xa')).toBe(70n)
  })

  test('with more credentials than the limit are reloaded from scratch', () => {
    memory = createLedgerMemory(1, { owners: 1, credentialsPerOwner: 2, keys: 1 })
    partition = memory.partition(0)
    partition.position = { head: 0n, hash: hashOf(0n) }
    const loadCredential = (id: string) => load('0xa', { credentials: new Map([[id, null]]) })
    const loaded = () => [...(memory.owner('0xa')?.credentials.keys() ?? [])]
    for (const id of ['cred_1', 'cred_2', 'cred_3']) loadCredential(id)
    expect(loaded()).toEqual(['cred_1', 'cred_2', 'cred_3'])
    apply({ held: [heldBy('0xa', 'inv_1')] })
    loadCredential('cred_4')
    expect(loaded()).toEqual(['cred_4'])
    expect(memory.owner('0xa')).toMatchObject({ readAt: 1n, calls: new Map() })
    expect(partition.keyOf('cred_1 key of inv_1')).toBeUndefined()
  })

  test('of a reset partition are evicted with all keys, but those of other partitions are kept', () => {
    const other = memory.partition(1)
    load('0xa')
    load('0xb', {}, other)
    apply({ held: [heldBy('0xa', 'inv_1')] })
    apply({ held: [heldBy('0xa', 'inv_2')], moved: [movedTo('0xa', 'inv_2', 'SUCCEEDED')] })
    memory.learnKey(other, 'cred_1 theirs', invocation('inv_3', 'SUCCEEDED'))
    memory.reset(partition, { head: 9n, hash: hashOf(9n) })
    expect(partition.position).toEqual({ head: 9n, hash: hashOf(9n) })
    expect(memory.owner('0xa')).toBeUndefined()
    expect(partition.keyOf('cred_1 key of inv_1')).toBeUndefined()
    expect(partition.keyOf('cred_1 key of inv_2')).toBeUndefined()
    expect(memory.owner('0xb')).toBeDefined()
    expect(other.keyOf('cred_1 theirs')).toBeDefined()
  })

  test('cannot belong to a partition that does not exist', () => {
    expect(() => memory.partition(2)).toThrow(new RangeError('There is no partition 2.'))
  })
})
