import { PARTITIONS } from '@farebox/wire/partition'
import type { Db, PipelinedDb, Statement, Tx } from '../../src/ports.ts'
import type { Database, Session } from './database.ts'
import type { InvocationRow, Tables } from './tables.ts'
import type { Line, Machine } from './wire.ts'

type Answer = (context: {
  database: Database
  session: Session
  values: readonly unknown[]
  windowClockOffMs: number
}) => unknown[]

/** Row lock of the provider secrets, after those of partitions and projections. */
const SECRET_LOCK = 2 * PARTITIONS

/** Meaning of the statements of leases, recovery and reports, by a piece of their text. */
const STATEMENTS: readonly (readonly [piece: string, answer: Answer])[] = [
  ['with renewed as', renewLease],
  ['with orphans as', adoptOrphans],
  ['delete from gateway_instances', () => []],
  ['from invocation_answers', readAnswers],
  ['m.processing_since < clock_timestamp()', readUnreported],
  ['from metered_calls m join invocations i', readMetered],
  ['from provider_secrets where', readSecret],
  ['select clock_timestamp() as now', ({ database }) => [{ now: new Date(database.now()) }]],
  ['update provider_secrets', writeCaptures],
]

/** Handler of a statement. `answer` is null for the projection, which has no transaction of its own. */
type Known = { readonly name: string; readonly answer: Answer | null; readonly isOfSecret: boolean }

/** By the first text of a statement. Template texts are concatenated anew at each use. */
const known = new Map<string, readonly (Known & { readonly length: number; readonly last: string })[]>()

/** @throws Error for a statement not in {@link STATEMENTS} */
function knownOf(statement: Statement & { readonly strings?: readonly string[] }): Known {
  const strings = statement.strings ?? [statement.text]
  const [first, last] = [strings[0] as string, strings.at(-1) as string]
  const candidates = known.get(first)
  const found = candidates?.find(each => each.length === strings.length && each.last === last)
  if (found !== undefined) return found
  const { text } = statement
  const isOfSecret = text.includes('provider_secrets')
  const [name, answer] = text.includes('ledger_catch_up')
    ? ['catch up', null]
    : (STATEMENTS.find(([piece]) => text.includes(piece)) ?? [null, null])
  if (name === null) throw new Error(`The simulated database does not know: ${text}`)
  const added = { name, answer, isOfSecret, length: strings.length, last }
  known.set(first, [...(candidates ?? []), added])
  return added
}

/** A database that understands {@link STATEMENTS}, through the connection of a gateway. */
export function createSimulatedDb(world: {
  database: Database
  line: Line
  machine: Machine
  /** Error of the clock for the window of usage reports; 0 in production, which uses the database's. */
  windowClockOffMs: number
}): PipelinedDb & { transactionOf(session: Session): Tx } {
  const { database, line, machine, windowClockOffMs } = world
  const perform = async (
    session: Session,
    { isOfSecret, answer }: Known,
    values: Statement['values'],
  ): Promise<unknown[]> => {
    if (isOfSecret) await database.lock(session, [SECRET_LOCK])
    if (answer === null) throw new Error('The simulated database projects in a transaction of its own.')
    return answer({ database, session, values, windowClockOffMs })
  }
  const transactionOf = (session: Session): Tx => ({
    inTransaction: true,
    query: <Row>(statement: Statement) =>
      line.call('statement', () => perform(session, knownOf(statement), statement.values) as Promise<Row[]>),
  })
  const alone = async (statement: Known, values: Statement['values']): Promise<unknown[]> => {
    if (statement.answer === null) {
      await database.catchUp()
      return []
    }
    const session = database.begin()
    try {
      const rows = await perform(session, statement, values)
      await database.commit(session)
      return rows
    } catch (error) {
      database.rollback(session)
      throw error
    }
  }
  const db: Db = {
    query<Row>(statement: Statement) {
      const found = knownOf(statement)
      return line.call(found.name, () => alone(found, statement.values) as Promise<Row[]>)
    },
    async transaction(work) {
      const session = await line.call('begin', async () => database.begin())
      machine.whenKilled(() => database.rollback(session))
      const result = await work(transactionOf(session))
      await line.call('commit', () => database.commit(session))
      return result
    },
  }
  return { ...db, transactionOf, after: first => inTurn(db, first) }
}

function inTurn(db: Db, first: Statement): Db {
  return {
    async query(statement) {
      await db.query(first)
      return db.query(statement)
    },
    async transaction(work) {
      await db.query(first)
      return db.transaction(work)
    },
  }
}

function renewLease({ database, session, values }: Parameters<Answer>[0]): unknown[] {
  const [id, seconds] = values as [string, number]
  const { leases } = database.tables
  session.writes.set(leases, id, database.now() + seconds * 1_000)
  database.renewed(id)
  const server = database.server()
  const peers = [...leases].filter(([other]) => other !== id)
  if (peers.length === 0) return [{ id: null, lease: null, server }]
  return peers.map(([other, until]) => ({ id: other, lease: String(until), server }))
}

function openCallOf({ id, ...row }: InvocationRow) {
  const { credentialId, owner, provider, serviceId, hold, drawnAt } = row
  return { invocationId: id, credentialId, owner, provider, serviceId, hold, drawnAt }
}

/** As in `records/store.ts`. */
const LEASE_MS_MAX = 2 * 3_600_000

function adoptOrphans({ database, session, values }: Parameters<Answer>[0]): unknown[] {
  const [instanceId, leaseSeconds, , , inFlight, silentIds, silentLeases, limit, offset] = values as [
    string,
    number,
    number,
    string,
    readonly string[],
    readonly string[],
    readonly string[],
    number,
    number,
  ]
  const { open, invocations, leases } = database.tables
  const now = database.now()
  const isSilent = (id: string): boolean => {
    const lease = leases.get(id)
    if (lease === undefined || (lease >= now && lease <= now + LEASE_MS_MAX)) return false
    return silentIds.some((silent, index) => silent === id && silentLeases[index] === String(lease))
  }
  const orphans = [...open].flatMap(([id, instance]) => {
    const row = invocations.get(id)
    if (row?.status !== 'PENDING') return []
    if (instance !== instanceId && !leases.has(instance)) return [row]
    if (Math.abs(row.drawnAt.getTime() - now) <= leaseSeconds * 1_000) return []
    const isOrphan = instance === instanceId ? !inFlight.includes(id) : isSilent(instance)
    return isOrphan ? [row] : []
  })
  const found = orphans.sort(byId).slice(offset, offset + limit)
  for (const { id } of found) session.writes.set(open, id, instanceId)
  return found.map(openCallOf)
}

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1)

function readAnswers({ database, values: [ids] }: Parameters<Answer>[0]): unknown[] {
  return textsOf(ids as Buffer).flatMap((id, index) => {
    const answer = database.tables.answers.get(id)
    return answer === undefined ? [] : [{ ...answer, position: BigInt(index + 1) }]
  })
}

/** Reads an array of texts in PostgreSQL's binary format (pg-arrays.ts). */
function textsOf(array: Buffer): string[] {
  const texts: string[] = []
  for (let at = 20; at < array.length; ) {
    const end = at + 4 + array.readInt32BE(at)
    texts.push(array.toString('utf8', at + 4, end))
    at = end
  }
  return texts
}

function meteredCall(tables: Tables, row: InvocationRow): object {
  const metered = tables.metered.get(row.id)
  if (metered === undefined) throw new Error(`${row.id} is not metered`)
  const { event, reason, pendingResult, inputTokens, outputTokens } = metered
  const price = (name: string) => (event[name] === undefined ? null : BigInt(event[name] as string))
  return {
    ...openCallOf(row),
    status: row.status,
    requestHash: row.requestHash,
    latencyMs: row.latencyMs,
    attempts: row.attempts,
    charged: row.charged,
    reason,
    pendingResult,
    inputTokens,
    outputTokens,
    inputPricePer1M: price('input_price'),
    outputPricePer1M: price('output_price'),
    cacheReadPricePer1M: null,
    cacheWritePricePer1M: null,
    cacheReadTokens: 0n,
    cacheWriteTokens: 0n,
    maxInputTokens: event.max_input_tokens,
    maxOutputTokens: event.max_output_tokens,
    preAuthMode: event.pre_auth_mode,
    isStreamed: event.is_streamed,
    feeBps: event.fee_bps,
    isOpen: tables.open.has(row.id),
  }
}

function readMetered({ database: { tables }, values: [id, provider] }: Parameters<Answer>[0]): unknown[] {
  const row = tables.invocations.get(id as string)
  if (row === undefined || row.provider !== provider || !tables.metered.has(row.id)) return []
  return [meteredCall(tables, row)]
}

function readUnreported({ database, values, windowClockOffMs }: Parameters<Answer>[0]): unknown[] {
  const [windowSeconds, limit, offset] = values as [number, number, number]
  const { tables } = database
  const until = database.now() + windowClockOffMs - windowSeconds * 1_000
  return [...tables.invocations.values()]
    .filter(({ id, status }) => {
      const since = tables.metered.get(id)?.processingSince
      return status === 'PROCESSING' && since !== null && since !== undefined && since.getTime() < until
    })
    .sort(byId)
    .slice(offset, offset + limit)
    .map(row => meteredCall(tables, row))
}

function readSecret({ database, values: [id] }: Parameters<Answer>[0]): unknown[] {
  const captured = database.tables.captured.get(id as string) ?? 0n
  return [
    { id, status: 'active', creditLimit: null, resetInterval: 'never', captured, intervalStart: new Date(0) },
  ]
}

function writeCaptures({ database, session, values }: Parameters<Answer>[0]): unknown[] {
  const [captured, , id] = values as [bigint, Date, string]
  session.writes.set(database.tables.captured, id, captured)
  return []
}
