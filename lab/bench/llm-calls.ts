import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc } from '@farebox/money'
import type { LoadJob, LoadResult, Script } from './messages.ts'
import { costOf } from './model-market.ts'
import type { ModelRun } from './model-run.ts'
import { type Summary, summary } from './summary.ts'

const CALLERS = 256
const RAMP_SECONDS = 0.5
const SCRIPT: Script = { chunks: 0, paceMs: 0, inputTokens: 37, outputTokens: 61, cutAfter: null }
const SAMPLES_MAX = 5

/** Calls per second of one kind. */
export type Pace = { readonly perSecond: Summary; readonly p50Ms: Summary; readonly p99Ms: Summary }

/**
 * Calls to the model that are answered whole, beside calls of a fixed price and those of a plain proxy to the same
 * server.
 */
export type LlmCalls = {
  readonly callers: number
  readonly control: Pace
  readonly fixed: Pace
  readonly llm: Pace
  /** Share of the fixed price's calls per second, round by round, and of the plain proxy's. */
  readonly ratio: Summary
  readonly ratioToControl: Summary
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Measures them in turn: one owner, a closed loop of {@link CALLERS} callers. */
export async function measureLlmCalls(
  run: ModelRun,
  plan: { rounds: number; seconds: number; warmupSeconds: number; price: Usdc },
): Promise<LlmCalls> {
  const { market, account, say } = run
  const [model] = market.model
  if (model === undefined) throw new Error('The market has no owners.')
  const { fixed: target } = market
  const paid = { ...run.paid, isPaid: true }
  const control = { origin: run.control.url, path: '/call', isPaid: false }
  const kinds = [
    { name: 'control', ...control, target, cost: plan.price, script: null, rounds: [] as LoadResult[] },
    { name: 'fixed', ...paid, target, cost: plan.price, script: null, rounds: [] as LoadResult[] },
    { name: 'llm', ...paid, target: model, cost: costOf(SCRIPT), script: SCRIPT, rounds: [] as LoadResult[] },
  ] as const
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { name, origin, path, isPaid, target, cost, script, rounds } of kinds) {
      const job: LoadJob = {
        origin,
        path,
        isPaid,
        callers: CALLERS,
        targets: [target],
        script,
        price: formatUsdc(cost),
        keyPrefix: randomUUID(),
        seconds: plan.seconds,
        warmupSeconds: round === 0 ? Math.max(plan.warmupSeconds, RAMP_SECONDS) : RAMP_SECONDS,
      }
      const result = await run.calls.run(job)
      if (isPaid) account.pay(target, cost, result.goodByTarget[0] ?? 0)
      rounds.push(result)
      say(`${CALLERS} callers, round ${round + 1}: ${name} ${Math.round(result.perSecond)}/s`)
    }
  }
  const [free, fixed, llm] = [kinds[0].rounds, kinds[1].rounds, kinds[2].rounds]
  const all = [...free, ...fixed, ...llm]
  return {
    callers: CALLERS,
    control: paceOf(free),
    fixed: paceOf(fixed),
    llm: paceOf(llm),
    ratio: shareOf(llm, fixed),
    ratioToControl: shareOf(llm, free),
    errors: all.reduce((total, { errors }) => total + errors, 0),
    errorSamples: all.flatMap(({ errorSamples }) => errorSamples).slice(0, SAMPLES_MAX),
  }
}

const shareOf = (rounds: readonly LoadResult[], of: readonly LoadResult[]): Summary =>
  summary(rounds.map(({ perSecond }, round) => perSecond / (of[round]?.perSecond ?? Number.NaN)))

const paceOf = (rounds: readonly LoadResult[]): Pace => ({
  perSecond: summary(rounds.map(({ perSecond }) => perSecond)),
  p50Ms: summary(rounds.map(({ latency }) => latency.p50)),
  p99Ms: summary(rounds.map(({ latency }) => latency.p99)),
})
