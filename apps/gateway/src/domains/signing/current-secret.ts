import { createSecretKey } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import type { SecretBox, SigningSecret } from '../../ports.ts'
import { keyBytesOf } from './secret-rules.ts'

/** A signing secret as it is kept, sealed with its id as context. */
export type SealedSecret = { readonly id: string; readonly sealed: string }

/**
 * Orders `signing_secrets` of one owner: first the one that signs now, the newest whose time has come. Before the first
 * time it is the first all the same: the clock of a database that took over may be behind.
 */
export const bySignsFirst: Sql = sql`
  signs_from <= clock_timestamp() desc, abs(extract(epoch from signs_from - clock_timestamp())), id desc`

/** Returns a scalar subquery: the {@link SealedSecret} that signs for an owner now, as JSON; null without one. */
export const sealedSecretOf = (owner: Sql): Sql => sql`(
  select json_build_object('id', id, 'sealed', sealed) from signing_secrets where owner = ${owner}
  order by ${bySignsFirst} limit 1)`

/** Opens a secret for signing. Made once and kept: an HMAC by a key object takes a sixth of one by bytes (ADR 0014). */
export function openSigningSecret(secretBox: SecretBox, { id, sealed }: SealedSecret): SigningSecret {
  return { id, key: createSecretKey(keyBytesOf(secretBox.open(sealed, id))) }
}
