import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'

const FILE = 'secrets.json'
const KEY_BYTES = 32
const SUFFIX_CHARS = 12

/** Secrets of a development gateway: 32 random bytes in hex each; the keys of chain accounts begin with 0x. */
export type Secrets = {
  readonly jwtSecret: string
  readonly encryptionKey: string
  readonly ticketSignerKey: Hex
  readonly sampleProviderKey: Hex
}

/**
 * Returns the secrets of a data directory: created at the first start, readable by their owner only, and stable. Two
 * gateways that start at once get the same ones.
 */
export async function readOrMakeSecrets(directory: string): Promise<Secrets> {
  const file = join(directory, FILE)
  const kept = await readSecrets(file)
  if (kept !== null) return kept
  const fresh = `${file}.${randomHex().slice(0, SUFFIX_CHARS)}`
  const secrets: Secrets = {
    jwtSecret: randomHex(),
    encryptionKey: randomHex(),
    ticketSignerKey: `0x${randomHex()}`,
    sampleProviderKey: `0x${randomHex()}`,
  }
  await writeFile(fresh, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  try {
    await link(fresh, file) // unlike a rename, never in place of one that is there
    return secrets
  } catch (error) {
    const theirs = await readSecrets(file)
    if (theirs === null) throw error
    return theirs
  } finally {
    await rm(fresh)
  }
}

async function readSecrets(file: string): Promise<Secrets | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : (JSON.parse(text) as Secrets)
}

const randomHex = () => randomBytes(KEY_BYTES).toString('hex')
