import type { SecretBox } from '../../ports.ts'
import type { SigningSecret } from '../../upstream-ports.ts'
import { openSigningSecret } from '../signing/current-secret.ts'
import type { ServiceRow } from './store.ts'

/**
 * Opens the secret that requests to a service are signed with; null when the gateway's Ed25519 key signs them.
 *
 * @throws Error when the service asks for a secret and its owner has none: never signed by the other algorithm instead
 */
export function openServiceSecret(
  secretBox: SecretBox,
  { id, signature, signingSecret }: Pick<ServiceRow, 'id' | 'signature' | 'signingSecret'>,
): SigningSecret | null {
  if (signature === 'ed25519') return null
  if (signingSecret === null) throw new Error(`The owner of ${id} has no signing secret.`)
  return openSigningSecret(secretBox, signingSecret)
}
