import { isIP } from 'node:net'
import { z } from 'zod'

/** A setting: how it is read, and its line in docs/operations.md. */
export type Setting = {
  readonly schema: z.ZodType
  readonly doc: string
  readonly required?: 'production'
  /** May be given as a file, by `<name>_FILE`. */
  readonly secret?: true
}

// Parsers for the text of environment variables.

type Bounds = { readonly min: number; readonly max: number }

/** A number in decimal notation, between bounds. */
export const decimal = ({ min, max }: Bounds) => numeral(/^\d{1,15}(\.\d{1,9})?$/, 'number', { min, max })
/** A whole number in decimal notation, between bounds. */
export const whole = ({ min, max }: Bounds) => numeral(/^\d{1,16}$/, 'whole number', { min, max })
export const seconds = (absent: number, bounds: Bounds) => decimal(bounds).default(absent)
export const count = (absent: number, bounds: Bounds) => whole(bounds).default(absent)

function numeral(pattern: RegExp, what: string, { min, max }: Bounds) {
  const error = `must be a ${what} from ${min} to ${max}`
  return z
    .string()
    .trim()
    .regex(pattern, error)
    .transform(Number)
    .refine(value => value >= min && value <= max, error)
}

/** One of some words. */
export const oneOf = <const Word extends string>(...words: readonly [Word, ...Word[]]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })
/** `true` or `1`, `false` or `0`. */
export const onOrOff = oneOf('true', 'false', '1', '0')
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a http: or https: URL' })
/** Base of our own addresses. */
export const baseUrl = httpUrl.pipe(
  z.string().refine(text => {
    const { username, password, search, hash } = new URL(text)
    return `${username}${password}${search}${hash}` === ''
  }, 'must have no credentials, query or fragment'),
)
export const databaseUrl = z.url({
  protocol: /^(postgres|postgresql|socket)$/,
  error: 'must be a postgres: URL',
})
/** A secret text of some length. */
export const secretText = (min: number, max: number) => {
  const error = `must have ${min} to ${max} characters`
  return z.string().min(min, error).max(max, error)
}
export const list = z
  .string()
  .default('')
  .transform(text =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  )
/** Maximum number of endpoints of the chain beside the first. */
const ENDPOINTS_MAX = 8
export const endpoints = list.pipe(
  z
    .array(z.url({ protocol: /^https?$/, error: 'must be URLs separated by commas' }))
    .max(ENDPOINTS_MAX, `must be at most ${ENDPOINTS_MAX} URLs`),
)
/** A list of texts, each of which passes a check. */
const listOf = (check: (item: string) => boolean, error: string) =>
  list.refine(items => items.every(check), error)
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address')
export const addresses = listOf(
  item => address.safeParse(item).success,
  'must be 0x addresses separated by commas',
)
export const origins = listOf(
  item => URL.canParse(item) && new URL(item).origin === item,
  'must be origins separated by commas, without a path or a slash at the end (https://app.example.com)',
)
export const key = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')
/** Order of secp256k1: private keys are below it. */
const KEY_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** A key of an account of the chain. */
export const accountKey = key.pipe(
  z.string().refine(text => {
    const number = BigInt(`0x${text.replace(/^0x/, '')}`)
    return number > 0n && number < KEY_ORDER
  }, 'must be the private key of an account'),
)
/** An address, or a name and an address; ASCII, so that no header encoding is needed. */
export const sender = z
  .string()
  .regex(
    /^(?:[\w.-]+@[\w.-]+|[A-Za-z0-9][A-Za-z0-9 .&'-]{0,62} <[\w.-]+@[\w.-]+>)$/,
    'must be an address, or a name and an address: `Farebox <no-reply@example.com>`',
  )
/** Maximum proxies between a client and a gateway. */
const HOPS_MAX = 10
const PROXIES = `must be the number of proxies in front of the gateway (1 to ${HOPS_MAX}), or their addresses as CIDRs separated by commas (10.0.0.0/8)`
/** Trusted proxies: none (0), their number in front of the gateway, or their networks. */
export const proxies = z
  .string()
  .default('0')
  .transform((text, context): number | readonly string[] => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const value = text.trim().toLowerCase()
    if (value === 'false') return 0
    if (value === 'true') return refuse(`cannot be true: any client could claim any address. It ${PROXIES}`)
    if (/^\d+$/.test(value)) return Number(value) <= HOPS_MAX ? Number(value) : refuse(PROXIES)
    const networks = value.split(',').map(item => item.trim())
    return networks.every(isNetwork) ? networks : refuse(PROXIES)
  })
export const amount = z.string().regex(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/, 'must be a decimal amount of USDC')

/** Returns true for an IP address or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...more] = text.split('/')
  const version = isIP(address)
  return (
    version !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
  )
}

/** A text that matches a pattern, and the message of others. */
export const matching = (pattern: RegExp, message: string) => z.string().regex(pattern, message)
