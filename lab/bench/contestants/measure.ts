import { randomUUID } from 'node:crypto'
import { type ProcessorSeconds, withProcessorSeconds } from '../../kit/proc.ts'
import type { LoadResult, Target } from '../workers/messages.ts'
import type { Contestant, ContestantName, Round } from './contestants.ts'

/** Unmeasured load at the start of every round, while connections open, in seconds. */
const RAMP_SECONDS = 0.5
/** Load on every contestant before the first round: what has just started is not compiled yet, a server in use is. */
const HEATING = { callers: 256, seconds: 3, warmupSeconds: 0 } as const
/** Beyond so many callers, fewer rounds do: no figure is of them. */
const MANY_CALLERS = 256
const MANY_CALLERS_ROUNDS = 2

/** The rounds of one contestant at one number of callers, in the order in which they were run. */
export type Series = {
  readonly contestant: ContestantName
  readonly callers: number
  readonly rounds: readonly MeasuredRound[]
}

/** A round with the processor time per good answer, in microseconds. */
export type MeasuredRound = LoadResult & { readonly micros: ProcessorSeconds }

/** Returns processor time per good answer of a load, in microseconds. */
export function microsPer(
  { goodByTarget }: Pick<LoadResult, 'goodByTarget'>,
  seconds: ProcessorSeconds,
): ProcessorSeconds {
  const perAnswer = 1e6 / goodByTarget.reduce((sum, good) => sum + good, 0)
  return { servers: seconds.servers * perAnswer, database: seconds.database * perAnswer }
}

/**
 * Measures every contestant at the numbers of callers that are asked for and that it is to be measured at. The
 * contestants take turns, round by round, so that what else goes on in the machine meets all of them alike.
 *
 * @param plan.postmaster of the database that some of them have
 * @param plan.pay        called with the paid calls of a load
 * @param plan.note       called with every load
 * @param plan.progress   called with a line about every round
 */
export async function measure(
  contestants: readonly Contestant[],
  plan: {
    readonly callers: readonly number[]
    readonly rounds: number
    readonly seconds: number
    readonly warmupSeconds: number
    readonly postmaster: number
    pay(target: Target, calls: number): void
    note(result: LoadResult): void
    progress(line: string): void
  },
): Promise<Series[]> {
  const load = async (
    { servers, charged, run }: Contestant,
    shape: Omit<Round, 'keyPrefix'>,
  ): Promise<MeasuredRound> => {
    const { result, seconds } = await withProcessorSeconds({ servers, postmaster: plan.postmaster }, () =>
      run({ ...shape, keyPrefix: randomUUID() }),
    )
    plan.note(result)
    for (const [index, target] of (charged ?? []).entries()) plan.pay(target, result.goodByTarget[index] ?? 0)
    return { ...result, micros: microsPer(result, seconds) }
  }
  const take = async (contestant: Contestant, callers: number, round: number) => {
    const warmupSeconds = round === 0 ? Math.max(plan.warmupSeconds, RAMP_SECONDS) : RAMP_SECONDS
    const result = await load(contestant, { callers, seconds: plan.seconds, warmupSeconds })
    plan.progress(`${callers} callers, round ${round + 1}: ${contestant.name} ${reported(result)}`)
    return result
  }

  for (const contestant of contestants.filter(({ isAt }) => isAt(HEATING.callers)))
    await load(contestant, HEATING)
  const series: Series[] = []
  for (const callers of plan.callers) {
    const present = contestants.filter(contestant => contestant.isAt(callers))
    const rounds = present.map((): MeasuredRound[] => [])
    const count = callers > MANY_CALLERS ? Math.min(plan.rounds, MANY_CALLERS_ROUNDS) : plan.rounds
    for (let round = 0; round < count; round += 1) {
      for (const [index, contestant] of present.entries())
        rounds[index]?.push(await take(contestant, callers, round))
    }
    for (const [index, { name }] of present.entries())
      series.push({ contestant: name, callers, rounds: rounds[index] ?? [] })
  }
  return series
}

/** Returns a load as text. */
export function reported({
  perSecond,
  shedPerSecond,
  latency,
  errors,
  micros,
}: LoadResult & Partial<MeasuredRound>) {
  return [
    `${Math.round(perSecond)}/s`,
    ...(shedPerSecond > 0 ? [`${Math.round(shedPerSecond)}/s shed`] : []),
    `p50 ${latency.p50.toFixed(2)} ms, p99 ${latency.p99.toFixed(1)} ms`,
    ...(micros === undefined
      ? []
      : [`processor ${Math.round(micros.servers)} + ${Math.round(micros.database)} us`]),
    ...(errors > 0 ? [`${errors} ERRORS`] : []),
  ].join(', ')
}
