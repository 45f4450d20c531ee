import type { Deps } from '../../ports.ts'
import { createBoundedCache } from '../../runtime/bounded-cache.ts'
import { clientOf, limitBy, type RateLimitPolicy, type RateState } from './rate-limit.ts'

const CLIENTS_TRACKED_MAX = 100_000
/**
 * Share of a quota that one gateway admits before it updates the database. Over all gateways a client gets its quota,
 * and at most this share more at each. A client below it costs no database access.
 */
const UNREPORTED_SHARE = 0.1

/** Local state of a client. `admitted` requests are not in the database yet; up to `allowance` may be admitted. */
type Account = {
  admitted: number
  allowance: number
  /** Remaining requests at the newest update, and its time (Unix ms). */
  level: number
  at: number
  reporting: Promise<void> | null
}

type LimitDeps = Pick<Deps, 'clientRates' | 'clock' | 'secretBox'>

/**
 * Returns a Fastify hook that limits public routes per client address over all gateways.
 *
 * @throws GatewayError RATE_LIMITED; UNAVAILABLE if the database does not answer
 */
export function limitPublic(deps: LimitDeps, policy: RateLimitPolicy) {
  return limitBy(createSharedLimiter(deps, policy), request => clientOf(request.ip))
}

/** Counts requests by client over all gateways: token buckets in the database, drawn on in shares. */
function createSharedLimiter({ clientRates, clock, secretBox }: LimitDeps, policy: RateLimitPolicy) {
  const { name, quota, windowSeconds } = policy
  const perMs = quota / (windowSeconds * 1_000)
  const share = Math.max(1, Math.floor(quota * UNREPORTED_SHARE))
  const accounts = createBoundedCache<string, Account>(CLIENTS_TRACKED_MAX)

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
      // The database's clock was set back: the wait would be as long as the step.
      account.at = Math.min(account.at, clock.now())
      accounts.set(key, account)
      const isIn = () => account.admitted + 1 <= account.allowance
      // A refused client retries for a whole share, not a single request: that would be one write each.
      const needed = () => (account.allowance < 1 ? share : 1)
      // Each update admits or refuses all its waiters, so the wait is bounded by the quota.
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
