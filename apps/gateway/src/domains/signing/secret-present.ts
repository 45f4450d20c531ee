import type { ShownSigningSecret } from '@farebox/wire/signing-secrets'
import type { SecretRow } from './secret-rules.ts'

/** Returns a signing secret as the wire shows it, without its text. */
export function presentSecret({ id, signsFrom, createdAt }: SecretRow): ShownSigningSecret {
  return { keyId: id, signsFrom: signsFrom.toISOString(), createdAt: createdAt.toISOString() }
}
