import { createSecretKey } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import type { SecretBox } from '../../ports.ts'
import type { SigningSecret } from '../../upstream-ports.ts'
import { keyBytesOf } from './secret-rules.ts'

/** A signing secret as stored, encrypted with its id as context. */
export type SealedSecret = { readonly id: string; readonly sealed: string }

/**
 * Orders `signing_secrets` of one owner, starting with the one that signs now: the newest whose start has passed. If
 * none has started, the earliest one signs, as the clock of a database after a failover may be behind.
 */
export const bySignsFirst: Sql = sql`
  signs_from <= clock_timestamp() desc, abs(extract(epoch from signs_from - clock_timestamp())), id desc`

/** Returns a scalar subquery for the {@link SealedSecret} that signs for an owner now, as JSON; null if none. */
export const sealedSecretOf = (owner: Sql): Sql => sql`(
  select json_build_object('id', id, 'sealed', sealed) from signing_secrets where owner = ${owner}
  order by ${bySignsFirst} limit 1)`

/**
 * Decrypts a secret for signing. Cache the result: an HMAC with a key object takes a sixth of the time of one with
 * bytes (ADR 0014).
 */
export function openSigningSecret(secretBox: SecretBox, { id, sealed }: SealedSecret): SigningSecret {
  return { id, key: createSecretKey(keyBytesOf(secretBox.open(sealed, id))) }
}
