import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, usdc } from '@farebox/money'
import type { TestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import { type Caller, INVOKE, openCaller } from '../kit/caller.ts'
import { deposit, type Market, type Owner, PRICE } from './market.ts'

/** Pauses of a caller between two calls, and before a retry, in ms. */
const REST_MS = 20
const RETRY_MS = 100
/** Amount of a deposit in micro-USDC, and the pause before the next, in ms; owners deposit in turn. */
const DEPOSIT = usdc(1_000_000n)
const DEPOSIT_REST_MS = 500
/** A call without a final answer after this time, in ms, is lost. */
const PATIENCE_MS = 120_000

/** A call with a final answer: it was charged, or failed and will not be charged. */
export type Acknowledged = {
  readonly key: string
  readonly owner: Owner
  readonly body: string
  readonly status: number
  readonly text: string
  /** By this process's monotonic clock, in ms: the first try, and the answer. */
  readonly sentAt: number
  readonly answeredAt: number
  /** Index of the gateway that answered. */
  readonly gateway: number
}

/** Calls without end. */
export type Load = {
  /** Calls with a final answer, in the order of the answers. */
  readonly acknowledged: readonly Acknowledged[]
  /** Deposits that were credited so far. */
  deposits(): number
  /** Answers that no client should see. */
  readonly troubles: readonly string[]
  /**
   * Makes one new call at each gateway, and retries there until it has a final answer.
   *
   * @returns when they were answered, by the index of the gateway, in ms of this process's clock
   */
  probe(): Promise<readonly number[]>
  /** Lets every call under way come to its end, and rests until `go`. */
  pause(): Promise<void>
  go(): void
}

/** Codes after which a call is retried with its key: its outcome is not known yet. */
const AGAIN = new Set(['UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED'])

/**
 * Starts callers. Each has one call in flight; a call without a final answer is retried with the same key, at the next
 * gateway, as by an agent behind a balancer.
 */
export function startLoad(
  on: { urls: readonly string[]; market: Market; chain: TestChain; undo: AsyncDisposableStack },
  callers: number,
): Load {
  const acknowledged: Acknowledged[] = []
  const troubles: string[] = []
  let isPaused = true
  let credited = 0
  let lanes: Promise<void>[] = []

  const lane = async (index: number) => {
    const lines = on.urls.map(url => openCaller(url))
    for (let turn = index; !isPaused; turn += 1) {
      const owner = on.market.owners[turn % on.market.owners.length]
      if (owner === undefined) throw new Error('The market has no owners.')
      const outcome = await callUntilKnown(
        lines,
        { owner, serviceId: on.market.serviceId, first: turn },
        troubles,
      )
      if (outcome !== null) acknowledged.push(outcome)
      await delay(REST_MS)
    }
    await Promise.all(lines.map(line => line.close()))
  }
  const deposits = async () => {
    for (let turn = 0; !isPaused; turn += 1) {
      const owner = on.market.owners[turn % on.market.owners.length]
      if (owner !== undefined) await deposit(on.urls, on.chain, owner, DEPOSIT)
      credited += 1
      await delay(DEPOSIT_REST_MS)
    }
  }
  const pause = async () => {
    isPaused = true
    await Promise.all(lanes)
  }
  on.undo.defer(pause)
  return {
    acknowledged,
    deposits: () => credited,
    troubles,
    async probe() {
      const [owner] = on.market.owners
      if (owner === undefined) throw new Error('The market has no owners.')
      return Promise.all(
        on.urls.map(async (url, gateway) => {
          const line = openCaller(url)
          const call = { owner, serviceId: on.market.serviceId, first: 0 }
          const outcome = await callUntilKnown([line], call, troubles)
          await line.close()
          if (outcome !== null) acknowledged.push({ ...outcome, gateway })
          return outcome?.answeredAt ?? Number.POSITIVE_INFINITY
        }),
      )
    },
    pause,
    go() {
      isPaused = false
      lanes = [deposits(), ...Array.from({ length: callers }, (_, index) => lane(index))]
    },
  }
}

async function callUntilKnown(
  lines: readonly Caller[],
  call: { owner: Owner; serviceId: string; first: number },
  troubles: string[],
): Promise<Acknowledged | null> {
  const { owner, serviceId, first } = call
  const key = randomUUID()
  const body = JSON.stringify({
    serviceId,
    idempotencyKey: key,
    costUsdc: formatUsdc(PRICE),
    payload: { body: { number: key } },
  })
  const sentAt = performance.now()
  for (let turn = first; performance.now() - sentAt < PATIENCE_MS; turn += 1) {
    const gateway = turn % lines.length
    // A call whose answer is lost with its connection is one to ask again for.
    const answer = await askOnce(lines[gateway], { owner, body }).catch(() => null)
    if (answer !== null) {
      const code = answer.status === 200 ? null : codeOf(answer.text)
      if (code === null || !AGAIN.has(code)) {
        const isKnown = code === null || code === 'GATEWAY_INTERRUPTED'
        if (isKnown) return { key, owner, body, ...answer, sentAt, answeredAt: performance.now(), gateway }
        troubles.push(`${answer.status} ${answer.text.slice(0, 200)}`)
      }
    }
    await delay(RETRY_MS)
  }
  troubles.push(`the call ${key} had no final answer`)
  return null
}

/** Asks once for a call. @throws Error when no whole answer came */
export async function askOnce(
  line: Caller | undefined,
  { owner, body }: Pick<Acknowledged, 'owner' | 'body'>,
): Promise<{ status: number; text: string; isReplayed: boolean }> {
  if (line === undefined) throw new Error('There is no such gateway.')
  const {
    status,
    text,
    isReplayed = false,
  } = await line.post({ path: INVOKE, credential: owner.credential, body })
  return { status, text, isReplayed }
}

function codeOf(text: string): string {
  return (JSON.parse(text) as { code?: string }).code ?? 'no code'
}
