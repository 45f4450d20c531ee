import { LRUCache } from 'lru-cache'
import type { Deps } from '../../ports.ts'
import { clientOf, limitBy, type RateLimitPolicy, type RateState } from './rate-limit.ts'

const CLIENTS_TRACKED_MAX = 100_000
/**
 * Part of a quota that one gateway admits before it tells the others: so over all gateways a client gets its quota, and
 * at most this part of it more at each of them. A client that asks less than that costs the database nothing.
 */
const UNREPORTED_SHARE = 0.1

/** What a gateway knows of a client. `admitted` requests are not in the database yet; up to `allowance` may be. */
type Account = {
  admitted: number
  allowance: number
  /** What was left by the newest report, and when (Unix ms). */
  level: number
  at: number
  reporting: Promise<void> | null
}

type LimitDeps = Pick<Deps, 'clientRates' | 'clock' | 'secretBox'>

/**
 * A limit per client address for public routes, over all gateways, as a Fastify hook.
 *
 * @throws GatewayError RATE_LIMITED; UNAVAILABLE when the database does not answer
 */
export function limitPublic(deps: LimitDeps, policy: RateLimitPolicy) {
  return limitBy(createSharedLimiter(deps, policy), request => clientOf(request.ip))
}

/** Counts requests by whoever makes them, over all gateways: token buckets in the database, drawn on in shares. */
function createSharedLimiter({ clientRates, clock, secretBox }: LimitDeps, policy: RateLimitPolicy) {
  const { name, quota, windowSeconds } = policy
  const perMs = quota / (windowSeconds * 1_000)
  const share = Math.max(1, Math.floor(quota * UNREPORTED_SHARE))
  const accounts = new LRUCache<string, Account>({ maxSize: CLIENTS_TRACKED_MAX, sizeCalculation: () => 1 })

  const levelOf = (account: Account) =>
    Math.min(quota, account.level + Math.max(0, clock.now() - account.at) * perMs) - account.admitted

  async function report(account: Account, key: string): Promise<void> {
    const used = account.admitted
    const at = clock.now()
    const client = secretBox.digest(key, 'client rate')
    const level = await clientRates.draw({
      policy: name,
      client,
      used,
      quota,
      perSecond: perMs * 1_000,
      at: new Date(at),
    })
    Object.assign(account, {
      level,
      at,
      admitted: account.admitted - used,
      allowance: Math.min(share, level),
    })
  }

  return {
    policy,
    async take(key: string): Promise<RateState> {
      const account = accounts.get(key) ?? newAccount()
      accounts.set(key, account)
      const isIn = () => account.admitted + 1 <= account.allowance
      // Who was refused comes back to a share, not to a single request: that would be a write for each.
      const needed = () => (account.allowance < 1 ? share : 1)
      // Each report lets somebody in or refuses all who wait for it, so nobody waits for more than a quota of them.
      while (!isIn() && levelOf(account) >= needed()) {
        account.reporting ??= report(account, key).finally(() => {
          account.reporting = null
        })
        await account.reporting
      }
      const isAdmitted = isIn()
      if (isAdmitted) account.admitted += 1
      else account.allowance = 0
      const left = levelOf(account)
      const secondsUntil = (level: number) => Math.ceil((level - left) / perMs / 1_000)
      return {
        isAdmitted,
        remaining: isAdmitted ? Math.floor(left) : 0,
        resetSeconds: secondsUntil(quota),
        retryAfterSeconds: isAdmitted ? 0 : secondsUntil(share),
      }
    },
  }

  function newAccount(): Account {
    return { admitted: 0, allowance: share, level: quota, at: clock.now(), reporting: null }
  }
}
