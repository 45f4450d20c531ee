import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, parseUsdc } from '@farebox/money'
import { type BooksCheck, checkBooks, readBalances } from './books.ts'
import { inLanes } from './market.ts'
import { readMemory } from './memory.ts'
import type { Percentiles, StreamOutcome, StreamPlan, StreamResult } from './messages.ts'
import { costOf } from './model-market.ts'
import type { ModelRun } from './model-run.ts'
import { readProcessTimes } from './process-times.ts'
import { passUsageWindow } from './usage-window.ts'

/** All streams of a crowd start within this time, in seconds. */
const RAMP_SECONDS = 1
/** Of so many streams, one is cut by the model and one is left by its caller: 5 % each. */
const FAULT_EVERY = 20
const CUT_AT = 7
const LEAVE_AT = 17
/** How long a gateway may take to release what waited too long, in ms; it looks every 5 s. */
const RELEASE_LIMIT_MS = 30_000
const RELEASE_POLL_MS = 250
const SAMPLES_MAX = 5
/** Processes that took less processor time than this are not told, in seconds. */
const CPU_SECONDS_MIN = 0.1

/** Many streams at once, and what became of them. */
export type Crowd = {
  readonly streams: number
  readonly chunksEach: number
  readonly paceMs: number
  readonly ends: Readonly<Record<StreamOutcome['end'], number>>
  readonly lostSamples: readonly string[]
  /** Most streams under way at one time. */
  readonly openMost: number
  readonly seconds: number
  readonly chunks: number
  readonly firstEvent: Percentiles
  readonly chunk: Percentiles
  /** Resident memory of the gateway, in MiB; null where it cannot be told. */
  readonly memory: { readonly beforeMiB: number; readonly peakMiB: number } | null
  /** Processor time by process, in seconds. */
  readonly cpuSeconds: Readonly<Record<string, number>>
  readonly books: BooksCheck
}

/** What became of the calls whose streams were cut. */
export type Release = {
  /** Calls that waited for their usage. */
  readonly waiting: number
  /** From the end of the window to the last release, in seconds. */
  readonly seconds: number
  readonly books: BooksCheck
  /** Calls that did not end as they must, told as text. */
  readonly wrong: readonly string[]
}

type Shape = { readonly streams: number; readonly chunks: number; readonly paceMs: number }

/** Plans of a crowd; no two neighbours have the same usage, and faults come at all points of a stream. */
export function plansOf(
  { streams, chunks, paceMs }: Shape,
  on: { owners: number; hasFaults: boolean },
): StreamPlan[] {
  return Array.from({ length: streams }, (_, index) => {
    const at = 1 + ((index * 13) % (chunks - 1))
    const fault = on.hasFaults ? index % FAULT_EVERY : -1
    const usage = { inputTokens: 11 + (index % 41), outputTokens: chunks + (index % 7) }
    const script = { chunks, paceMs, ...usage, cutAfter: fault === CUT_AT ? at : null }
    const leaveAfter = fault === LEAVE_AT ? at : null
    return { target: index % on.owners, script, leaveAfter, chargedUsdc: formatUsdc(costOf(script)) }
  })
}

/** Has a crowd of streams read at once and checks the books. Calls that were cut must be all that is still held. */
export async function readCrowd(
  run: ModelRun,
  shape: Shape & { hasFaults: boolean },
): Promise<{ crowd: Crowd; cutIds: readonly { id: string; target: number }[] }> {
  const { market, account, gateway, say } = run
  const plans = plansOf(shape, { owners: market.model.length, hasFaults: shape.hasFaults })
  const memoryBefore = await readMemory(gateway.pid)
  const timesBefore = readProcessTimes()
  const result = await run.streams.run({
    ...run.paid,
    isPaid: true,
    targets: market.model,
    plans,
    callers: plans.length,
    rampSeconds: RAMP_SECONDS,
    seconds: null,
    keyPrefix: randomUUID(),
  })
  const timesAfter = readProcessTimes()

  for (const { plan, end } of result.outcomes) {
    const target = market.model[plans[plan]?.target ?? -1]
    const script = plans[plan]?.script
    const isPaid = end === 'whole' || end === 'left'
    if (isPaid && target !== undefined && script !== undefined) account.pay(target, costOf(script))
  }
  const cutIds = result.outcomes.flatMap(({ plan, end, invocationId }) =>
    end === 'cut' ? [{ id: String(invocationId), target: plans[plan]?.target ?? -1 }] : [],
  )
  say(`${shape.streams} streams in ${result.seconds.toFixed(1)} s; checking the books ...`)
  const held = await heldFor(run, cutIds)
  const books = await checkBooks(market, { before: run.before, due: account.due(held) })
  const memoryAfter = await readMemory(gateway.pid)
  const memory = memoryBefore &&
    memoryAfter && { beforeMiB: memoryBefore.nowMiB, peakMiB: memoryAfter.peakMiB }
  const cpuSeconds = cpuBetween(timesBefore, timesAfter)
  return { crowd: { ...report(shape, result), memory, cpuSeconds, books }, cutIds }
}

/** Lets the window for late usage pass and checks that nothing is held or charged of the calls that were cut. */
export async function passWindow(
  run: ModelRun,
  cutIds: readonly { id: string; target: number }[],
): Promise<Release> {
  const { market, account } = run
  const waiting = await passUsageWindow(run.gateway.databaseUrl)
  const from = performance.now()
  for (;;) {
    const { owners } = await readBalances(market)
    if (owners.every(({ held }) => held === 0n) || performance.now() - from > RELEASE_LIMIT_MS) break
    await delay(RELEASE_POLL_MS)
  }
  const seconds = (performance.now() - from) / 1_000
  const calls = await readCalls(run, cutIds)
  const wrong = calls.flatMap(({ id, status, chargedUsdc }) =>
    status === 'FAILED_FINAL' && chargedUsdc === '0.000000'
      ? []
      : [`${id}: ${status}, ${chargedUsdc} charged`],
  )
  if (waiting !== cutIds.length) wrong.push(`${waiting} calls waited for usage, ${cutIds.length} were cut`)
  const books = await checkBooks(market, { before: run.before, due: account.due(null) })
  return { waiting, seconds, books, wrong: wrong.slice(0, SAMPLES_MAX) }
}

type CallView = {
  readonly id: string
  readonly status: string
  readonly holdUsdc: string
  readonly chargedUsdc: string
}

/** Calls as their agents see them. */
function readCalls(
  { market }: ModelRun,
  cutIds: readonly { id: string; target: number }[],
): Promise<CallView[]> {
  return inLanes(cutIds.length, async index => {
    const { id = '', target = -1 } = cutIds[index] ?? {}
    const token = market.model[target]?.credential ?? ''
    const path = `/api/v1/agent/invocations/${id}`
    return { ...(await market.api.ok<Omit<CallView, 'id'>>('GET', path, { token })), id }
  })
}

/** What must be held of each owner: the holds of the calls that wait for their usage. */
async function heldFor(
  run: ModelRun,
  cutIds: readonly { id: string; target: number }[],
): Promise<readonly bigint[]> {
  const held = run.market.model.map(() => 0n)
  for (const [index, { status, holdUsdc }] of (await readCalls(run, cutIds)).entries()) {
    const owner = cutIds[index]?.target ?? -1
    if (status === 'PROCESSING') held[owner] = (held[owner] ?? 0n) + parseUsdc(holdUsdc)
  }
  return held
}

function report({ streams, chunks: chunksEach, paceMs }: Shape, result: StreamResult) {
  const { outcomes, openMost, seconds, chunks, firstEvent, chunk } = result
  const ends = { whole: 0, cut: 0, left: 0, lost: 0 }
  for (const { end } of outcomes) ends[end] += 1
  // A stream that was never told of is as lost as one that was.
  ends.lost += streams - outcomes.length
  const lostSamples = outcomes.flatMap(({ why }) => why ?? []).slice(0, SAMPLES_MAX)
  return { streams, chunksEach, paceMs, ends, lostSamples, openMost, seconds, chunks, firstEvent, chunk }
}

function cpuBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  return Object.fromEntries(
    [...after]
      .map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)] as const)
      .filter(([, seconds]) => seconds >= CPU_SECONDS_MIN)
      .sort(([, a], [, b]) => b - a),
  )
}
