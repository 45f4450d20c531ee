import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc } from '@farebox/money'
import type { LoadJob, LoadResult, Script } from './messages.ts'
import { costOf } from './model-market.ts'
import type { ModelRun } from './model-run.ts'
import { type Summary, summary } from './verdict.ts'

const CALLERS = 64
const RAMP_SECONDS = 0.5
const SCRIPT: Script = { chunks: 0, paceMs: 0, inputTokens: 37, outputTokens: 61, cutAfter: null }
const SAMPLES_MAX = 5

/** Calls per second of one kind. */
export type Pace = { readonly perSecond: Summary; readonly p50Ms: Summary; readonly p99Ms: Summary }

/** Calls to the model that are answered whole, beside calls of a fixed price to the same server. */
export type LlmCalls = {
  readonly callers: number
  readonly fixed: Pace
  readonly llm: Pace
  /** Share of the fixed price's calls per second, round by round. */
  readonly ratio: Summary
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Measures both in turn: one owner, a closed loop of {@link CALLERS} callers. */
export async function measureLlmCalls(
  run: ModelRun,
  plan: { rounds: number; seconds: number; warmupSeconds: number; price: Usdc },
): Promise<LlmCalls> {
  const { market, account, say } = run
  const [model] = market.model
  if (model === undefined) throw new Error('The market has no owners.')
  const kinds = [
    { name: 'fixed', target: market.fixed, cost: plan.price, script: null, rounds: [] as LoadResult[] },
    { name: 'llm', target: model, cost: costOf(SCRIPT), script: SCRIPT, rounds: [] as LoadResult[] },
  ] as const
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { name, target, cost, script, rounds } of kinds) {
      const job: LoadJob = {
        ...{ ...run.paid, isPaid: true, callers: CALLERS, targets: [target], script },
        ...{ price: formatUsdc(cost), keyPrefix: randomUUID(), seconds: plan.seconds },
        warmupSeconds: round === 0 ? Math.max(plan.warmupSeconds, RAMP_SECONDS) : RAMP_SECONDS,
      }
      const result = await run.calls.run(job)
      account.pay(target, cost, result.goodByTarget[0] ?? 0)
      rounds.push(result)
      say(`${CALLERS} callers, round ${round + 1}: ${name} ${Math.round(result.perSecond)}/s`)
    }
  }
  const [fixed, llm] = [kinds[0].rounds, kinds[1].rounds]
  const all = [...fixed, ...llm]
  return {
    ...{ callers: CALLERS, fixed: paceOf(fixed), llm: paceOf(llm) },
    ratio: summary(llm.map(({ perSecond }, round) => perSecond / (fixed[round]?.perSecond ?? Number.NaN))),
    errors: all.reduce((total, { errors }) => total + errors, 0),
    errorSamples: all.flatMap(({ errorSamples }) => errorSamples).slice(0, SAMPLES_MAX),
  }
}

const paceOf = (rounds: readonly LoadResult[]): Pace => ({
  perSecond: summary(rounds.map(({ perSecond }) => perSecond)),
  p50Ms: summary(rounds.map(({ latency }) => latency.p50)),
  p99Ms: summary(rounds.map(({ latency }) => latency.p99)),
})
