import { hash } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { isTokenShaped } from '@farebox/wire/tokens'
import { LRUCache } from 'lru-cache'
import type { Clock, Deps } from '../../ports.ts'
import { findTokenHolder } from './store.ts'

/** Longest time for which an answer of the database is taken again, in ms. */
export const AGENT_CACHE_AGE_MS_MAX = 2_000
const AGENTS_CACHED_MAX = 20_000
const TOKEN_LENGTH_MAX = 100
const TOKEN_PREFIX = 'agt'
const BEARER = /^bearer +/i

/** An authenticated agent credential. `owner` is the lower-case wallet that pays; `rpm` is calls per minute. */
export type Agent = {
  readonly credentialId: string
  readonly owner: string
  readonly name: string
  /** Service ids and agentToolNames it may call; null: all. */
  readonly allowedServices: ReadonlySet<string> | null
  readonly rpm: number
  /** Most that one call may cost, in micro-USDC; null: no cap. */
  readonly maxCostPerCall: Usdc | null
  /** SHA-256 of the token that was shown. */
  readonly tokenDigest: Buffer
}

/** Tells who calls by the agent credential in the headers. */
export type AgentGuard = {
  /**
   * Finds the credential of a request. Its answer may be {@link AGENT_CACHE_AGE_MS_MAX} old: whatever moves money
   * checks token, status and limits again under the row lock, so the cache saves work and decides nothing.
   *
   * @param headers of the request, names in lower case: `X-Credential`, `X-Agent-Credential`,
   *   `Authorization: Bearer agt_...` or `X-Api-Key`, in this order; the first that is there counts
   * @throws GatewayError CREDENTIAL_INVALID (absent, malformed, unknown or deleted), CREDENTIAL_INACTIVE (revoked or
   *   expired), WALLET_SUSPENDED
   */
  authenticate(headers: Readonly<Record<string, unknown>>): Promise<Agent>
  /** Drops what this process remembers of a credential. To be called after a change of it is committed. */
  forget(credentialId: string): void
}

type Remembered = { readonly agent: Agent; readonly from: number; readonly until: number }

/** Makes the guard of this process. */
export function createAgentGuard(deps: Pick<Deps, 'db'> & { clock: Pick<Clock, 'now'> }): AgentGuard {
  const { db, clock } = deps
  // Keyed by the digest, never the token: comparison is by digest alone, and no token is kept in memory.
  const remembered = new LRUCache<string, Remembered>({ max: AGENTS_CACHED_MAX })
  const running = new Map<string, Promise<Agent>>()
  let changes = 0

  const lookUp = async (digest: string): Promise<Agent> => {
    const from = clock.now()
    const changesBefore = changes
    const tokenDigest = Buffer.from(digest, 'base64')
    const holder = await findTokenHolder(db, tokenDigest)
    if (holder === undefined || holder.status === 'deleted') throw new GatewayError('CREDENTIAL_INVALID')
    if (holder.status === 'revoked' || holder.isExpired) throw new GatewayError('CREDENTIAL_INACTIVE')
    if (holder.isSuspended) throw new GatewayError('WALLET_SUSPENDED')
    const agent: Agent = Object.freeze({
      credentialId: holder.id,
      owner: holder.owner,
      name: holder.name,
      allowedServices: holder.allowedServices === null ? null : new Set(holder.allowedServices),
      rpm: holder.rpm,
      maxCostPerCall: holder.maxCostPerCall,
      tokenDigest,
    })
    // A row that was read before a change must not be remembered after it.
    if (changes === changesBefore) {
      const until = from + Math.min(AGENT_CACHE_AGE_MS_MAX, holder.lastsMs ?? AGENT_CACHE_AGE_MS_MAX)
      remembered.set(digest, { agent, from, until })
    }
    return agent
  }

  return {
    async authenticate(headers) {
      const token = tokenOf(headers)
      if (token === null) throw new GatewayError('CREDENTIAL_INVALID')
      const digest = hash('sha256', token, 'base64')
      const known = remembered.get(digest)
      if (known !== undefined) {
        const at = clock.now()
        // `from` guards against a clock that was set back.
        if (at >= known.from && at < known.until) return known.agent
      }
      const joined = running.get(digest)
      if (joined !== undefined) return joined
      if (!isTokenShaped(TOKEN_PREFIX, token)) throw new GatewayError('CREDENTIAL_INVALID')
      const own = lookUp(digest).finally(() => {
        if (running.get(digest) === own) running.delete(digest)
      })
      running.set(digest, own)
      return own
    },
    forget(credentialId) {
      changes += 1
      running.clear()
      const digests = [...remembered.entries()].flatMap(([digest, { agent }]) =>
        agent.credentialId === credentialId ? [digest] : [],
      )
      for (const digest of digests) remembered.delete(digest)
    },
  }
}

/**
 * The token of a request, from the first header that may carry one. A bearer token of another kind (a wallet
 * session) is none.
 */
function tokenOf(headers: Readonly<Record<string, unknown>>): string | null {
  const token =
    headers['x-credential'] ?? headers['x-agent-credential'] ?? bearerOf(headers) ?? headers['x-api-key']
  return typeof token === 'string' && token.length <= TOKEN_LENGTH_MAX ? token : null
}

function bearerOf({ authorization }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof authorization !== 'string') return undefined
  const token = authorization.replace(BEARER, '')
  return token !== authorization && token.startsWith(`${TOKEN_PREFIX}_`) ? token : undefined
}
