import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { SecretBox } from '../ports.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'
const DIGEST_KEY_BYTES = 32
/** Names the use of the derived key (HKDF, RFC 5869): no key has two uses. */
const DIGEST_KEY_INFO = 'farebox digests v1'

/**
 * Encrypts secrets at rest: AES-256-GCM with a random nonce each (NIST SP 800-38D). The context, such as the id of the
 * record, is authenticated, so a ciphertext moved to another record does not decrypt. Digests use their own key,
 * derived from the same.
 *
 * @param key 32 bytes in hex, with or without 0x
 */
export function createSecretBox(key: string): SecretBox {
  const secret = Buffer.from(key.replace(/^0x/, ''), 'hex')
  const digestKey = Buffer.from(hkdfSync('sha256', secret, '', DIGEST_KEY_INFO, DIGEST_KEY_BYTES))
  return {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed, context) {
      const [version, text = ''] = sealed.split('.')
      if (version !== VERSION) throw new Error('The sealed secret is of an unknown version.')
      const bytes = Buffer.from(text, 'base64url')
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      return (
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      )
    },
    digest(text, context) {
      // The length distinguishes inputs whose concatenation is equal.
      return createHmac('sha256', digestKey).update(`${context.length}:${context}${text}`).digest()
    },
  }
}
