import type { Block, Log, Metrics } from '../../ports.ts'
import { openRpc, type Rpc, unavailable } from './chain-rpc.ts'

/** Endpoints that must agree on an answer, if there are that many. */
const WITNESSES = 2
/** Lag behind the highest endpoint that is reported, in blocks. */
const LAG_BLOCKS_MAX = 20n
/** Once enough endpoints reported their height, time for the others to report theirs, in ms. */
const HEAD_WAIT_MS = 500

/** A JSON-RPC endpoint. Only the host of its URL may be shown: paths contain keys. */
export type Endpoint = { readonly host: string; readonly rpc: Rpc }

/** Why an endpoint's answer was rejected. */
export type EndpointFault = 'failed' | 'differs' | 'behind'

/** Several endpoints of one chain, none of which is trusted alone. A single one must be. */
export type Quorum = {
  readonly endpoints: readonly Endpoint[]
  /**
   * Queries every endpoint, and returns the answer that two of them give.
   *
   * @param what names the query in the log
   * @throws GatewayError UNAVAILABLE if no two agree
   */
  agree<T>(what: string, ask: (rpc: Rpc) => Promise<T>): Promise<T>
  /**
   * Returns the first answer: for mere hints.
   *
   * @throws GatewayError UNAVAILABLE if no endpoint answers
   */
  any<T>(ask: (rpc: Rpc) => Promise<T>): Promise<T>
  /**
   * Returns the middle of the amounts that the endpoints name, the lower one of two: no single endpoint raises it.
   *
   * @param what names the query in the log
   * @throws GatewayError UNAVAILABLE if no endpoint answers
   */
  middle<Name extends string>(
    what: string,
    ask: (rpc: Rpc) => Promise<Readonly<Record<Name, bigint>>>,
  ): Promise<Readonly<Record<Name, bigint>>>
  /**
   * Returns the highest block that two endpoints have.
   *
   * @throws GatewayError UNAVAILABLE if no two agree on a block
   */
  head(read: {
    latest: (rpc: Rpc) => Promise<Block>
    at: (rpc: Rpc, number: bigint) => Promise<Block | null>
  }): Promise<Block>
}

type Answer<T> = { readonly endpoint: Endpoint; readonly value: T; readonly text: string }

/**
 * Creates a quorum of JSON-RPC endpoints. No network access. An endpoint that fails or differs is named by its host: in
 * the log when that starts and ends, in `farebox_chain_endpoint_faults_total` each time.
 *
 * @param options.timeoutMs maximum wait for one answer of an endpoint
 */
export function createQuorum(options: {
  urls: readonly string[]
  timeoutMs: number | undefined
  log: Log
  metrics: Pick<Metrics, 'count' | 'set'> | undefined
}): Quorum {
  const endpoints = options.urls.map(url => ({
    host: new URL(url).host,
    rpc: openRpc(url, options.timeoutMs),
  }))
  const [first] = endpoints
  if (first === undefined) throw new RangeError('A chain needs an endpoint.')
  const isAlone = endpoints.length === 1
  const report = createReport(options)

  return {
    endpoints,
    agree: (what, ask) => (isAlone ? ask(first.rpc) : askAll(endpoints, what, ask, report)),
    async any(ask) {
      try {
        return await Promise.any(endpoints.map(({ rpc }) => ask(rpc)))
      } catch (error) {
        throw error instanceof AggregateError ? error.errors[0] : error
      }
    },
    async middle(what, ask) {
      if (isAlone) return ask(first.rpc)
      const answers = await gather(endpoints, endpoint =>
        ask(endpoint.rpc).catch((error: unknown) => report(endpoint, what, 'failed', error)),
      )
      if (answers.length === 0) throw unavailable(new Error(`No endpoint answers ${what}.`))
      return middleOf(answers)
    },
    async head({ latest, at }) {
      const seenBy = async (endpoint: Endpoint) => {
        const block = await latest(endpoint.rpc)
        options.metrics?.set('farebox_chain_endpoint_block', { host: endpoint.host }, Number(block.number))
        return { endpoint, block }
      }
      if (isAlone) return (await seenBy(first)).block
      const seen = await gather(endpoints, endpoint =>
        seenBy(endpoint).catch((error: unknown) => report(endpoint, 'head', 'failed', error)),
      )
      const highest = seen.toSorted((a, b) => Number(b.block.number - a.block.number))
      const reached = highest[WITNESSES - 1]
      if (reached === undefined)
        throw unavailable(
          new Error(`${seen.length} of ${endpoints.length} endpoints answer; a block needs two.`),
        )
      const top = highest[0]?.block.number ?? 0n
      for (const { endpoint, block } of seen)
        report(endpoint, 'head', top - block.number > LAG_BLOCKS_MAX ? 'behind' : null)
      const block = await askAll(endpoints, 'block', rpc => at(rpc, reached.block.number), report)
      if (block === null)
        throw unavailable(new Error(`No two endpoints have the block ${reached.block.number}.`))
      return block
    },
  }
}

/** Asks all endpoints; resolves with the first answer that two of them give, and reports those that gave another. */
function askAll<T>(
  endpoints: readonly Endpoint[],
  what: string,
  ask: (rpc: Rpc) => Promise<T>,
  report: Report,
): Promise<T> {
  const answers: Answer<T>[] = []
  const failures: { endpoint: Endpoint; error: unknown }[] = []
  return new Promise<T>((resolve, reject) => {
    const asked = endpoints.map(async endpoint => {
      try {
        const value = await ask(endpoint.rpc)
        const answer = { endpoint, value, text: textOf(value) }
        if (answers.some(({ text }) => text === answer.text)) resolve(value)
        answers.push(answer)
      } catch (error) {
        failures.push({ endpoint, error })
      }
    })
    Promise.all(asked).then(() => {
      const agreed = findAgreed(answers)
      for (const { endpoint, text } of answers) report(endpoint, what, faultOf(text, agreed))
      for (const { endpoint, error } of failures) report(endpoint, what, 'failed', error)
      reject(answers.length === 0 ? failures[0]?.error : disagreement(what, answers))
    }, reject)
  })
}

type Report = ReturnType<typeof createReport>

/** Reports faults: in the metric each time, in the log when an endpoint starts and stops failing a query. */
function createReport({ log, metrics }: { log: Log; metrics: Pick<Metrics, 'count'> | undefined }) {
  const faulty = new Map<string, EndpointFault>()
  return ({ host }: Endpoint, what: string, fault: EndpointFault | null, error?: unknown): null => {
    const key = `${host} ${what}`
    const before = faulty.get(key) ?? null
    if (fault !== null) metrics?.count('farebox_chain_endpoint_faults_total', { host, fault })
    if (fault === before) return null
    if (fault === null) {
      faulty.delete(key)
      log.info({ host, what }, 'a chain endpoint agrees with the others again')
    } else {
      faulty.set(key, fault)
      log.warn(
        { host, what, fault, ...(error === undefined ? {} : { err: error }) },
        'a chain endpoint is not counted',
      )
    }
    return null
  }
}

/** Waits for all answers; once there are enough, only a little longer. */
async function gather<T>(
  endpoints: readonly Endpoint[],
  ask: (endpoint: Endpoint) => Promise<T | null>,
): Promise<T[]> {
  const answers: T[] = []
  const enough = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const all = Promise.all(
    endpoints.map(async endpoint => {
      const answer = await ask(endpoint)
      if (answer === null) return
      answers.push(answer)
      if (answers.length === WITNESSES) timer = setTimeout(enough.resolve, HEAD_WAIT_MS)
    }),
  )
  await Promise.race([all, enough.promise])
  clearTimeout(timer)
  return [...answers]
}

/** Returns the middle of each amount, the lower one of two. */
function middleOf<Name extends string>(
  answers: readonly Readonly<Record<Name, bigint>>[],
): Readonly<Record<Name, bigint>> {
  const [one] = answers
  const names = Object.keys(one ?? {}) as Name[]
  const middles = names.map(name => {
    const sorted = answers.map(answer => answer[name]).sort((a, b) => (a < b ? -1 : 1))
    return [name, sorted[(sorted.length - 1) >> 1]]
  })
  return Object.fromEntries(middles) as Record<Name, bigint>
}

/** The answer of enough endpoints, as text. */
function findAgreed(answers: readonly Answer<unknown>[]): string | undefined {
  return answers.find(({ text }) => answers.filter(other => other.text === text).length >= WITNESSES)?.text
}

/** Without agreement it is unknown which one is wrong, so each is named. */
function faultOf(text: string, agreed: string | undefined): EndpointFault | null {
  if (text === agreed) return null
  return text === NOTHING && agreed !== undefined ? 'behind' : 'differs'
}

const NOTHING = 'null'

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part)) ?? NOTHING
}

function disagreement(what: string, answers: readonly Answer<unknown>[]) {
  const hosts = answers.map(({ endpoint }) => endpoint.host).join(', ')
  return unavailable(new Error(`No two endpoints agree on ${what}; answers came from ${hosts}.`))
}
