import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import type { PublishedKey } from '@farebox/wire/operations'
import { calculateJwkThumbprint } from 'jose'
import { ConfigError } from '../../config.ts'
import type { Deps } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import type { SigningKey } from '../../upstream-ports.ts'
import { believedUntil, nextTurn, type Schedule, scheduleOf, signingAt, type Turn } from './rules.ts'
import { deleteReplaced, insertKey, type KeptKey, readKeys } from './store.ts'

/** Overlaps are hours, so keys made by other gateways are known long before they sign. */
const REFRESH_INTERVAL_MS = 60_000

/** Signing keys of all gateways on this database. */
export type KeyRing = {
  /** Returns the key that signs now. */
  current(): SigningKey
  /** Returns the public keys that sign, will sign soon, or signed recently. */
  published(): PublishedKey[]
  /** Returns true if one of the published keys made a signature of these bytes. */
  verifies(keyId: string, bytes: Buffer, signature: Buffer): boolean
  /** Reads the keys again, creates the next one when it is due, and deletes outdated ones. */
  refresh(): Promise<void>
}

type KeyRingDeps = Pick<Deps, 'db' | 'secretBox' | 'clock' | 'config'>
type OpenKey = Turn & {
  readonly publicKey: string
  readonly verifying: KeyObject
  readonly signing: SigningKey
}

/**
 * Opens the keys that sign requests to providers. Creates the first one in an empty database.
 *
 * @throws ConfigError when a key was encrypted with another ENCRYPTION_KEY; GatewayError UNAVAILABLE without a database
 */
export async function openKeyRing(deps: KeyRingDeps): Promise<KeyRing> {
  const { clock } = deps
  const schedule = scheduleOf(deps.config)
  let keys = await load(deps, schedule)

  return {
    current: () => signingAt(keys, clock.now()).signing,
    published() {
      return keys.flatMap((key, index) => {
        const until = believedUntil(keys, index, schedule)
        return until > clock.now() ? [publish(key, until)] : []
      })
    },
    verifies(keyId, bytes, signature) {
      const key = keys.find(({ signing }) => signing.id === keyId)
      return key !== undefined && verify(null, bytes, key.verifying, signature)
    },
    async refresh() {
      keys = await load(deps, schedule)
    },
  }
}

/** Returns the job that refreshes and rotates keys. */
export function keyRingJobs(ring: Pick<KeyRing, 'refresh'>): Job[] {
  return [{ name: 'rotate-signing-keys', everyMs: REFRESH_INTERVAL_MS, run: () => ring.refresh() }]
}

async function load(deps: KeyRingDeps, schedule: Schedule): Promise<[OpenKey, ...OpenKey[]]> {
  const { db, clock } = deps
  await deleteReplaced(db, clock.now() - schedule.overlapMs)
  const due = nextTurn(await readKeys(db), clock.now(), schedule)
  if (due !== null) await insertKey(db, await makeKey(deps, due))
  // Read again in any case, as only one of the keys of concurrent gateways is stored.
  const [first, ...more] = (await readKeys(db)).map(kept => open(deps, kept))
  if (first === undefined) throw new Error('No signing key was stored.')
  return [first, ...more]
}

async function makeKey({ secretBox }: KeyRingDeps, turn: Turn): Promise<KeptKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('The Ed25519 key has no x.')
  const id = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { ...turn, id, publicKey: x, sealedPrivateKey: secretBox.seal(pem, id) }
}

function open({ secretBox }: KeyRingDeps, kept: KeptKey): OpenKey {
  const { id, generation, signsFrom, publicKey } = kept
  let pem: string
  try {
    pem = secretBox.open(kept.sealedPrivateKey, id)
  } catch (cause) {
    throw new ConfigError('Configuration: ENCRYPTION_KEY is not the one that sealed the signing keys', {
      cause,
    })
  }
  const privateKey = createPrivateKey(pem)
  const verifying = createPublicKey(privateKey)
  return { generation, signsFrom, publicKey, verifying, signing: { id, privateKey } }
}

function publish({ signing, publicKey, signsFrom }: OpenKey, until: number): PublishedKey {
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    kid: signing.id,
    x: publicKey,
    use: 'sig',
    nbf: Math.floor(signsFrom / 1_000),
    exp: Math.ceil(until / 1_000),
  }
}
