import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseCluster } from './database-cluster.ts'
import type { Fault } from './faults.ts'
import type { Load } from './load.ts'
import type { Node } from './node.ts'
import { checkBooks, type Fixture, replayAll } from './verify.ts'

/** Load before the fault, and on the new primary before the old one comes back. */
const BEFORE_MS = 4_000
const AFTER_MS = 4_000
/** A machine that is cut off is asked what it has for so long at most, and so often. */
const INSIDE_MS = 30_000
const LOOK_INSIDE_MS = 500

/** What one fault did. Times in ms. */
export type Round = {
  readonly fault: string
  readonly from: string
  readonly to: string
  /** From the fault to the first paid call that began after it and was acknowledged: by any gateway, by the last one. */
  readonly resumedMs: number
  readonly everywhereMs: number
  /** Calls that were answered for good in this round, and those of them that failed for good. */
  readonly acknowledged: number
  readonly interrupted: number
  /** Deposits that were credited in this round. */
  readonly deposits: number
  /** Bytes of log that the old primary had and the new one had not: thrown away, acknowledged to nobody. */
  readonly tailBytes: number
  /** Calls that a cut-off primary showed to those inside and the new one never had; null: it was not cut off. */
  readonly onlyOldSide: number | null
  readonly findings: readonly string[]
}

/** Lets a fault befall the primary under load, and checks everything. */
export async function playRound(
  on: { cluster: DatabaseCluster; load: Load; fixture: Fixture; say: (line: string) => void },
  fault: Fault,
): Promise<Round> {
  const { cluster, load, fixture, say } = on
  await cluster.whole()
  const first = load.acknowledged.length
  const troublesBefore = load.troubles.length
  const depositsBefore = load.deposits()
  load.go()
  await delay(BEFORE_MS)
  const old = await cluster.primary()
  const logBefore = (await old.log()).length
  const struckAt = performance.now()
  const undo = await fault.befall(old)
  say(`${fault.name}: ${old.name} is struck`)
  const inside = fault.name === 'partition' ? keysInside(cluster, old) : Promise.resolve(null)

  const answeredAt = await load.probe()
  const resumedMs = Math.min(...answeredAt) - struckAt
  const everywhereMs = Math.max(...answeredAt) - struckAt
  await delay(AFTER_MS)
  const now = await cluster.primary([old]).catch(() => old)
  const keysOfOld = await inside
  await undo()
  await cluster.whole()
  await load.pause()
  say(`${fault.name}: ${now.name} took over; calls after ${(resumedMs / 1_000).toFixed(1)} s`)

  const calls = load.acknowledged.slice(first)
  const books = await checkBooks(fixture, load.acknowledged)
  const inBooks = new Set(books.keys)
  const findings = [
    ...load.troubles.slice(troublesBefore),
    ...(await replayAll(fixture, calls)),
    ...books.findings,
  ]
  return {
    fault: fault.name,
    from: old.name,
    to: now.name,
    resumedMs,
    everywhereMs,
    acknowledged: calls.length,
    deposits: load.deposits() - depositsBefore,
    interrupted: calls.filter(({ status }) => status !== 200).length,
    tailBytes: await tailOf(old, logBefore),
    onlyOldSide: keysOfOld === null ? null : [...keysOfOld].filter(key => !inBooks.has(key)).length,
    findings,
  }
}

/**
 * Keys of the calls that a cut-off machine shows by its own socket, for as long as it answers: until it steps down by
 * itself. Empty when it never did.
 */
async function keysInside(cluster: DatabaseCluster, old: Node): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  const giveUpAt = performance.now() + INSIDE_MS
  while (performance.now() < giveUpAt) {
    const rows = await cluster
      .inside<{ key: string }>(old, 'select idempotency_key as key from invocations')
      .catch(() => null)
    if (rows === null) break
    for (const { key } of rows) keys.add(key)
    await delay(LOOK_INSIDE_MS)
  }
  return keys
}

/**
 * How much of its log the old primary threw away when it came back, as Patroni and pg_rewind tell it; 0 when it had
 * nothing that the new one had not.
 */
async function tailOf(old: Node, logBefore: number): Promise<number> {
  const log = (await old.log()).slice(logBefore)
  const parted = log.search(/servers diverged at WAL location/)
  if (parted === -1) return 0
  const own = [...log.slice(0, parted).matchAll(/Local timeline=\d+ lsn=([0-9A-F]+\/[0-9A-F]+)/g)].at(-1)?.[1]
  const common = /diverged at WAL location ([0-9A-F]+\/[0-9A-F]+)/.exec(log.slice(parted))?.[1]
  return own === undefined || common === undefined ? 0 : positionOf(own) - positionOf(common)
}

/** Bytes of log up to a place, from PostgreSQL's way of writing it: two halves in hex. */
function positionOf(lsn: string): number {
  const [high = '0', low = '0'] = lsn.split('/')
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}
