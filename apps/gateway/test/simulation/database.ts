import { GatewayError } from '@farebox/wire/errors'
import { PARTITIONS } from '@farebox/wire/partition'
import type { Chance } from './chance.ts'
import { createLocks, type Locks } from './locks.ts'
import { projectPartition } from './project.ts'
import type { Schedule } from './schedule.ts'
import { createTables, hashOf, type NewRow, readRow, type StoredRow, type Tables } from './tables.ts'
import { createWrites, stageRow, type Writes } from './transaction.ts'

/** A transaction at the server. */
export type Session = {
  readonly writes: Writes
  isOver: boolean
  isCommitted: boolean
  readonly whenAborted: (() => void)[]
}

/** A database server with a standby. Only locks and replication take time. */
export type Database = {
  readonly tables: Tables
  /** Unix milliseconds. */
  now(): number
  jump(ms: number): void
  /** The clock never shows the same time twice. */
  setRight(): void
  /** Changes when another server process answers. */
  server(): string
  isUp(): boolean
  /** Records a lease renewal. */
  renewed(id: string): void
  /** Longest time in which the database was up and a gateway did not renew its lease, in ms. */
  unrenewedMs(id: string): number
  begin(): Session
  /** Settles like `work`; rejects if the server ends the session before. */
  within<T>(session: Session, work: () => Promise<T>): Promise<T>
  lock(session: Session, partitions: readonly number[]): Promise<void>
  /** Locks partitions and projects committed rows. */
  lockAndProject(session: Session, partitions: readonly number[]): Promise<void>
  /** Projects everything, like ledger_catch_up. */
  catchUp(): Promise<void>
  append(session: Session, row: NewRow, from: { previous: Buffer; isProjected: boolean }): Buffer
  /** Resolves when a standby has it too. */
  commit(session: Session): Promise<void>
  rollback(session: Session): void
  /** Ends all sessions; the server is back after `ms`. Commits are kept, except recent projections. */
  restart(ms: number): void
  /** The standby takes over after `ms`: with all acknowledged commits, and some others. */
  failOver(ms: number): void
}

/** The standby has a commit and those before it. */
type Sent = {
  readonly writes: Writes
  readonly isLasting: boolean
  readonly have: () => void
  isAnswered: boolean
}

const EPOCH = Date.parse('2026-03-31T23:30:00Z')
/** Typical time until the standby follows a restarted server. */
const RECONNECT_MS = 200
const unavailable = () => new GatewayError('UNAVAILABLE')

/**
 * @param options.replicationMs typical delay of a commit to the standby
 * @param options.projected     selects the rows to project when these are due; absent: all
 */
export function createDatabase(
  schedule: Schedule,
  chance: Chance,
  options: {
    replicationMs: number
    projected?: ((due: readonly StoredRow[]) => readonly StoredRow[]) | undefined
  },
): Database {
  const tables = createTables(PARTITIONS)
  const locks: Locks<Session> = createLocks()
  const sessions = new Set<Session>()
  let [jumped, furthest, server, downSince, downMs] = [0, 0, 1, -1, 0]
  let unsent: Sent[] = []

  const now = () => Math.floor(EPOCH + schedule.now() + jumped)
  const finish = (session: Session) => {
    session.isOver = true
    sessions.delete(session)
    locks.release(session)
  }
  const rollback = (session: Session) => {
    if (session.isOver || session.isCommitted) return
    session.writes.undo()
    finish(session)
  }
  const begin = (): Session => {
    if (downSince >= 0) throw unavailable()
    const session: Session = { writes: createWrites(), isOver: false, isCommitted: false, whenAborted: [] }
    sessions.add(session)
    return session
  }
  const within: Database['within'] = (session, work) => {
    if (session.isOver) return Promise.reject(unavailable())
    return new Promise((resolve, reject) => {
      session.whenAborted.push(() => reject(unavailable()))
      work().then(resolve, reject)
    })
  }
  const commit = (session: Session, isLasting = true): Promise<void> => {
    if (session.isOver) return Promise.reject(unavailable())
    if (session.writes.isEmpty()) {
      finish(session)
      return Promise.resolve()
    }
    session.isCommitted = true
    session.writes.commit()
    if (!isLasting || options.replicationMs === 0) {
      if (options.replicationMs > 0)
        unsent.push({ writes: session.writes, isLasting, have: () => {}, isAnswered: false })
      finish(session)
      return Promise.resolve()
    }
    return within(session, () => {
      const sent = Promise.withResolvers<void>()
      const have = () => {
        if (!session.isOver) finish(session)
        sent.resolve()
      }
      const entry: Sent = { writes: session.writes, isLasting, have, isAnswered: false }
      unsent.push(entry)
      schedule.after(chance.wait(options.replicationMs), () => arrive(entry))
      return sent.promise
    })
  }
  /** The standby also has everything sent before. */
  const arrive = (entry: Sent) => {
    const index = unsent.indexOf(entry)
    if (index === -1) return
    for (const each of unsent.splice(0, index + 1)) each.have()
  }
  const projectAll = async (session: Session, numbers: readonly number[]) => {
    await locks.take(
      session,
      numbers.map(number => number + PARTITIONS),
    )
    for (const number of numbers)
      projectPartition(tables, number, { writes: session.writes, projected: options.projected })
  }
  const endSessions = () => {
    for (const session of [...sessions].reverse()) {
      // Waiting for the standby: already committed here.
      if (session.isCommitted) finish(session)
      else rollback(session)
      for (const abort of session.whenAborted.splice(0)) abort()
    }
  }
  const goDown = (ms: number) => {
    server += 1
    if (downSince < 0) downSince = schedule.now()
    const until = server
    schedule.after(ms, () => {
      if (until !== server) return
      downMs += schedule.now() - downSince
      downSince = -1
    })
  }

  const renewals = new Map<string, { readonly at: number; readonly longest: number }>()
  const upMs = () => schedule.now() - downMs - (downSince < 0 ? 0 : schedule.now() - downSince)
  const unrenewedMs = (id: string): number => {
    const last = renewals.get(id)
    return last === undefined ? 0 : Math.max(last.longest, upMs() - last.at)
  }

  return {
    tables,
    now,
    jump(ms) {
      jumped += ms
      furthest = Math.max(furthest, jumped)
    },
    setRight() {
      jumped = furthest
    },
    server: () => `server ${server}`,
    isUp: () => downSince < 0,
    renewed(id) {
      renewals.set(id, { at: upMs(), longest: unrenewedMs(id) })
    },
    unrenewedMs,
    begin,
    within,
    lock: (session, partitions) => within(session, () => locks.take(session, partitions)),
    lockAndProject: (session, partitions) =>
      within(session, async () => {
        await locks.take(session, partitions)
        await projectAll(session, partitions)
      }),
    async catchUp() {
      const session = begin()
      const behind: number[] = []
      for (const [number, { head, projected }] of tables.partitions.entries())
        if (head > projected) behind.push(number)
      // Locks and writes nothing.
      if (behind.length === 0) return finish(session)
      try {
        await within(session, () => projectAll(session, behind))
        await commit(session, false)
      } catch (error) {
        rollback(session)
        throw error
      }
    },
    append(session, row, { previous, isProjected }) {
      const hash = hashOf(previous, row)
      const written = { ...row, hash }
      stageRow(session.writes, tables, { ...written, read: readRow(written), at: now() }, isProjected)
      return hash
    },
    commit: session => commit(session),
    rollback,
    restart(ms) {
      endSessions()
      while (unsent.at(-1)?.isLasting === false) unsent.pop()?.writes.undo()
      for (const entry of unsent) schedule.after(ms + chance.wait(RECONNECT_MS), () => arrive(entry))
      goDown(ms)
    },
    failOver(ms) {
      endSessions()
      const kept = chance.below(unsent.length + 1)
      for (const entry of unsent.splice(kept).reverse()) entry.writes.undo()
      unsent = []
      goDown(ms)
    },
  }
}
