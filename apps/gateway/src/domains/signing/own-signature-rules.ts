/** A signature in the form that adapters/message-signer.ts writes. */
export type OwnSignature = {
  readonly components: readonly string[]
  /** Components and parameters as signed. */
  readonly parameters: string
  readonly keyId: string
  readonly alg: 'ed25519' | 'hmac-sha256'
  readonly signature: Buffer
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const INPUT =
  /^farebox=(\(((?:"[a-z@-]{1,40}" ?){1,16})\);created=\d{1,15};expires=\d{1,15};keyid="([\w-]{43}|sig_[0-9A-Za-z]{1,64})";alg="(ed25519|hmac-sha256)")$/
const SIGNATURE = /^farebox=:([A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=):$/

/** Parses the signature of a request that a gateway may have sent; returns null for any other form. */
export function readOwnSignature(headers: Headers): OwnSignature | null {
  const { 'signature-input': input, signature } = headers
  if (typeof input !== 'string' || typeof signature !== 'string') return null
  const [, parameters, list, keyId, alg] = INPUT.exec(input) ?? []
  const [, base64] = SIGNATURE.exec(signature) ?? []
  if (parameters === undefined || list === undefined || keyId === undefined || base64 === undefined)
    return null
  if (alg !== 'ed25519' && alg !== 'hmac-sha256') return null
  const components = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  return { components, parameters, keyId, alg, signature: Buffer.from(base64, 'base64') }
}

/** Returns the signed bytes (RFC 9421, 2.5) as text; null if a covered component is missing. */
export function signatureBase(
  { components, parameters }: Pick<OwnSignature, 'components' | 'parameters'>,
  message: { readonly method: string; readonly targetUri: string; readonly headers: Headers },
): string | null {
  const lines: string[] = []
  for (const name of components) {
    const value = componentOf(name, message)
    if (typeof value !== 'string') return null
    lines.push(`"${name}": ${value}\n`)
  }
  return `${lines.join('')}"@signature-params": ${parameters}`
}

function componentOf(
  name: string,
  { method, targetUri, headers }: { method: string; targetUri: string; headers: Headers },
): unknown {
  if (name === '@method') return method
  return name === '@target-uri' ? targetUri : headers[name]
}
