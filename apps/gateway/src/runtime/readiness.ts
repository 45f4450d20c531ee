import type { Clock, Log } from '../ports.ts'
import { cached, createFlights } from './cached.ts'
import { within } from './within.ts'

/** TTL of a good look, in ms: requests within it share it. After a failed one the next request looks again. */
const LOOK_EVERY_MS = 1_000
/** A check that takes longer has failed, in ms: probes of platforms wait about two seconds. */
const LOOK_MS_MAX = 1_500
/** TTL of a look at the chain, in ms: with the time that a look may take, it is noticed within five seconds. */
const CHAIN_EVERY_MS = 2_000

/** Checks without which no paid call can be served; each rejects if it fails. */
const REQUIRED = {
  database: 'The database is unreachable, read-only or refuses writes.',
  migrations: 'Migrations are missing in the database.',
  clock: 'The clocks of this gateway and its database are too far apart.',
} as const
type Required = keyof typeof REQUIRED

/** Outcome of a look. `why` is null if paid calls can be served. */
export type Look = {
  readonly checks: Readonly<Record<Required | 'chain', boolean>>
  readonly why: string | null
}

/**
 * Returns a function that says whether this gateway can serve paid calls, from a look at most a second old. Concurrent
 * callers share a look, so their number costs nothing; each change of the outcome is logged once.
 *
 * The chain is reported only: paid calls go on without it. It is looked at in the background, at most every two
 * seconds.
 */
export function createReadiness(deps: {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly log: Log
  readonly required: Readonly<Record<Required, () => Promise<unknown>>>
  readonly chain: () => Promise<unknown>
}): () => Promise<Look> {
  const { clock, log, required } = deps
  const flights = createFlights<Required, Error | null>()
  let chain = true
  let failing = ''
  const lookAtChain = cached(clock, CHAIN_EVERY_MS, async () => {
    chain = (await inTime(failureOf(deps.chain))) === null
  })
  const look = async (): Promise<Look> => {
    const names = Object.keys(REQUIRED) as Required[]
    const errors = await Promise.all(
      names.map(name => inTime(flights.join(name, () => failureOf(required[name])))),
    )
    const failed = names.filter((_, index) => errors[index] !== null)
    if (failed.join() !== failing) {
      failing = failed.join()
      const err = errors.find(error => error !== null)
      if (failing === '') log.info({}, 'ready for paid calls again')
      else log.warn({ failed, err }, 'not ready for paid calls')
    }
    const is = (name: Required) => !failed.includes(name)
    return {
      checks: { database: is('database'), migrations: is('migrations'), clock: is('clock'), chain },
      why: reasonOf(failed),
    }
  }
  let good: { readonly at: number } | null = null
  const lookOnce = createFlights<'look', Look>()
  return async () => {
    void lookAtChain()
    if (good === null || clock.elapsed() - good.at >= LOOK_EVERY_MS) {
      const seen = await lookOnce.join('look', look)
      good = seen.why === null ? { at: clock.elapsed() } : null
      return seen
    }
    return { checks: { database: true, migrations: true, clock: true, chain }, why: null }
  }
}

/** A database that cannot be asked is the one reason: nothing is known of what it holds. */
function reasonOf(failed: readonly Required[]): string | null {
  if (failed.length === 0) return null
  return failed.includes('database') ? REQUIRED.database : failed.map(name => REQUIRED[name]).join(' ')
}

function failureOf(check: () => Promise<unknown>): Promise<Error | null> {
  return check().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
}

/** A check that is late has failed; it is not started again before it has ended. */
async function inTime(checked: Promise<Error | null>): Promise<Error | null> {
  const outcome = await within(LOOK_MS_MAX, checked)
  return outcome === 'late' ? new Error(`No answer within ${LOOK_MS_MAX} ms.`) : outcome
}
