import { headerOf, type ReceivedHeaders } from '../headers.ts'
import { Refusal } from './refusal.ts'

/** A signature as its headers state it; nothing of it is verified yet. */
export type Signed = {
  /** Names of the covered components, in order. */
  readonly components: readonly string[]
  /** The list of components with its parameters, as signed. */
  readonly parameters: string
  /** Unix seconds. */
  readonly created: number
  readonly expires: number
  readonly keyId: string
  readonly alg: 'ed25519' | 'hmac-sha256'
  readonly signature: Buffer
}

/** `farebox=("a" "b");x=1;y="z"` among the members of a dictionary (RFC 8941), as gateways write it. */
const INPUT =
  /(?:^|,)[ \t]*farebox=(\(((?:"[a-z0-9@-]+" ?)*)\)((?:;[a-z]+=(?:\d{1,15}|"[\w+/=-]*"))*))[ \t]*(?:,|$)/
const SIGNATURE = /(?:^|,)[ \t]*farebox=:([A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=):[ \t]*(?:,|$)/
/** Length of a signature by each algorithm, in bytes. */
const LENGTHS = { ed25519: 64, 'hmac-sha256': 32 } as const

/**
 * Parses the signature labelled `farebox` (RFC 9421, 4).
 *
 * @throws Refusal signature_missing, signature_malformed
 */
export function readSignature(headers: ReceivedHeaders): Signed {
  const inputText = headerOf(headers, 'signature-input')
  const signatureText = headerOf(headers, 'signature')
  if (inputText === null || signatureText === null) {
    throw new Refusal('signature_missing', 'The request is not signed.')
  }
  const [, parameters, list = '', pairs = ''] = INPUT.exec(inputText) ?? []
  const [, base64] = SIGNATURE.exec(signatureText) ?? []
  const parameter = (name: string) => new RegExp(`;${name}="?([^;"]+)`).exec(pairs)?.[1]
  const [created, expires, keyId] = [parameter('created'), parameter('expires'), parameter('keyid')]
  if (parameters === undefined || base64 === undefined) {
    throw new Refusal('signature_malformed', 'There is no readable signature of the label farebox.')
  }
  const alg = parameter('alg')
  if (created === undefined || expires === undefined || keyId === undefined) {
    throw new Refusal('signature_malformed', 'The signature lacks created, expires or keyid.')
  }
  if (alg !== 'ed25519' && alg !== 'hmac-sha256') {
    throw new Refusal('signature_malformed', 'The signature is neither by ed25519 nor by hmac-sha256.')
  }
  const components = list.split(' ').flatMap(name => (name === '' ? [] : [name.slice(1, -1)]))
  const signature = Buffer.from(base64, 'base64')
  if (signature.length !== LENGTHS[alg]) {
    throw new Refusal('signature_malformed', `The signature is too long or too short for ${alg}.`)
  }
  const times = { created: Number(created), expires: Number(expires) }
  return { components, parameters, ...times, keyId, alg, signature }
}
