import { setTimeout as delay } from 'node:timers/promises'
import type { Books } from './check/books.ts'
import { checkRound } from './check/check.ts'
import { readBooks, readFinalEvents } from './check/evidence.ts'
import { type AskedCall, type History, newHistory } from './check/history.ts'
import { readSeen } from './check/verdict.ts'
import { startFaults } from './faults.ts'
import { ask, bearer } from './load/http.ts'
import { askFor, startLoad } from './load/load.ts'
import { askWithdrawal } from './load/money-load.ts'
import { FEE_BASIS_POINTS, TOKEN_PRICES } from './load/world.ts'
import type { LabGateway } from './parts/gateways.ts'
import type { Lab } from './parts/lab.ts'
import { describeFault, kindOf, LOAD_MS, type Plan } from './plan.ts'
import { createRandom, type Random } from './random.ts'

/** Within this after the last fault every call must have come to its end: a lease, a sweep, a busy machine. In ms. */
const SETTLE_LIMIT_MS = 30_000
const LOOK_EVERY_MS = 100
/** Calls that are asked for again at once, at the end of a round. */
const REPLAYS_AT_ONCE = 8
/** Retries of a shed call, and the pause between them in ms. */
const PATIENCE_MAX = 20
const SHED_AGAIN_MS = 500
/** Maximum number of calls of earlier rounds that are kept for replays, and the number replayed in each round. */
const REMEMBERED_MAX = 1_000
const REMEMBERED_ASKED = 30
/** Calls of a round that are remembered. */
const REMEMBERED_OF_ROUND = 20

/** The result of a round. */
export type RoundResult = {
  readonly seed: string
  readonly round: number
  readonly faults: readonly string[]
  /** Faults that did not happen: no call reached the point while it was watched. */
  readonly idle: readonly string[]
  /** Kinds of the others, one for each. */
  readonly happened: readonly string[]
  readonly calls: number
  /** Calls that had a final answer before the retries at the end. */
  readonly acknowledged: number
  /** Answers at the end that repeated one that was given before, byte for byte. */
  readonly replayed: number
  readonly deposits: number
  readonly withdrawals: number
  /** From the end of the last fault to the end of the last open call, in ms. */
  readonly settledMs: number
  readonly ms: number
  /** Broken promises. */
  readonly violations: readonly string[]
}

/** Evidence of a round, for the analysis of a broken one. */
export type Evidence = {
  readonly history: History
  /** Calls of earlier rounds that were asked for again. */
  readonly older: readonly AskedCall[]
  readonly books: Books
}

/** Runs one round: load and faults, then everything is healed, settled, asked for again and held against the books. */
export async function runRound(lab: Lab, plan: Plan): Promise<RoundResult & Evidence> {
  const from = performance.now()
  const history = newHistory()
  history.deposits.push(...lab.firstDeposits.splice(0))
  const { world, gateways, chain } = lab
  const load = await startLoad({ plan, world, gateways, chain, history })
  load.over.catch(() => undefined) // it is awaited once all is healed
  const faults = startFaults(lab, plan.faults)
  await delay(LOAD_MS)
  await faults.heal()
  const healedAt = performance.now()
  await load.over

  const acknowledged = new Set(history.calls.filter(isAcknowledged))
  const events = await readFinalEvents(chain)
  const isSettled = await settle(lab, events)
  const settledMs = Math.round(performance.now() - healedAt)
  if (plan.expires) await expireTickets(lab)
  const random = createRandom(`${plan.seed} end ${plan.round}`)
  const older = random.shuffle(lab.remembered).slice(0, REMEMBERED_ASKED)
  const asked = [...history.calls, ...older]
  await askAll(lab, { calls: asked, history, random })
  await reportUsages(lab)

  const books = await readBooks({
    database: lab.database,
    chain,
    providers: lab.providers,
    calls: asked,
    events,
  })
  const terms = { prices: TOKEN_PRICES, feeBasisPoints: BigInt(FEE_BASIS_POINTS) }
  const violations = checkRound(history, older, books, lab.totals, terms)
  if (!isSettled) violations.push(`the round did not settle within ${SETTLE_LIMIT_MS} ms`)
  remember(lab, history.calls, random)
  const { seed, round } = plan
  return {
    seed,
    round,
    history,
    older,
    books,
    violations,
    settledMs,
    faults: plan.faults.map(describeFault),
    idle: plan.faults.filter(fault => !faults.happened.includes(fault)).map(describeFault),
    happened: faults.happened.map(kindOf),
    calls: history.calls.length,
    acknowledged: acknowledged.size,
    replayed: [...acknowledged, ...older].length,
    deposits: history.deposits.length,
    withdrawals: history.withdrawals.length,
    ms: Math.round(performance.now() - from),
  }
}

const isAcknowledged = ({ seen }: AskedCall) => seen.some(answer => readSeen(answer).kind === 'final')

/**
 * Waits until no call is open, every deposit that the chain has is credited and every redemption is closed. Calls that
 * wait for their usage get it from their provider.
 *
 * @returns false when that took too long: what is then still open is for the checks to find
 */
async function settle(lab: Lab, events: Awaited<ReturnType<typeof readFinalEvents>>): Promise<boolean> {
  const giveUpAt = performance.now() + SETTLE_LIMIT_MS
  while (performance.now() < giveUpAt) {
    await reportUsages(lab)
    const [row] = await lab.database.sql<{ open: string; credited: string; closed: string }>(
      `select (select count(*) from invocations where status in ('PENDING', 'PROCESSING')) as open,
              (select count(*) from entries where kind = 'deposit' and amount > 0 and reference = any($1)) as credited,
              (select count(*) from withdrawals where nonce = any($2) and status = 'COMPLETED') as closed`,
      [events.paidIn.map(({ reference }) => reference), events.paidOut.map(({ nonce }) => nonce)],
    )
    const isSettled =
      row?.open === '0' &&
      Number(row.credited) >= events.paidIn.length &&
      Number(row.closed) >= events.paidOut.length
    if (isSettled) return true
    await delay(LOOK_EVERY_MS)
  }
  return false
}

/** The model's provider reports the usage of every call that waits for it, by the public interface. */
async function reportUsages({ database, gateway, world, providers }: Lab): Promise<void> {
  const rows = await database.sql<{ id: string }>("select id from invocations where status = 'PROCESSING'")
  await Promise.all(
    rows.map(({ id }) =>
      ask(gateway(0), {
        path: `/api/v1/provider/invocations/${id}/usage`,
        headers: bearer(world.secret),
        body: providers.usageOf(id) ?? { inputTokens: 0, outputTokens: 0 },
      }),
    ),
  )
}

/** Moves chain time past the deadlines of all open tickets; the gateway releases those that were not redeemed. */
async function expireTickets({ chain, database, gateway, world }: Lab): Promise<void> {
  await chain.passDeadlines()
  const giveUpAt = performance.now() + SETTLE_LIMIT_MS
  while (performance.now() < giveUpAt) {
    // Looking at them releases what is stale.
    for (const { token } of world.providers)
      await ask(gateway(1), { method: 'GET', path: '/api/v1/providers/withdrawals', headers: bearer(token) })
    const out = await database.sql("select 1 from withdrawals where status like 'APPROVED%'")
    if (out.length === 0) return
    await delay(LOOK_EVERY_MS)
  }
}

/** Everything is asked for once more, at any gateway, now that nothing is wrong. */
async function askAll(
  lab: Lab,
  { calls, history, random }: { calls: readonly AskedCall[]; history: History; random: Random },
): Promise<void> {
  const left = [...calls]
  const asker = async () => {
    for (let call = left.pop(); call !== undefined; call = left.pop())
      await askPatiently(call, lab.gateway(random.int(0, 9)))
  }
  await Promise.all(Array.from({ length: REPLAYS_AT_ONCE }, asker))
  for (const withdrawal of history.withdrawals) await askWithdrawal(withdrawal, lab.gateway(random.int(0, 9)))
  // A call that was made only now may wait for its usage, too; then its answer is asked for again.
  const waiting = calls.filter(({ seen }) => seen.slice(-1).some(last => readSeen(last).kind === 'waiting'))
  if (waiting.length === 0) return
  await reportUsages(lab)
  for (const call of waiting) await askPatiently(call, lab.gateway(random.int(0, 9)))
}

/** A gateway that has only just started, on a busy machine, may ask a caller to come again: that is no fault yet. */
async function askPatiently(call: AskedCall, gateway: LabGateway): Promise<void> {
  for (let attempt = 1; attempt <= PATIENCE_MAX; attempt += 1) {
    const verdict = readSeen(await askFor(call, gateway))
    if (verdict.kind !== 'refused' || verdict.code !== 'UNAVAILABLE') return
    await delay(SHED_AGAIN_MS)
  }
}

function remember(lab: Lab, calls: readonly AskedCall[], random: Random): void {
  const chosen = random.shuffle(calls.filter(isAcknowledged)).slice(0, REMEMBERED_OF_ROUND)
  lab.remembered.push(...chosen)
  if (lab.remembered.length > REMEMBERED_MAX) lab.remembered.splice(0, lab.remembered.length - REMEMBERED_MAX)
}
