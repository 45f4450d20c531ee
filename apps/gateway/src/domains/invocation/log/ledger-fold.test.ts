import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  accountOf,
  credentialOf,
  DAY_START,
  hashOf,
  MONTH_START,
  NOW,
  policyOf,
} from '../../../../test/kit/ledger/ledger-values.ts'
import type { AccountState } from '../../ledger/lock-books.ts'
import { type KnownInvocation, keyOf } from '../admission/admit.ts'
import type { OpenRow } from './append-store.ts'
import type { Change } from './ledger-events.ts'
import { createLedgerMemory, type LedgerMemory, type OwnerState, type Partition } from './ledger-memory.ts'

/** Small, so that owners, credentials and keys are evicted all the time. */
const BOUNDS = { owners: 2, credentialsPerOwner: 1, keys: 2 }
const OWNERS = ['0xa', '0xb', '0xc']
const CREDENTIALS = ['cred_1', 'cred_2']

/** One step of a history. */
type Step =
  | { readonly kind: 'load'; readonly owner: string; readonly credentials: readonly string[] }
  | { readonly kind: 'row'; readonly events: readonly Event[] }
  | { readonly kind: 'again'; readonly ago: number }
  | { readonly kind: 'project' }
type Event =
  | { readonly kind: 'hold'; readonly owner: string; readonly credential: string }
  | { readonly kind: 'move'; readonly call: number; readonly status: 'PROCESSING' | 'SUCCEEDED' }
  | { readonly kind: 'account' | 'policy' | 'rewrite'; readonly owner: string; readonly amount: bigint }
  | {
      readonly kind: 'credential'
      readonly owner: string
      readonly credential: string
      readonly amount: bigint
    }

const owner = fc.constantFrom(...OWNERS)
const credential = fc.constantFrom(...CREDENTIALS)
const amount = fc.bigInt({ min: 0n, max: 9n })
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('hold' as const), owner, credential }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      call: fc.nat(9),
      status: fc.constantFrom('PROCESSING' as const, 'SUCCEEDED' as const),
    }),
  },
  fc.record({ kind: fc.constantFrom('account' as const, 'policy' as const), owner, amount }),
  fc.record({ kind: fc.constant('credential' as const), owner, credential, amount }),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('load' as const),
      owner,
      credentials: fc.subarray(CREDENTIALS, { minLength: 1 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('row' as const), events: fc.array(event, { maxLength: 5 }) }),
  },
  fc.record({
    kind: fc.constant('row' as const),
    events: fc.record({ kind: fc.constant('rewrite' as const), owner, amount }).map(rewrite => [rewrite]),
  }),
  fc.record({ kind: fc.constant('again' as const), ago: fc.integer({ min: -2, max: 3 }) }),
  fc.record({ kind: fc.constant('project' as const) }),
)

/** A call as the model has it. `seq`: the last row about it. */
type Call = KnownInvocation & {
  readonly owner: string
  readonly credential: string
  readonly key: string
  readonly errorCode: string | null
  readonly seq: bigint
}

/** Everything that was ever appended, folded without bounds. */
type Model = {
  readonly calls: Call[]
  readonly accounts: Map<string, AccountState>
  readonly monthDrawn: Map<string, bigint>
  readonly callsUsed: Map<string, bigint>
  readonly changes: Change[]
}

const isOpen = ({ status }: Call) => status === 'PENDING' || status === 'PROCESSING'
const rateWindow = Buffer.from('window')

/** Adds a row to the model. Returns the change that the row makes. */
function appendTo(model: Model, events: readonly Event[]): Change {
  const seq = BigInt(model.changes.length) + 1n
  const [held, moved] = [[] as Change['held'][number][], [] as Change['moved'][number][]]
  const [credentials, policies, accounts] = [
    new Map<string, Change['credentials'] extends ReadonlyMap<string, infer Row> ? Row : never>(),
    new Map<string, Change['policies'] extends ReadonlyMap<string, infer Row> ? Row : never>(),
    new Map<string, AccountState>(),
  ]
  let rewritten: string | null = null
  for (const each of events) {
    if (each.kind === 'hold') {
      const id = `inv_${model.calls.length}`
      const key = keyOf({ credentialId: each.credential, idempotencyKey: id })
      const call = {
        id,
        requestHash: Buffer.from(id),
        status: 'PENDING',
        drawnAt: NOW,
        hold: usdc(5n),
      } as const
      model.calls.push({ ...call, owner: each.owner, credential: each.credential, key, errorCode: null, seq })
      held.push({ ...call, owner: each.owner, key })
    } else if (each.kind === 'move') {
      const index = model.calls.length - 1 - each.call
      const call = model.calls[index]
      // The changes of a row are applied by kind, and a call moves at most once in a row.
      if (call === undefined || !isOpen(call) || moved.some(({ id }) => id === call.id)) continue
      const errorCode = each.status === 'PROCESSING' ? 'USAGE_MISSING' : null
      model.calls[index] = { ...call, status: each.status, errorCode, seq }
      moved.push({ id: call.id, owner: call.owner, status: each.status, errorCode })
    } else if (each.kind === 'credential') {
      const id = `${each.credential} of ${each.owner}`
      model.callsUsed.set(id, each.amount)
      const counters = { callsUsed: each.amount, spent: 1n, held: 2n, intervalStart: DAY_START, rateWindow }
      credentials.set(id, { owner: each.owner, ...counters })
    } else if (each.kind === 'policy') {
      model.monthDrawn.set(each.owner, each.amount)
      policies.set(each.owner, {
        monthStart: MONTH_START,
        monthDrawn: each.amount,
        dayStart: DAY_START,
        dayDrawn: 3n,
      })
    } else {
      model.accounts.set(each.owner, accountOf(each.amount))
      if (each.kind === 'rewrite') rewritten = each.owner
      else accounts.set(each.owner, accountOf(each.amount))
    }
  }
  const change = { held, moved, credentials, policies, accounts, rewritten }
  model.changes.push(change)
  return change
}

const accountIn = (model: Model, wallet: string) => model.accounts.get(wallet) ?? accountOf(100n)

/** Loads an owner as the tables have it at the head. */
function loadFrom(
  model: Model,
  into: { memory: LedgerMemory; partition: Partition },
  of: { owner: string; ids: string[] },
) {
  const { memory, partition } = into
  const calls = model.calls.filter(call => isOpen(call) && call.owner === of.owner)
  memory.load(partition, of.owner, {
    policy: policyOf(of.owner, { monthDrawn: model.monthDrawn.get(of.owner) ?? 0n }),
    account: accountIn(model, of.owner),
    credentials: new Map(
      of.ids.map(id => [id, credentialOf(of.owner, id, { callsUsed: model.callsUsed.get(id) ?? 0n })]),
    ),
    calls: calls.map(
      ({
        id,
        owner: wallet,
        status,
        errorCode,
        credential: credentialId,
        requestHash,
        drawnAt,
        hold,
      }): OpenRow => {
        const open = { id, owner: wallet, status, errorCode, credentialId, requestHash, drawnAt, hold }
        return { ...open, idempotencyKey: id }
      },
    ),
  })
}

/** Compares the memory with the model. */
function check(model: Model, { memory, partition }: { memory: LedgerMemory; partition: Partition }): void {
  for (const wallet of OWNERS) {
    const calls = model.calls.filter(call => call.owner === wallet)
    const state = memory.owner(wallet)
    if (state !== undefined) {
      checkOwner(model, state, wallet)
      checkCalls(calls, state, partition)
      continue
    }
    for (const { key } of calls.filter(isOpen)) expect(partition.keyOf(key)).toBeUndefined()
  }
}

function checkOwner(model: Model, { account, policy, credentials }: OwnerState, wallet: string): void {
  expect(account).toEqual(accountIn(model, wallet))
  expect(policy?.monthDrawn).toBe(model.monthDrawn.get(wallet) ?? 0n)
  for (const [id, row] of credentials) expect(row?.callsUsed).toBe(model.callsUsed.get(id) ?? 0n)
}

/** Open calls are known by their keys, and calls that ended since the owner was loaded until they are projected. */
function checkCalls(calls: readonly Call[], state: OwnerState, partition: Partition): void {
  const states = [...state.calls].map(([id, { status, errorCode }]) => [id, status, errorCode])
  expect(new Set(states)).toEqual(
    new Set(calls.filter(isOpen).map(({ id, status, errorCode }) => [id, status, errorCode])),
  )
  for (const call of calls) {
    const { id, requestHash, status, drawnAt, hold, seq } = call
    const inMemory = partition.keyOf(call.key)
    const isDue = isOpen(call) || (seq > state.readAt && seq > partition.projected)
    if (!isDue && inMemory === undefined) continue
    expect(inMemory).toMatchObject({ id, requestHash, status, drawnAt, hold })
    expect([seq, null]).toContain(inMemory?.seq)
  }
}

test('owners in memory equal a fold of the whole log, whatever was loaded or evicted', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), steps => {
      const memory = createLedgerMemory(1, BOUNDS)
      const partition = memory.partition(0)
      partition.position = { head: 0n, hash: hashOf(0n) }
      const state = { memory, partition }
      const model: Model = {
        calls: [],
        accounts: new Map(),
        monthDrawn: new Map(),
        callsUsed: new Map(),
        changes: [],
      }
      for (const each of steps) {
        const head = BigInt(model.changes.length)
        if (each.kind === 'load') {
          const ids = each.credentials.map(id => `${id} of ${each.owner}`)
          // An owner with as many credentials as there may be is loaded whole.
          loadFrom(model, state, { owner: each.owner, ids })
        } else if (each.kind === 'row') {
          const seq = head + 1n
          memory.apply(partition, { seq, hash: hashOf(seq), change: appendTo(model, each.events) })
        } else if (each.kind === 'again') {
          const seq = head - BigInt(each.ago)
          const change = model.changes[Number(seq) - 1] ?? model.changes[0]
          // Rows that were applied, and rows that are too far ahead, are ignored.
          if (change !== undefined && seq !== head + 1n)
            memory.apply(partition, { seq, hash: hashOf(seq), change })
        } else partition.projected = head
        const seq = BigInt(model.changes.length)
        expect(partition.position).toEqual({ head: seq, hash: hashOf(seq) })
        check(model, state)
      }
    }),
  )
})
