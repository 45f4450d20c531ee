import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { GatewayError } from '@farebox/wire/errors'
import pg from 'pg'
import type { CamelCase, Db, Log, PipelinedDb, Statement, Tx } from '../ports.ts'
import {
  ABORTED,
  codeOf,
  isLoss,
  READ_ONLY,
  rethrow,
  STATEMENT_TIMEOUT,
  tookTooLong,
  unreachable,
} from './postgres-errors.ts'

const CONNECT_TIMEOUT_MS = 5_000
/**
 * Idle time after which a connection is closed, in ms: to open one takes longer than most statements. Longer than the
 * interval at which the job queue polls.
 */
const IDLE_TIMEOUT_MS = 60_000
const STATEMENT_TIMEOUT_MS = 30_000
/** The server times statements out itself; without an answer by then it is unreachable. */
const ANSWER_GRACE_MS = 1_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000
/** An idle connection to a vanished machine is detected about ten seconds after this. */
const KEEP_ALIVE_AFTER_MS = 10_000
/** In the text of every statement that writes itself, and not by a function. */
const WRITES = /\b(?:insert|update|delete)\b/i
/** JIT compilation of a check of the books takes seconds, ten times as long as the check, on each new connection. */
const SESSION = ['jit=off']
const BY_KEY_ONLY = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  // Arrays of one or two would be planned again at every execution, which costs more than the execution.
  'plan_cache_mode=force_generic_plan',
]

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    // int8 is money and counters here: never a float.
    if (oid === pg.types.builtins.INT8) return BigInt
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

/** A database whose connections can be closed. */
export type ClosableDb = PipelinedDb & {
  close(): Promise<void>
  /** Current connections and waiters. */
  state(): { readonly inUse: number; readonly idle: number; readonly waiting: number }
}

/** Connection options. */
type Options = {
  /** Names a database of PostgreSQL 15 or newer. */
  readonly connectionString: string
  /** Maximum number of connections open at once. */
  readonly connectionsMax: number
  readonly log: Log
  /** `application_name`. */
  readonly name?: string
  /**
   * For statements that find every row by its key: a plan made while a table was small, and kept, would scan it from end
   * to end when it has grown.
   */
  readonly byKeyOnly?: boolean
  /** Timeout of one statement, waits for locks included. */
  readonly statementTimeoutMs?: number
  /** Timeout of connecting. */
  readonly connectTimeoutMs?: number
  /** Called whenever the server was unreachable: a connection was refused or lost, or an answer timed out. */
  readonly onLost?: () => void
}

/**
 * Connects to PostgreSQL. Connections pipeline: statements sent without awaiting one another share a round
 * trip, and each still gets its own result or error.
 */
export function connectPostgres(options: Options): ClosableDb {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const pool = openPool(options, statementTimeoutMs)
  let isClosing = false
  // Not the error itself: pg attaches its client, with the connection's secrets.
  pool.on('error', ({ message }) => {
    if (isClosing) return
    options.log.warn({ reason: message }, 'an idle database connection was lost')
    options.onLost?.()
  })
  /** Reports an error that means that the server was unreachable, and rethrows it. */
  const noteLoss = (error: unknown): never => {
    if (isLoss(error)) options.onLost?.()
    if (codeOf(error) === STATEMENT_TIMEOUT) throw tookTooLong(statementTimeoutMs, error)
    throw error
  }

  const dbAfter = (first: Statement | null): Db => {
    const db: Db = {
      async query<Row extends CamelCase<Row>>(statement: Statement) {
        // Sent in a transaction of its own, it would be committed although `first` has failed.
        if (first !== null && WRITES.test(statement.text))
          return db.transaction(tx => tx.query<Row>(statement))
        const { client, giveBack } = await borrow(pool).catch(noteLoss)
        let broken: Error | undefined
        try {
          return await runAfter<Row>(client, first, statement)
        } catch (error) {
          // pool.query() would also close the connection after a failed check: those of prepared batches fail by design.
          if (error instanceof GatewayError) broken = error
          return noteLoss(error)
        } finally {
          giveBack(broken)
        }
      },
      async transaction(work) {
        const { client, giveBack } = await borrow(pool).catch(noteLoss)
        const sent: Promise<unknown>[] = []
        let broken: Error | undefined
        try {
          return await commit(client, { first, sent, work })
        } catch (error) {
          const cause = codeOf(error) === ABORTED ? await firstFailureOf(sent, error) : error
          if (codeOf(cause) === READ_ONLY && cause instanceof Error) broken = cause
          await client.query('ROLLBACK').catch((failure: Error) => {
            broken = failure
          })
          return noteLoss(cause)
        } finally {
          giveBack(broken)
        }
      },
    }
    return db
  }

  return {
    ...dbAfter(null),
    after: dbAfter,
    state() {
      const { totalCount, idleCount, waitingCount } = pool
      return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
    },
    async close() {
      isClosing = true
      await pool.end()
    },
  }
}

/** Creates a pool whose connections stay open between uses, and detect when the other machine has vanished. */
export function createPool(config: pg.PoolConfig): pg.Pool {
  return new pg.Pool({
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    ...config,
  })
}

function openPool(options: Options, statementTimeoutMs: number): pg.Pool {
  const settings = options.byKeyOnly === true ? [...SESSION, ...BY_KEY_ONLY] : SESSION
  const pool = createPool({
    connectionString: options.connectionString,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    application_name: options.name ?? 'farebox',
    pipeline: true,
    options: settings.map(setting => `-c ${setting}`).join(' '),
    types,
  } as pg.PoolConfig)
  // A connection may be lost while the pool hands it out and nobody else listens; that would end the process. Its
  // statements fail by themselves.
  pool.on('connect', client => client.on('error', () => undefined))
  pool.on('connect', nameColumns)
  return pool
}

/**
 * Runs `work` between BEGIN and COMMIT on a connection.
 *
 * @param how.first sent with BEGIN, in a transaction of its own; if it fails, nothing is committed
 * @param how.sent  is given the outcome of each statement as it is sent, for the caller to look at after a failure
 * @throws what failed first that was awaited; the transaction may be open then
 */
async function commit<T>(
  client: pg.PoolClient,
  how: { first: Statement | null; sent: Promise<unknown>[]; work: (tx: Tx) => Promise<T> },
): Promise<T> {
  const { first, sent, work } = how
  const together = sendTogether(client)
  const tx: Tx = {
    inTransaction: true,
    query<Row>(statement: Statement) {
      together()
      const answer = run<Row>(client, statement)
      // Only whether it failed, not its rows: a transaction may read more than fits in memory.
      const outcome = answer.then(() => undefined)
      outcome.catch(() => undefined) // reported below, when nobody awaits it inside
      sent.push(outcome)
      return answer
    },
  }
  // BEGIN is sent with the first statement, COMMIT with those that `work` did not await. After a failed statement
  // PostgreSQL answers COMMIT with ROLLBACK, so a failure noticed late is never half a success.
  together()
  const before = first === null ? undefined : run(client, first)
  before?.catch(() => undefined) // thrown before COMMIT
  const begin = client.query('BEGIN').catch(rethrow)
  begin.catch(() => undefined)
  sent.push(begin)
  const result = await work(tx)
  await before
  together()
  const committed = client.query('COMMIT')
  committed.catch(() => undefined) // not looked at when a statement before it failed too
  await Promise.all(sent)
  const { command } = await committed.catch(rethrow)
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back.')
  return result
}

/** Takes a connection out of the pool; a lost or broken one is not reused. */
async function borrow(pool: pg.Pool) {
  const client = await pool.connect().catch((error: unknown) => {
    throw unreachable(error)
  })
  let lost: Error | undefined
  // Between connect() and release() nobody else listens, and a lost connection without a listener ends the process.
  const onLost = (error: Error) => {
    lost = error
  }
  client.on('error', onLost)
  return {
    client,
    giveBack(broken: Error | undefined) {
      client.release(broken ?? lost)
      client.removeListener('error', onLost)
    },
  }
}

/** Part of a connection that pg does not declare. */
type Wire = { readonly connection: EventEmitter & { readonly stream: Socket } }

/** Names of columns, and of the members of rows that show them: as many as our statements name. */
const memberNames = new Map<string, string>()

/**
 * Names the columns of every answer in camelCase, before pg makes rows of them: once per answer, whatever the number of
 * its rows.
 */
function nameColumns(client: pg.PoolClient): void {
  const { connection } = client as pg.PoolClient & Wire
  connection.prependListener('rowDescription', ({ fields }: { fields: { name: string }[] }) => {
    for (const field of fields) field.name = memberName(field.name)
  })
}

/** `created_at` is `createdAt`. */
function memberName(column: string): string {
  const known = memberNames.get(column)
  if (known !== undefined) return known
  const name = column.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  memberNames.set(column, name)
  return name
}

/**
 * Sends everything of one turn of the event loop on a connection in one write: otherwise each statement is a system
 * call here and a wake-up of the server, which costs more than most statements.
 *
 * @returns a function to call before each statement
 */
function sendTogether(client: pg.PoolClient): () => void {
  const { stream } = (client as pg.PoolClient & Wire).connection
  let isCorked = false
  return () => {
    if (isCorked) return
    isCorked = true
    stream.cork()
    process.nextTick(() => {
      isCorked = false
      stream.uncork()
    })
  }
}

/** Runs a statement, sent together with `first`, which has a transaction of its own. */
async function runAfter<Row>(
  client: pg.PoolClient,
  first: Statement | null,
  statement: Statement,
): Promise<Row[]> {
  if (first === null) return run(client, statement)
  sendTogether(client)()
  const [before, answer] = [run(client, first), run<Row>(client, statement)]
  await Promise.allSettled([before, answer])
  await before
  return answer
}

async function run<Row>(on: pg.PoolClient, statement: Statement): Promise<Row[]> {
  const { text, values, name, answerMs } = statement
  const query = name === undefined ? { text, values: [...values] } : { name, text, values: [...values] }
  try {
    // A member that the types of pg do not have.
    if (answerMs !== undefined) Object.assign(query, { query_timeout: answerMs })
    const result = await on.query(query)
    return result.rows
  } catch (error) {
    return rethrow(error)
  }
}

/** Answers come in the order of their statements: the first failure is the cause. */
async function firstFailureOf(sent: readonly Promise<unknown>[], otherwise: unknown): Promise<unknown> {
  for (const answer of sent) {
    const failure = await answer.then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (failure !== null) return failure.error
  }
  return otherwise
}
