import { randomUUID } from 'node:crypto'
import type { Contestant, ContestantName, Round } from './contestants.ts'
import type { RoundResult, Target } from './messages.ts'
import { type ProcessorSeconds, withProcessorSeconds } from './process-times.ts'

/** Unmeasured load at the start of every round, while connections open, in seconds. */
const RAMP_SECONDS = 0.5
/** Load on every contestant before the first round: what has just started is not compiled yet, a server in use is. */
export const HEATING = { callers: 256, seconds: 3 } as const
/** Beyond so many callers, fewer rounds do: the figures there are told, no bar is held to them. */
const MANY_CALLERS = 256
const MANY_CALLERS_ROUNDS = 2

/** The rounds of one contestant at one number of callers, in the order in which they were run. */
export type Series = {
  readonly contestant: ContestantName
  readonly callers: number
  readonly rounds: readonly MeasuredRound[]
}

/** A round with the processor time per good answer, in microseconds. */
export type MeasuredRound = RoundResult & { readonly micros: ProcessorSeconds }

/** Processor time per good answer of a load, in microseconds. */
export function microsPer(
  { goodByTarget }: Pick<RoundResult, 'goodByTarget'>,
  seconds: ProcessorSeconds,
): ProcessorSeconds {
  const perAnswer = 1e6 / goodByTarget.reduce((sum, good) => sum + good, 0)
  return { servers: seconds.servers * perAnswer, database: seconds.database * perAnswer }
}

/** All that was measured. */
export type Measurement = {
  readonly series: readonly Series[]
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/**
 * Measures every contestant at the numbers of callers that are asked for and that it is to be measured at. The
 * contestants take turns, round by round, so that what else goes on in the machine meets all of them alike.
 *
 * @param plan.postmaster of the database that some of them have
 * @param plan.pay        is told of paid calls
 * @param plan.progress   is told of every round
 */
export async function measure(
  contestants: readonly Contestant[],
  plan: {
    callers: readonly number[]
    rounds: number
    seconds: number
    warmupSeconds: number
    postmaster: number
    pay: (target: Target, calls: number) => void
    progress: (line: string) => void
  },
): Promise<Measurement> {
  const series: Series[] = []
  const errorSamples: string[] = []
  let errors = 0

  const load = async (
    { name, servers, charged, run }: Contestant,
    shape: Omit<Round, 'keyPrefix'>,
  ): Promise<MeasuredRound> => {
    const { result, seconds } = await withProcessorSeconds({ servers, postmaster: plan.postmaster }, () =>
      run({ ...shape, keyPrefix: randomUUID() }),
    )
    errors += result.errors
    errorSamples.push(...result.errorSamples.map(sample => `${name}: ${sample}`))
    for (const [index, target] of (charged ?? []).entries()) plan.pay(target, result.goodByTarget[index] ?? 0)
    return { ...result, micros: microsPer(result, seconds) }
  }
  const take = async (contestant: Contestant, callers: number, round: number) => {
    const warmupSeconds = round === 0 ? Math.max(plan.warmupSeconds, RAMP_SECONDS) : RAMP_SECONDS
    const result = await load(contestant, { callers, seconds: plan.seconds, warmupSeconds })
    plan.progress(
      `${callers} callers, round ${round + 1}: ${contestant.name} ${Math.round(result.perSecond)}/s, ` +
        `p50 ${result.latency.p50.toFixed(2)} ms, processor ${reported(result)}${result.errors > 0 ? `, ${result.errors} ERRORS` : ''}`,
    )
    return result
  }

  for (const contestant of contestants.filter(({ isAt }) => isAt(HEATING.callers))) {
    await load(contestant, { ...HEATING, warmupSeconds: 0 })
  }
  for (const callers of plan.callers) {
    const present = contestants.filter(contestant => contestant.isAt(callers))
    const rounds = present.map((): MeasuredRound[] => [])
    const count = callers > MANY_CALLERS ? Math.min(plan.rounds, MANY_CALLERS_ROUNDS) : plan.rounds
    for (let round = 0; round < count; round += 1) {
      for (const [index, contestant] of present.entries()) {
        rounds[index]?.push(await take(contestant, callers, round))
      }
    }
    for (const [index, { name }] of present.entries()) {
      series.push({ contestant: name, callers, rounds: rounds[index] ?? [] })
    }
  }
  return { series, errors, errorSamples }
}

const reported = ({ micros: { servers, database } }: MeasuredRound): string =>
  `${Math.round(servers)} + ${Math.round(database)} us`
