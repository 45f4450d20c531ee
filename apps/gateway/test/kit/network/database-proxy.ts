import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { overTcp } from '../database/test-database.ts'

/** Maximum buffered text of a transaction. */
const TRANSACTION_TEXT_MAX = 8_388_608
const START_UP_HEADER_BYTES = 4
const HEADER_BYTES = 5

/** Types of messages (PostgreSQL documentation, "Message Formats"): of the client, then of the server. */
const SIMPLE_QUERY = 0x51
const SYNC = 0x53
const READY = 0x5a
const ERROR = 0x45
/** In the answer to an append (append-store.ts): a partition, and that its head was as expected. */
const PARTITION = '\0\0\0\x08position'
const APPENDED = '\0\0\0\x01t'

/**
 * Where a transaction is caught. A statement outside of a transaction is one of its own, committed at its Sync:
 * - `request`: the COMMIT, or Sync, never reaches the database, which will roll back;
 * - `commit-answer`: it is committed, and only the answer to the COMMIT, or Sync, does not come back;
 * - `answers`: it is committed, and the answers to what was sent with it do not come back either.
 */
export type CatchAt = 'request' | 'commit-answer' | 'answers'

/** A trap for a transaction at its COMMIT. */
export type Trap = {
  /** Resolves with the bytes of the transaction, as Latin-1, once it is caught. */
  readonly sprung: Promise<string>
  /** Closes its connection on both sides. */
  cut(): void
}

/** A proxy to a database that injects faults. Parses messages of PostgreSQL's protocol 3. */
export type FaultProxy = {
  /** URL of the database through the proxy. TLS must be off. */
  readonly url: string
  /**
   * Catches the next transaction whose text contains all pieces: SQL, names of statements, ids.
   *
   * @param pieces  texts in the transaction, or a predicate
   */
  catchCommit(at: CatchAt, pieces: readonly string[] | ((text: string) => boolean)): Trap
  /** Closes every connection. */
  cutAll(): void
  /** Closes all connections, and new ones as soon as they are made. */
  refuse(): void
  /** Returns the number of refused connections. */
  refusals(): number
  /** Drops all bytes in both directions without closing connections. */
  swallow(): void
  /** Ends all faults. Closes connections whose bytes were dropped. */
  pass(): void
  stop(): Promise<void>
}

type Armed = {
  readonly at: CatchAt
  readonly matches: (text: string) => boolean
  readonly spring: (line: Line, text: string) => void
}

type Line = {
  readonly client: Socket
  readonly server: Socket
  /** Text from the client since BEGIN, or since the last Sync outside of a transaction. */
  transaction: string
  isInTransaction: boolean
  /** Expected and received number of ReadyForQuery messages. */
  syncs: number
  readies: number
  /** True while bytes to the database are dropped. */
  isMute: boolean
  /** True while bytes from the database are dropped. */
  isDeaf: boolean
  /** Set from the COMMIT, or Sync, to its answer; `ready` is the number of the answer to a Sync. */
  awaiting: {
    readonly trap: Armed
    readonly text: string
    readonly ready: number | null
    /** The received part of the answer to a Sync. */
    readonly answer: Buffer[]
  } | null
}

/**
 * Starts a proxy to a database.
 *
 * @param database connection string of the database
 */
export async function startFaultProxy(database: string): Promise<FaultProxy> {
  const target = overTcp(database)
  const lines = new Set<Line>()
  let armed: Armed[] = []
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass'

  let refusals = 0

  const cut = (line: Line) => {
    line.client.destroy()
    line.server.destroy()
    lines.delete(line)
  }

  const fromClient = (line: Line, message: Buffer) => {
    if (isSimpleQuery(message, 'BEGIN')) {
      line.transaction = ''
      line.isInTransaction = true
    }
    if (line.transaction.length < TRANSACTION_TEXT_MAX) line.transaction += message.toString('latin1')
    if (message[0] === SYNC || message[0] === SIMPLE_QUERY) line.syncs += 1
    const isCommit = isSimpleQuery(message, 'COMMIT')
    const isAlone = message[0] === SYNC && !line.isInTransaction
    const text = line.transaction
    const trap = isCommit || isAlone ? armed.find(({ matches }) => matches(text)) : undefined
    if (isCommit || isAlone || isSimpleQuery(message, 'ROLLBACK')) {
      line.transaction = ''
      line.isInTransaction = false
    }
    if (trap !== undefined) {
      armed = armed.filter(other => other !== trap)
      if (trap.at === 'request') {
        line.isMute = true
        trap.spring(line, text)
      } else {
        line.awaiting = { trap, text, ready: isAlone ? line.syncs : null, answer: [] }
      }
    }
    if (!line.isMute) line.server.write(message)
  }

  /** Detects the answer to the awaited message. */
  const watch = (line: Line, awaited: NonNullable<Line['awaiting']>, message: Buffer) => {
    const { trap, text, ready, answer } = awaited
    if (ready !== null && line.readies >= ready - 1) answer.push(message)
    if (ready !== null && line.readies === ready && hasChangedNothing(answer)) {
      // It is the next one that is caught. What was kept back comes after all, but for this message, which follows.
      armed = [...armed, trap]
      line.awaiting = null
      if (trap.at === 'answers') for (const kept of answer.slice(0, -1)) line.client.write(kept)
      line.isDeaf = false
      return
    }
    if (trap.at === 'answers' && (ready === null || answer.length > 0)) line.isDeaf = true
    const isOver = ready === null ? isCommitted(message) : message[0] === READY && line.readies === ready
    if (!isOver) return
    line.isDeaf = true
    line.awaiting = null
    trap.spring(line, text)
  }

  const fromServer = (line: Line, message: Buffer) => {
    if (message[0] === READY) line.readies += 1
    if (line.awaiting !== null) watch(line, line.awaiting, message)
    if (!line.isDeaf) line.client.write(message)
  }

  const server = createServer(client => {
    if (mode === 'refuse') {
      refusals += 1
      client.destroy()
      return
    }
    const line: Line = {
      client,
      server: connect(Number(target.port), target.hostname),
      transaction: '',
      // The server sends the first ReadyForQuery when the session starts.
      isInTransaction: false,
      syncs: 1,
      readies: 0,
      isMute: mode === 'swallow',
      isDeaf: mode === 'swallow',
      awaiting: null,
    }
    lines.add(line)
    const upwards = messages('client')
    const downwards = messages('server')
    // One write for all messages of a read: a query has five, and its answer more.
    client.on('data', chunk => {
      line.server.cork()
      for (const message of upwards(chunk)) fromClient(line, message)
      line.server.uncork()
    })
    line.server.on('data', chunk => {
      client.cork()
      for (const message of downwards(chunk)) fromServer(line, message)
      client.uncork()
    })
    for (const socket of [client, line.server]) {
      socket.setNoDelay(true)
      socket.on('error', () => cut(line))
      socket.on('close', () => cut(line))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')
  const url = new URL(target)
  url.host = `127.0.0.1:${address.port}`

  const cutAll = () => {
    for (const line of lines) cut(line)
  }
  return {
    url: url.href,
    catchCommit(at, pieces) {
      let caught: Line | undefined
      const sprung = new Promise<string>(resolve => {
        const matches =
          typeof pieces === 'function'
            ? pieces
            : (text: string) => pieces.every(piece => text.includes(piece))
        const spring = (line: Line, text: string) => {
          caught = line
          resolve(text)
        }
        armed = [...armed, { at, matches, spring }]
      })
      return {
        sprung,
        cut() {
          if (caught === undefined) throw new Error('Nothing has been caught yet.')
          cut(caught)
        },
      }
    },
    cutAll,
    refuse() {
      mode = 'refuse'
      cutAll()
    },
    refusals: () => refusals,
    swallow() {
      mode = 'swallow'
      for (const line of lines) {
        line.isMute = true
        line.isDeaf = true
      }
    },
    pass() {
      mode = 'pass'
      for (const line of lines) if (line.isMute || line.isDeaf) cut(line)
    },
    async stop() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Splits a stream into messages: a type, then a length that includes itself. Only the client's first message has
 * no type (PostgreSQL documentation, "Message Formats").
 */
function messages(from: 'client' | 'server'): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let isStartUp = from === 'client'
  return chunk => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const whole: Buffer[] = []
    for (;;) {
      const header = isStartUp ? START_UP_HEADER_BYTES : HEADER_BYTES
      if (rest.length < header) return whole
      const length = isStartUp ? rest.readInt32BE(0) : rest.readInt32BE(1) + 1
      if (rest.length < length) return whole
      isStartUp = false
      whole.push(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  }
}

function isSimpleQuery(message: Buffer, text: string): boolean {
  return message[0] === SIMPLE_QUERY && message.subarray(HEADER_BYTES, -1).toString('latin1') === text
}

/** Returns true if a statement outside of a transaction failed, or appended to no partition. */
function hasChangedNothing(answer: readonly Buffer[]): boolean {
  if (answer.some(message => message[0] === ERROR)) return true
  const partitions = answer
    .map(message => message.toString('latin1'))
    .filter(text => text.includes(PARTITION))
  return partitions.length > 0 && !partitions.some(text => text.includes(APPENDED))
}

function isCommitted(message: Buffer): boolean {
  return message[0] === 0x43 && message.subarray(HEADER_BYTES, -1).toString('latin1') === 'COMMIT'
}
