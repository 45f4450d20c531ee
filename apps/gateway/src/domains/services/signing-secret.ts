import type { SecretBox } from '../../ports.ts'
import type { SigningSecret } from '../../upstream-ports.ts'
import { openSigningSecret } from '../signing/current-secret.ts'
import type { ServiceRow } from './store.ts'

/**
 * Decrypts the secret that signs requests to a service; null if the gateway's Ed25519 key signs them.
 *
 * @throws Error if the service requires a secret and its owner has none: never falls back to the other algorithm
 */
export function openServiceSecret(
  secretBox: SecretBox,
  { id, signature, signingSecret }: Pick<ServiceRow, 'id' | 'signature' | 'signingSecret'>,
): SigningSecret | null {
  if (signature === 'ed25519') return null
  if (signingSecret === null) throw new Error(`The owner of ${id} has no signing secret.`)
  return openSigningSecret(secretBox, signingSecret)
}
