import { createPublicKey, type KeyObject } from 'node:crypto'
import { Refusal } from './refusal.ts'

const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory'
const DIRECTORY_TIMEOUT_MS = 5_000
const DIRECTORY_KEYS_MAX = 100
const DIRECTORY_BYTES_MAX = 262_144

/** URL of a gateway's keys, and how long they are cached. */
export type DirectoryOptions = {
  readonly gatewayUrl: string
  readonly cacheSeconds: number
  readonly refetchSeconds: number
  readonly skewSeconds: number
  /** Unix milliseconds. */
  readonly now: () => number
}

type DirectoryKey = { readonly key: KeyObject; readonly nbf: number; readonly exp: number }

/**
 * Returns a function that finds a published key of the gateway. The keys are fetched when they are first needed, when
 * they are older than `cacheSeconds`, or when a request names one that is not among them; never more often than every
 * `refetchSeconds`, so made-up key ids cost the gateway nothing. While it cannot be reached, known keys remain valid.
 *
 * @throws Refusal unknown_key, keys_unavailable (from the returned function)
 */
export function createKeyDirectory(options: DirectoryOptions): (keyId: string) => Promise<KeyObject> {
  const { now, skewSeconds } = options
  const url = options.gatewayUrl.replace(/\/$/, '') + DIRECTORY_PATH
  let keys: ReadonlyMap<string, DirectoryKey> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let fault: unknown = null
  let running: Promise<void> | null = null

  const refetch = async () => {
    triedAt = now()
    try {
      keys = await fetchKeys(url)
      fetchedAt = triedAt
      fault = null
    } catch (error) {
      fault = error
    } finally {
      running = null
    }
  }
  const find = (keyId: string) => {
    const seconds = now() / 1_000
    const found = keys.get(keyId)
    return found !== undefined && found.nbf <= seconds + skewSeconds && found.exp >= seconds - skewSeconds
      ? found.key
      : null
  }

  return async keyId => {
    const isWanted = find(keyId) === null || now() - fetchedAt > options.cacheSeconds * 1_000
    if (isWanted && (running !== null || now() - triedAt >= options.refetchSeconds * 1_000)) {
      running ??= refetch()
      await running
    }
    const key = find(keyId)
    if (key !== null) return key
    if (fault !== null) {
      throw new Refusal('keys_unavailable', 'The keys of the gateway cannot be fetched.', { cause: fault })
    }
    throw new Refusal('unknown_key', 'The gateway does not publish this key.')
  }
}

async function fetchKeys(url: string): Promise<Map<string, DirectoryKey>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(DIRECTORY_TIMEOUT_MS) })
  if (!response.ok) throw new Error(`The key directory answered ${response.status}.`)
  const text = await response.text()
  if (text.length > DIRECTORY_BYTES_MAX) throw new Error('The key directory is too large.')
  const { keys } = JSON.parse(text) as { keys: Record<string, unknown>[] }
  const read = new Map<string, DirectoryKey>()
  for (const { kty, crv, kid, x, nbf, exp } of keys.slice(0, DIRECTORY_KEYS_MAX)) {
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof kid !== 'string' || typeof x !== 'string') continue
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
    read.set(kid, {
      key,
      nbf: typeof nbf === 'number' ? nbf : Number.NEGATIVE_INFINITY,
      exp: typeof exp === 'number' ? exp : Number.POSITIVE_INFINITY,
    })
  }
  return read
}
