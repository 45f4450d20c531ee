import { hash, sign } from 'node:crypto'
import type { SigningKey, SignMessage } from '../ports.ts'

/** How long a signature is good for, in seconds. */
const LIFETIME_SECONDS = 300
const LABEL = 'farebox'
/** The headers that say which call or probe this is, for which service, and of whom. */
const COVERED_HEADERS = [
  'farebox-invocation-id',
  'farebox-service-id',
  'farebox-provider',
  'farebox-purpose',
] as const

/**
 * Makes the headers that prove to a provider who sends a request: HTTP Message Signatures (RFC 9421) by Ed25519 and
 * the digest of the body (RFC 9530). Covered are method, target URI, and, where there are any, the digest of the body,
 * the id of the invocation, the service, the wallet of its provider and the purpose (the wire, signatures): without the
 * wallet, anybody could register a stranger's URL and have requests to it signed.
 *
 * Written here, and not by a library, because every paid call passes: it costs 3 us beside the 25 us of Ed25519
 * itself, where the library of the tests costs 30. It signs on this thread: to hand one signature over to another
 * costs this one nearly as much as to make it.
 *
 * @param key the key that signs now
 * @param now unix milliseconds
 */
export function createMessageSigner(key: () => SigningKey, now: () => number): SignMessage {
  return message => {
    const { id, privateKey } = key()
    const components: string[] = ['"@method"', '"@target-uri"']
    const headers: string[] = []
    let base = `"@method": ${message.method}\n"@target-uri": ${message.targetUri}\n`

    if (message.body !== null && message.body !== '') {
      const digest = `sha-256=:${hash('sha256', message.body, 'base64')}:`
      components.push('"content-digest"')
      base += `"content-digest": ${digest}\n`
      headers.push('content-digest', digest)
    }
    for (const name of COVERED_HEADERS) {
      const value = message.headers[name]
      if (value === undefined) continue
      components.push(`"${name}"`)
      base += `"${name}": ${value}\n`
    }

    const created = Math.floor(now() / 1_000)
    const lifetime = `created=${created};expires=${created + LIFETIME_SECONDS}`
    const parameters = `(${components.join(' ')});${lifetime};keyid="${id}";alg="ed25519"`
    const bytes = Buffer.from(`${base}"@signature-params": ${parameters}`)
    const signature = sign(null, bytes, privateKey).toString('base64')
    headers.push('signature-input', `${LABEL}=${parameters}`, 'signature', `${LABEL}=:${signature}:`)
    return headers
  }
}
