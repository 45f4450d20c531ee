import { hash } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { isTokenShaped } from '@farebox/wire/tokens'
import type { Clock, Deps } from '../../ports.ts'
import { createBatchLoader } from '../../runtime/batch-loader.ts'
import { createBoundedCache } from '../../runtime/bounded-cache.ts'
import { createFlights } from '../../runtime/cached.ts'
import { byKey } from '../../sql/by-key.ts'
import { findTokenHolders, type TokenHolder } from './store.ts'

/** Maximum age of a cached lookup, in ms. */
export const AGENT_CACHE_AGE_MS_MAX = 2_000
/** The same for paid calls, which the ledger checks again with the current credential. */
export const PAYER_CACHE_AGE_MS_MAX = 60_000
const AGENTS_CACHED_MAX = 20_000
/** Maximum number of tokens per query and of queries in flight; a query that hangs must not block all callers. */
const READ_BOUNDS = { keysMax: 500, readsMax: 4 }
const TOKEN_LENGTH_MAX = 100
const TOKEN_PREFIX = 'agt'
const BEARER = /^bearer +/i

/** An authenticated agent credential. `owner` is the lower-case wallet that pays; `rpm` is calls per minute. */
export type Agent = {
  readonly credentialId: string
  readonly owner: string
  readonly name: string
  /** Ids and agentToolNames of the allowed services; null: all. */
  readonly allowedServices: ReadonlySet<string> | null
  readonly rpm: number
  /** Maximum cost of one call, in micro-USDC; null: no cap. */
  readonly maxCostPerCall: Usdc | null
  /** SHA-256 of the request's token. */
  readonly tokenDigest: Buffer
}

/** Authenticates requests by the agent credential in their headers. */
export type AgentGuard = {
  /**
   * Returns the credential of a request. The result may be {@link AGENT_CACHE_AGE_MS_MAX} old.
   *
   * @param headers of the request, names in lower case: `X-Credential`, `X-Agent-Credential`,
   * `Authorization: Bearer agt_...` or `X-Api-Key`, in this order; the first one present counts
   * @throws GatewayError CREDENTIAL_INVALID (absent, malformed, unknown or deleted), CREDENTIAL_INACTIVE (revoked or
   * expired), WALLET_SUSPENDED
   */
  authenticate(headers: Readonly<Record<string, unknown>>): Promise<Agent>
  /**
   * Returns the credential of a request that will reach the ledger. The result may be {@link PAYER_CACHE_AGE_MS_MAX}
   * old, as the ledger checks token, status and limits again; this lookup only saves work. Use {@link authenticate} for
   * anything that the ledger does not check.
   */
  authenticatePayer(headers: Readonly<Record<string, unknown>>): Promise<Agent>
  /**
   * Removes a credential from the cache of this process. Call it after a change of the credential has been committed.
   */
  forget(credentialId: string): void
}

/** `until` is the expiry of the credential, or of its rotated token. Unix milliseconds. */
type Remembered = { readonly agent: Agent; readonly from: number; readonly until: number }

/** Creates the guard of this process. */
export function createAgentGuard(deps: Pick<Deps, 'db'> & { clock: Pick<Clock, 'now'> }): AgentGuard {
  const { db, clock } = deps
  // Keyed by digest, so that no token is kept in memory and tokens are compared by digest only.
  const remembered = createBoundedCache<string, Remembered>(AGENTS_CACHED_MAX)
  const flights = createFlights<string, Agent>()
  let changes = 0
  const findHolder = createBatchLoader(async (digests: readonly string[]) => {
    const holders = await findTokenHolders(
      byKey(db),
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
    const agent = agentOf(holder)
    // Do not cache a row that was read before a change.
    if (changes === changesBefore) {
      remembered.set(digest, { agent, from, until: from + (holder.lastsMs ?? Number.POSITIVE_INFINITY) })
    }
    return agent
  }

  const find = async (headers: Readonly<Record<string, unknown>>, ageMsMax: number): Promise<Agent> => {
    const token = tokenOf(headers)
    if (token === null) throw new GatewayError('CREDENTIAL_INVALID', {}, { message: NO_TOKEN })
    const digest = hash('sha256', token, 'base64')
    const known = remembered.get(digest)
    if (known !== undefined) {
      const at = clock.now()
      // `from` guards against a clock that was set back.
      if (at >= known.from && at < Math.min(known.until, known.from + ageMsMax)) return known.agent
    }
    if (!isTokenShaped(TOKEN_PREFIX, token))
      throw new GatewayError('CREDENTIAL_INVALID', {}, { message: MALFORMED_TOKEN })
    return flights.join(digest, lookUp)
  }

  return {
    authenticate: headers => find(headers, AGENT_CACHE_AGE_MS_MAX),
    authenticatePayer: headers => find(headers, PAYER_CACHE_AGE_MS_MAX),
    forget(credentialId) {
      changes += 1
      flights.forget()
      const digests = [...remembered.entries()].flatMap(([digest, { agent }]) =>
        agent.credentialId === credentialId ? [digest] : [],
      )
      for (const digest of digests) remembered.delete(digest)
    },
  }
}

function agentOf(holder: TokenHolder & { readonly digest: Buffer }): Agent {
  return Object.freeze({
    credentialId: holder.id,
    owner: holder.owner,
    name: holder.name,
    allowedServices: holder.allowedServices === null ? null : new Set(holder.allowedServices),
    rpm: holder.rpm,
    maxCostPerCall: holder.maxCostPerCall,
    // Copied, as the original is a slice of a pooled slab, which it would keep in memory.
    tokenDigest: Buffer.alloc(holder.digest.length, holder.digest),
  })
}

/** Returns whether a request carries a credential, valid or not; beside a wallet session, the credential counts. */
export function hasCredential(headers: Readonly<Record<string, unknown>>): boolean {
  return tokenOf(headers) !== null
}

/**
 * Returns the token of a request, from the first header that may carry one. Ignores bearer tokens of other kinds, such
 * as wallet sessions.
 */
function tokenOf(headers: Readonly<Record<string, unknown>>): string | null {
  const token =
    headers['x-credential'] ?? headers['x-agent-credential'] ?? bearerOf(headers) ?? headers['x-api-key']
  return typeof token === 'string' && token.length <= TOKEN_LENGTH_MAX ? token : null
}

const FORMS = 'Send X-Credential: agt_... or Authorization: Bearer agt_...'
const NO_TOKEN = `A valid agent credential is required. ${FORMS}`
const MALFORMED_TOKEN = `This is not an agent credential, or only a part of one. ${FORMS}`

function bearerOf({ authorization }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof authorization !== 'string') return undefined
  const token = authorization.replace(BEARER, '')
  return token !== authorization && token.startsWith(`${TOKEN_PREFIX}_`) ? token : undefined
}
