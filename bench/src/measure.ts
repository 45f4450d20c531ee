import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc } from '@farebox/money'
import type { Tally } from './books.ts'
import type { LoadResult, Target } from './messages.ts'
import type { LoadWorker } from './workers.ts'

/** Unmeasured load at the start of every round, while connections open, in seconds. */
const RAMP_SECONDS = 0.5

/** The names that contestants go by. */
export type ContestantName = 'control' | 'gateway, one owner' | 'gateway, many owners'

/** Who is measured: where it listens, and the calls that it gets. */
export type Contestant = {
  readonly name: ContestantName
  readonly origin: string
  readonly path: string
  readonly isPaid: boolean
  readonly targets: readonly Target[]
}

/** The rounds of one contestant at one number of callers, in the order in which they were run. */
export type Series = {
  readonly contestant: ContestantName
  readonly callers: number
  readonly rounds: readonly LoadResult[]
}

/** All that was measured, and what it did to the books. */
export type Measurement = {
  readonly series: readonly Series[]
  readonly tally: Tally
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/**
 * Measures every contestant at every number of callers. The contestants take turns, round by round, so that what
 * else goes on in the machine meets all of them alike.
 *
 * @param plan.owners   how many owners the market has; `services` how many services
 * @param plan.progress is told of every round
 */
export async function measure(
  load: LoadWorker,
  contestants: readonly Contestant[],
  plan: {
    callers: readonly number[]
    rounds: number
    seconds: number
    warmupSeconds: number
    price: Usdc
    owners: number
    services: number
    progress: (line: string) => void
  },
): Promise<Measurement> {
  const series: Series[] = []
  const byOwner = Array.from({ length: plan.owners }, () => 0)
  const byService = Array.from({ length: plan.services }, () => 0)
  const errorSamples: string[] = []
  let errors = 0

  const account = ({ isPaid, targets }: Contestant, result: LoadResult): void => {
    errors += result.errors
    errorSamples.push(...result.errorSamples)
    if (!isPaid) return
    for (const [index, calls] of result.goodByTarget.entries()) {
      const target = targets[index]
      if (target === undefined) continue
      byOwner[target.owner] = (byOwner[target.owner] ?? 0) + calls
      byService[target.service] = (byService[target.service] ?? 0) + calls
    }
  }

  for (const callers of plan.callers) {
    const rounds = contestants.map((): LoadResult[] => [])
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const [index, contestant] of contestants.entries()) {
        const { name, origin, path, isPaid, targets } = contestant
        const result = await load.run({
          ...{ origin, path, isPaid, targets, callers },
          ...{ price: formatUsdc(plan.price), script: null },
          keyPrefix: randomUUID(),
          warmupSeconds: round === 0 ? Math.max(plan.warmupSeconds, RAMP_SECONDS) : RAMP_SECONDS,
          seconds: plan.seconds,
        })
        account(contestant, result)
        rounds[index]?.push(result)
        plan.progress(
          `${callers} callers, round ${round + 1}: ${name} ${Math.round(result.perSecond)}/s, ` +
            `p50 ${result.latency.p50.toFixed(2)} ms${result.errors > 0 ? `, ${result.errors} ERRORS` : ''}`,
        )
      }
    }
    for (const [index, { name }] of contestants.entries()) {
      series.push({ contestant: name, callers, rounds: rounds[index] ?? [] })
    }
  }
  return { series, tally: { byOwner, byService }, errors, errorSamples }
}
