import { hash } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { isTokenShaped } from '@farebox/wire/tokens'
import { LRUCache } from 'lru-cache'
import { createBatchLoader } from '../../batch-loader.ts'
import type { Clock, Deps } from '../../ports.ts'
import { findTokenHolders } from './store.ts'

/** Longest time for which an answer of the database is taken again, in ms. */
export const AGENT_CACHE_AGE_MS_MAX = 2_000
/** The same for a paid call, which the ledger decides on the credential as it is then. */
export const PAYER_CACHE_AGE_MS_MAX = 60_000
const AGENTS_CACHED_MAX = 20_000
/** Tokens that are looked up in one read, and reads in flight: one that hangs is not to hold up all callers. */
const READ_BOUNDS = { keysMax: 500, readsMax: 4 }
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
   * Finds the credential of a request. Its answer may be {@link AGENT_CACHE_AGE_MS_MAX} old.
   *
   * @param headers of the request, names in lower case: `X-Credential`, `X-Agent-Credential`,
   *   `Authorization: Bearer agt_...` or `X-Api-Key`, in this order; the first that is there counts
   * @throws GatewayError CREDENTIAL_INVALID (absent, malformed, unknown or deleted), CREDENTIAL_INACTIVE (revoked or
   *   expired), WALLET_SUSPENDED
   */
  authenticate(headers: Readonly<Record<string, unknown>>): Promise<Agent>
  /**
   * The same for a request that goes to the ledger whatever becomes of it. Its answer may be
   * {@link PAYER_CACHE_AGE_MS_MAX} old: the ledger checks token, status and limits again, so it saves work and decides
   * nothing. What the ledger does not know better, {@link authenticate} is to be asked for.
   */
  authenticatePayer(headers: Readonly<Record<string, unknown>>): Promise<Agent>
  /** Drops what this process remembers of a credential. To be called after a change of it is committed. */
  forget(credentialId: string): void
}

/** `until` is the end of the credential, or of the token that was rotated away. Unix milliseconds. */
type Remembered = { readonly agent: Agent; readonly from: number; readonly until: number }

/** Makes the guard of this process. */
export function createAgentGuard(deps: Pick<Deps, 'db'> & { clock: Pick<Clock, 'now'> }): AgentGuard {
  const { db, clock } = deps
  // Keyed by the digest, never the token: comparison is by digest alone, and no token is kept in memory.
  const remembered = new LRUCache<string, Remembered>({ max: AGENTS_CACHED_MAX })
  const running = new Map<string, Promise<Agent>>()
  let changes = 0
  const findHolder = createBatchLoader(async (digests: readonly string[]) => {
    const holders = await findTokenHolders(
      db,
      digests.map(digest => Buffer.from(digest, 'base64')),
    )
    return new Map(holders.map(holder => [holder.digest.toString('base64'), holder]))
  }, READ_BOUNDS)

  const lookUp = async (digest: string): Promise<Agent> => {
    const from = clock.now()
    const changesBefore = changes
    const holder = await findHolder(digest)
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
      // A copy of its own: the pool's slab, of which this is a piece, would stay in memory with it.
      tokenDigest: Buffer.alloc(holder.digest.length, holder.digest),
    })
    // A row that was read before a change must not be remembered after it.
    if (changes === changesBefore) {
      remembered.set(digest, { agent, from, until: from + (holder.lastsMs ?? Number.POSITIVE_INFINITY) })
    }
    return agent
  }

  const find = async (headers: Readonly<Record<string, unknown>>, ageMsMax: number): Promise<Agent> => {
    const token = tokenOf(headers)
    if (token === null) throw new GatewayError('CREDENTIAL_INVALID')
    const digest = hash('sha256', token, 'base64')
    const known = remembered.get(digest)
    if (known !== undefined) {
      const at = clock.now()
      // `from` guards against a clock that was set back.
      if (at >= known.from && at < Math.min(known.until, known.from + ageMsMax)) return known.agent
    }
    const joined = running.get(digest)
    if (joined !== undefined) return joined
    if (!isTokenShaped(TOKEN_PREFIX, token)) throw new GatewayError('CREDENTIAL_INVALID')
    const own = lookUp(digest).finally(() => {
      if (running.get(digest) === own) running.delete(digest)
    })
    running.set(digest, own)
    return own
  }

  return {
    authenticate: headers => find(headers, AGENT_CACHE_AGE_MS_MAX),
    authenticatePayer: headers => find(headers, PAYER_CACHE_AGE_MS_MAX),
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
