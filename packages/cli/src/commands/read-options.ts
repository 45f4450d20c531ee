import { readFileSync } from 'node:fs'
import { InvalidAmountError, parseUsdc, type Usdc } from '@farebox/money'
import { InvalidArgumentError } from 'commander'
import { badInput } from '../failure.ts'

/** Maximum size of an input: more than a gateway takes. */
const INPUT_BYTES_MAX = 16_777_216

/** Longest duration of an option: ten years. */
const DURATION_SECONDS_MAX = 315_360_000
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Returns a reader of a whole number in a range, for an option. */
export function readCount(min: number, max: number): (text: string) => number {
  return text => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (count >= min && count <= max) return count
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`)
  }
}

/** Reads an amount of USDC, for an option or an argument. */
export function readAmount(text: string): Usdc {
  try {
    return parseUsdc(text)
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error
    throw new InvalidArgumentError(`${error.message} Such as 0.05 or 12.`)
  }
}

/** Reads an amount above zero. */
export function readPositiveAmount(text: string): Usdc {
  const amount = readAmount(text)
  if (amount === 0n) throw new InvalidArgumentError('Use an amount above zero.')
  return amount
}

/** Returns a reader of a duration in seconds, such as 45s, 30m, 12h or 30d, for an option. */
export function readSeconds(max = DURATION_SECONDS_MAX): (text: string) => number {
  return text => {
    const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN)
    if (seconds <= max) return seconds
    throw new InvalidArgumentError(`Use a duration such as 45s, 30m, 12h or 30d, at most ${max} seconds.`)
  }
}

/** Reads the hash of a transaction. */
export function readTxHash(text: string): `0x${string}` {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase() as `0x${string}`
  throw new InvalidArgumentError('Use 0x and 64 hex digits.')
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** Splits `name=value`, at the first `=`. */
export function readPair(text: string, option: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw badInput(`"${text}" of ${option} is not name=value.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Returns the text of an option: as it is, of a file (`@FILE`), or of standard input (`-`). */
export function readText(value: string, option: string): string {
  if (value !== '-' && !value.startsWith('@')) return value
  const source = value === '-' ? 0 : value.slice(1)
  let bytes: Buffer
  try {
    bytes = readFileSync(source)
  } catch (error) {
    throw badInput(`${option} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (bytes.length > INPUT_BYTES_MAX) throw badInput(`${option} is larger than ${INPUT_BYTES_MAX} bytes.`)
  return bytes.toString('utf8')
}

/** Parses the text of an option as JSON. */
export function readJson(text: string, option: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badInput(`${option} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
