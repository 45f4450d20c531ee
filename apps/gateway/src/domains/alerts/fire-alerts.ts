import { parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Deps, Tx } from '../../ports.ts'
import { announce } from '../webhooks/announce.ts'
import { insertAlerts, type NewAlert } from './alert-store.ts'
import {
  advanceCursor,
  type BalanceRow,
  countCalls,
  isAnythingNew,
  type LogRange,
  lockCursor,
  readBalances,
  readBudgets,
  readRanges,
  writeFailing,
  writeSeen,
} from './log-store.ts'
import { queueAlertMails } from './mail-alerts.ts'
import { type Alert, balanceAlerts, budgetAlerts, failureAlerts, isFailing } from './rules.ts'
import { mutedOwners } from './settings-store.ts'

/** Maximum rows of each partition of the log per transaction. */
const ROWS_MAX = 200
/** Maximum transactions per run; the next run continues. */
const TURNS_MAX = 50

type FireDeps = Pick<Deps, 'db' | 'ids' | 'jobs' | 'mailer' | 'config'>

/**
 * Reads what was appended to the log since the last time and raises the alerts of it: stores them, queues their mails and
 * announces them to webhooks, in the transaction that advances the cursor. One gateway does it at a time; whatever one
 * that dies did is rolled back and done by the next.
 *
 * @param deps.db without projection: rows are read once they are projected
 */
export async function fireAlerts(deps: FireDeps, signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX && !signal.aborted; turn += 1) {
    if (!(await isAnythingNew(deps.db))) return
    const isLast = await deps.db.transaction(tx => runTurn(deps, tx))
    if (isLast) return
  }
}

/** Returns true if nothing is left, or another gateway is at it. */
async function runTurn(deps: FireDeps, tx: Tx): Promise<boolean> {
  if (!(await lockCursor(tx))) return true
  const ranges = await readRanges(tx, ROWS_MAX)
  if (ranges.length === 0) return true
  const threshold = parseUsdc(deps.config.BALANCE_LOW_USDC)
  const alerts = [
    ...(await readBudgets(tx, ranges)).flatMap(budgetAlerts),
    ...(await balancesFallen(tx, ranges, threshold)),
    ...(await ratesExceeded(tx, ranges)),
  ]
  if (alerts.length > 0) await raise(deps, tx, alerts)
  await advanceCursor(tx, ranges)
  return ranges.every(({ after, upto }) => upto - after < ROWS_MAX)
}

async function balancesFallen(tx: Tx, ranges: readonly LogRange[], standard: Usdc): Promise<Alert[]> {
  const rows = Map.groupBy(await readBalances(tx, ranges), ({ owner }) => owner)
  const watched = [...rows].map(([owner, balances]) => ({
    owner,
    balances,
    last: balances.at(-1) as BalanceRow,
  }))
  if (watched.length > 0)
    await writeSeen(
      tx,
      watched.map(({ last }) => last),
    )
  return watched.flatMap(({ owner, balances, last: { below, seen } }) =>
    balanceAlerts({ owner, balances, seen, threshold: below === null ? standard : usdc(below) }),
  )
}

async function ratesExceeded(tx: Tx, ranges: readonly LogRange[]): Promise<Alert[]> {
  const rates = await countCalls(tx, ranges)
  const changed = rates.filter(rate => isFailing(rate) !== rate.isFailing)
  if (changed.length > 0)
    await writeFailing(
      tx,
      changed.map(rate => ({ owner: rate.owner, isFailing: isFailing(rate) })),
    )
  return rates.flatMap(failureAlerts)
}

async function raise(deps: FireDeps, tx: Tx, alerts: readonly Alert[]): Promise<void> {
  // Those of a millisecond are listed in their order too.
  const ids = alerts.map(() => deps.ids.next('alrt')).toSorted()
  const named = alerts.map((alert, index): NewAlert => ({ ...alert, id: ids[index] as string }))
  const stored = await insertAlerts(tx, named)
  const raised = named.filter(({ id }) => stored.has(id))
  await queueAlertMails(deps, tx, raised)
  const muted = await mutedOwners(tx, [...new Set(raised.map(({ owner }) => owner))])
  await announce(
    deps,
    tx,
    raised
      .filter(({ owner }) => !muted.has(owner))
      .map(({ owner, type, data }) => ({ owner, type, data }) as Announced),
  )
}

type Announced = Parameters<typeof announce>[2][number]
