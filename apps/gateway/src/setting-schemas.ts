import { isIP } from 'node:net'
import { z } from 'zod'

// Parsers for the text of environment variables.

export const seconds = (absent: number, bounds: { min: number; max: number }) =>
  z.coerce.number().min(bounds.min).max(bounds.max).default(absent)
export const count = (absent: number, bounds: { min: number; max: number }) =>
  z.coerce.number().int().min(bounds.min).max(bounds.max).default(absent)
export const list = z
  .string()
  .default('')
  .transform(text =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  )
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address')
export const key = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')
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
