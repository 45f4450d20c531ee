import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'

/** A certificate and its key, in PEM. */
export type Certificate = { readonly cert: string; readonly key: string }

/** DER: object identifiers (RFC 5280, RFC 5758) and tags. */
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302'
const COMMON_NAME = '0603550403'
const SUBJECT_ALT_NAME = '0603551d11'
const [INTEGER, BIT_STRING, OCTET_STRING, UTF8, UTC_TIME, SEQUENCE, SET] = [2, 3, 4, 12, 23, 48, 49]
const [DNS_NAME, IP_ADDRESS, VERSION, EXTENSIONS] = [0x82, 0x87, 0xa0, 0xa3]
const DAY_MS = 86_400_000

/** Makes a self-signed certificate of localhost and 127.0.0.1 that expires after some days, or before today. */
export function makeCertificate(days: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(SEQUENCE, hex(ECDSA_WITH_SHA256))
  // Another one each time: those who trust several find the issuer by its name.
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, hex(COMMON_NAME), der(UTF8, Buffer.from(randomUUID())))))
  const end = Date.now() + days * DAY_MS
  const names = der(
    SEQUENCE,
    der(DNS_NAME, Buffer.from('localhost')),
    der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  )
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, time(end - 1_000 * DAY_MS), time(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, hex(SUBJECT_ALT_NAME), der(OCTET_STRING, names)))),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)])
  const whole = der(SEQUENCE, body, algorithm, der(BIT_STRING, signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, '')
  return der(UTC_TIME, Buffer.from(`${digits.slice(2, 14)}Z`))
}
