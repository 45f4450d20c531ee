import type { ShownSigningSecret } from '@farebox/wire/signing-secrets'
import type { SecretRow } from './secret-rules.ts'

/** Formats a signing secret for a response, without its text. */
export function presentSecret({ id, signsFrom, createdAt }: SecretRow): ShownSigningSecret {
  return { keyId: id, signsFrom: signsFrom.toISOString(), createdAt: createdAt.toISOString() }
}
