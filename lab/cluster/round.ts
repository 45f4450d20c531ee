import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseCluster } from './database-cluster.ts'
import type { Fault } from './faults.ts'
import type { Load } from './load.ts'
import { checkBooks, type Fixture, replayAll } from './verify.ts'

/** Load before the fault, and on the new primary before the old one comes back. */
const BEFORE_MS = 4_000
const AFTER_MS = 4_000

/** The result of one fault. Times in ms. */
export type Round = {
  readonly fault: string
  readonly from: string
  readonly to: string
  /** From the fault to the first paid call that began after it and was acknowledged: by any gateway, by the last one. */
  readonly resumedMs: number
  readonly everywhereMs: number
  /** Calls with a final answer in this round, and those of them that failed. */
  readonly acknowledged: number
  readonly interrupted: number
  /** Deposits that were credited in this round. */
  readonly deposits: number
  readonly findings: readonly string[]
}

/** Injects a fault into the primary under load, and checks everything. */
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
  const struckAt = performance.now()
  const undo = await fault.befall(old)
  say(`${fault.name}: ${old.name} is struck`)

  const answeredAt = await load.probe()
  const resumedMs = Math.min(...answeredAt) - struckAt
  const everywhereMs = Math.max(...answeredAt) - struckAt
  await delay(AFTER_MS)
  const now = await cluster.primary([old]).catch(() => old)
  await undo()
  await cluster.whole()
  await load.pause()
  say(`${fault.name}: ${now.name} took over; calls after ${(resumedMs / 1_000).toFixed(1)} s`)

  const calls = load.acknowledged.slice(first)
  const findings = [
    ...load.troubles.slice(troublesBefore),
    ...(await replayAll(fixture, calls)),
    ...(await checkBooks(fixture, load.acknowledged)),
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
    findings,
  }
}
