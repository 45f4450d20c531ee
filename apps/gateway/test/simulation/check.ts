import { ledgerPartitionOf } from '@farebox/wire/partition'
import type { OwnerState } from '../../src/domains/invocation/log/ledger-memory.ts'
import { isTerminal } from '../../src/domains/invocation/rules.ts'
import type { Fixture, Records } from './callers.ts'
import { type Folded, foldRows } from './fold.ts'
import { LEASE_SECONDS } from './gateway.ts'
import type { InvocationRow, Tables } from './tables.ts'

type Say = (text: string) => void

/** Returns everything that is wrong once a history has ended and everything is projected. */
export function checkHistory(fixture: Fixture, begun: Folded, initial: ReadonlyMap<string, bigint>): void {
  const { tables } = fixture.database
  const say: Say = fixture.blame
  for (const { rows, head, projected } of tables.partitions) {
    foldRows(begun, rows)
    if (rows.length !== head || projected !== head)
      say(`a partition ends at ${head}, has ${rows.length} rows and is projected up to ${projected}`)
  }
  for (const text of begun.wrong) say(text)
  compareProjections(tables, begun, say)
  checkBooks(tables, initial, say)
  checkNothingHeld(tables, say)
  checkAnswers(tables, fixture.records, say)
  checkCharges(fixture)
  checkCounters(tables, say)
  checkMemories(fixture, say)
}

/** Checks that the tables equal the log. */
function compareProjections(tables: Tables, folded: Folded, say: Say): void {
  for (const [owner, { posted, reserved, promotional }] of folded.accounts) {
    const row = tables.accounts.get(`consumer:${owner}`)
    const isSame = row?.posted === posted && row.reserved === reserved && row.promotional === promotional
    if (!isSame) say(`the account of ${owner} is not what the log says`)
  }
  for (const [id, { callsUsed, spent, held, start }] of folded.credentials) {
    const row = tables.credentials.get(id)
    const isSame =
      row?.callsUsed === callsUsed &&
      row.spent === spent &&
      row.held === held &&
      row.intervalStart.getTime() === start
    if (!isSame) say(`the credential ${id} is not what the log says`)
  }
  for (const [owner, { dayDrawn, monthDrawn }] of folded.policies) {
    const row = tables.policies.get(owner)
    if (row?.dayDrawn !== dayDrawn || row.monthDrawn !== monthDrawn)
      say(`the policy of ${owner} is not what the log says`)
  }
  if (tables.invocations.size !== folded.calls.size) say('the log and the tables have not as many calls')
  for (const [id, { status, charge }] of folded.calls) {
    const row = tables.invocations.get(id)
    if (row?.status !== status || row.charged !== charge)
      say(`${id} is ${status} in the log, charged ${charge}, and ${row?.status} in its table`)
  }
  for (const [id, earned] of folded.earned) {
    if ((tables.accounts.get(id)?.posted ?? 0n) !== earned) say(`${id} has not earned what the log says`)
  }
}

/** Checks that entries add up to zero, and accounts to their entries; none is below zero. */
function checkBooks(tables: Tables, initial: ReadonlyMap<string, bigint>, say: Say): void {
  const sums = new Map<string, bigint>()
  let total = 0n
  for (const { account, amount } of tables.entries.values()) {
    total += amount
    sums.set(account, (sums.get(account) ?? 0n) + amount)
  }
  if (total !== 0n) say(`all entries add up to ${total}`)
  for (const [id, { posted, reserved, promotional }] of tables.accounts) {
    if (posted < 0n || reserved < 0n || posted < reserved || promotional < 0n || promotional > posted)
      say(`${id} has ${posted}, ${reserved} reserved, ${promotional} of vouchers`)
    if (posted !== (initial.get(id) ?? 0n) + (sums.get(id) ?? 0n))
      say(`${id} has ${posted}, and its entries say otherwise`)
  }
}

function checkNothingHeld(tables: Tables, say: Say): void {
  for (const id of tables.open.keys()) say(`${id} is open for ever, ${tables.invocations.get(id)?.status}`)
  if (tables.pending.size > 0) say('an answer waits for a call that is over')
  for (const [id, { reserved }] of tables.accounts)
    if (reserved !== 0n) say(`${id} has ${reserved} reserved for ever`)
  for (const { id, held } of tables.credentials.values())
    if (held !== 0n) say(`${id} has ${held} held for ever`)
}

/** Checks that every answer is still stored unchanged. */
function checkAnswers(tables: Tables, { answered, deposits }: Records, say: Say): void {
  for (const [key, answers] of answered) {
    const id = tables.keys.get(key)
    for (const { invocationId, body } of answers) {
      if (invocationId !== id) say(`key ${key} was answered by ${invocationId}, and belongs to ${id}`)
      const stored = tables.answers.get(invocationId)?.body
      if (!isAwaiting(body) && stored !== body) say(`key ${key} was told ${body}, and now ${stored}`)
    }
  }
  for (const { id, status } of tables.invocations.values()) {
    if (isTerminal(status) !== tables.answers.has(id))
      say(`${id} is ${status}, and has ${tables.answers.has(id) ? 'an' : 'no'} answer`)
  }
  for (const [reference, { isAcknowledged }] of deposits) {
    const isThere = [...tables.entries.values()].some(entry => entry.reference === reference)
    if (isAcknowledged && !isThere) say(`the acknowledged deposit ${reference} is gone`)
  }
}

/** True if a caller was answered that usage is pending: the answer comes later. */
const isAwaiting = (body: string): boolean => body.includes('"status":"PROCESSING"')

/** Checks that charges equal what providers are due, once per key. */
function checkCharges({ database, records, blame: say, isExcused }: Fixture): void {
  const { tables } = database
  const byKey = new Map<string, string>()
  for (const made of records.provided.values()) {
    const { invocationId, key } = made
    const before = byKey.get(key)
    if (before !== undefined) say(`the provider was called twice for key ${key}: ${before}, ${invocationId}`)
    byKey.set(key, invocationId)
    const row = tables.invocations.get(invocationId)
    if (row === undefined) say(`${invocationId} was held, and is gone`)
    else checkCharge(made, row, { isExcused: isExcused(made.machine), say })
  }
  for (const { id, status } of tables.invocations.values()) {
    if (status === 'SUCCEEDED' && !records.provided.get(id)?.isGood)
      say(`${id} is charged, and its provider gave nothing`)
  }
  const answered = Map.groupBy(tables.news.values(), ({ invocationId }) => invocationId)
  for (const { id, status } of tables.invocations.values()) {
    const isFailed = status === 'FAILED_RETRYABLE' || status === 'FAILED_FINAL'
    const count = answered.get(id)?.length ?? 0
    if (count !== (isFailed ? 1 : 0))
      say(`${id} is ${status}, and its owner was told ${count} times of a failure`)
  }
}

function checkCharge(
  { invocationId, due, reported, isGood }: Records['provided'] extends Map<string, infer Made> ? Made : never,
  { status, charged }: InvocationRow,
  { isExcused, say }: { isExcused: boolean; say: Say },
): void {
  const owed = due ?? reported
  if (reported !== null && status !== 'SUCCEEDED')
    say(`the usage of ${invocationId} was taken, and it is ${status}`)
  if (status === 'SUCCEEDED' && owed !== null && charged !== owed)
    say(`${invocationId} is charged ${charged}, and its provider is due ${owed}`)
  const isLost = isGood && due !== null && due > 0n && status !== 'SUCCEEDED'
  if (isLost && !isExcused)
    say(`${invocationId} was released, and its gateway was alive all the time: its provider is due ${due}`)
}

/** Checks that counters of credentials equal those of the calls that count. */
function checkCounters(tables: Tables, say: Say): void {
  for (const { id, callsUsed, spent, intervalStart } of tables.credentials.values()) {
    const calls = [...tables.invocations.values()].filter(
      row => row.credentialId === id && row.status === 'SUCCEEDED',
    )
    const counted = calls.filter(({ drawnAt }) => drawnAt.getTime() >= intervalStart.getTime())
    const charged = counted.reduce((sum, row) => sum + row.charged, 0n)
    if (callsUsed !== BigInt(calls.length) || spent !== charged)
      say(
        `${id} has counted ${callsUsed} calls, ${spent} spent, and has made ${calls.length}, ${charged} in this interval`,
      )
  }
}

/** Checks that the state in memory of gateways at the head equals the tables. */
function checkMemories({ gateways, database, market }: Fixture, say: Say): void {
  for (const { machine, memory } of gateways) {
    if (!machine.isAlive()) continue
    for (const owner of market.owners) {
      const state = memory.owner(owner)
      const { head, hash } = database.tables.partitions[
        ledgerPartitionOf(owner)
      ] as Tables['partitions'][number]
      const { position } = memory.partition(ledgerPartitionOf(owner))
      const isAtHead = position?.head === BigInt(head) && position.hash.equals(hash)
      if (state === undefined || !isAtHead) continue
      for (const text of differences(state, owner, database.tables)) say(`${machine.id} remembers ${text}`)
    }
  }
}

function differences(
  { account, policy, credentials, calls }: OwnerState,
  owner: string,
  tables: Tables,
): string[] {
  const [row, stored] = [tables.accounts.get(`consumer:${owner}`), tables.policies.get(owner)]
  const others = [...credentials].filter(([id, credential]) => {
    const now = tables.credentials.get(id)
    const isCounted =
      credential?.callsUsed === now?.callsUsed &&
      credential?.held === now?.held &&
      credential?.spent === now?.spent
    return !isCounted || credential?.status !== now?.status
  })
  const isAccount = row?.posted === account.posted && row.reserved === account.reserved
  const isPolicy = policy?.dayDrawn === stored?.dayDrawn && policy?.isSuspended === stored?.isSuspended
  return [
    ...(isAccount ? [] : [`${account.posted} of ${owner}, ${account.reserved} reserved`]),
    ...(isPolicy ? [] : [`another policy of ${owner}`]),
    ...(calls.size === 0 ? [] : [`open calls of ${owner}`]),
    ...others.map(([id]) => `another state of ${id}`),
  ]
}

/** Maximum time with a reachable database in which a gateway may miss its lease without being recovered, in ms. */
export const LEASE_MS = LEASE_SECONDS * 1_000
