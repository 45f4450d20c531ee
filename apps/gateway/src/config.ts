import type { z } from 'zod'
import { readSecretFile } from './secret-file.ts'
import type { Setting } from './setting-schemas.ts'
import { settings } from './settings.ts'

type Raw = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> }

type Environment = Readonly<Record<string, string | undefined>>

/** Parsed settings, with the defaults of the mode. */
export type Config = Readonly<
  Omit<
    Raw,
    | 'ALLOW_PRIVATE_TARGETS'
    | 'ALLOW_HTTP_TARGETS'
    | 'REQUIRED_CONFIRMATIONS'
    | 'FOLLOWER_INTERVAL_SECONDS'
    | 'MAIL_FROM'
    | 'MAILS_PER_ADDRESS'
    | 'LOG_LEVEL'
    | 'STOP_PAUSE_SECONDS'
  > & {
    ALLOW_PRIVATE_TARGETS: boolean
    ALLOW_HTTP_TARGETS: boolean
    REQUIRED_CONFIRMATIONS: number
    FOLLOWER_INTERVAL_SECONDS: number
    MAIL_FROM: string
    MAILS_PER_ADDRESS: number
    LOG_LEVEL: 'debug' | 'info' | 'warn' | 'error' | 'silent'
    STOP_PAUSE_SECONDS: number
  }
>

/** An invalid configuration; the message names every faulty setting, on one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration.
 *
 * @param env process environment; an empty value counts as absent
 * @throws ConfigError naming each missing or malformed setting, never the value of a secret
 */
export function readConfig(env: Environment): Config {
  const { read, faults } = inspect(env)
  if (faults.length > 0) throw new ConfigError(`Configuration: ${faults.join('; ')}`)
  return Object.freeze(withDefaults(read))
}

/** Default of REQUIRED_CONFIRMATIONS, by mode. */
export const CONFIRMATIONS = { dev: 1, production: 12 } as const

/** Returns what is wrong with the settings, each fault naming one or more, never a secret; empty if they can be read. */
export const findFaults = (env: Environment): readonly string[] => inspect(env).faults

function inspect(env: Environment): { read: Raw; faults: readonly string[] } {
  const { raw, faults } = parse(env, Object.keys(settings))
  const read = raw as Raw
  if (read.FAREBOX_MODE === 'dev' && env.NODE_ENV === 'production')
    faults.push('FAREBOX_MODE=dev is refused when NODE_ENV=production')
  if (read.FAREBOX_MODE === 'production') {
    const missing = Object.entries<Setting>(settings)
      .filter(
        ([name, setting]) =>
          setting.required === 'production' &&
          raw[name] === undefined &&
          !faults.some(f => f.startsWith(`${name} `) || f.startsWith(`${name}_FILE `)),
      )
      .map(([name]) => name)
    if (missing.length > 0) faults.push(`missing for production mode: ${missing.join(', ')}`)
    if (read.SMTP_URL !== undefined && read.MAIL_FROM === undefined)
      faults.push('SMTP_URL requires MAIL_FROM')
  }
  if (read.TICKET_SIGNER_URL !== undefined && read.TICKET_SIGNER_KEY !== undefined)
    faults.push('TICKET_SIGNER_URL and TICKET_SIGNER_KEY are both set: keep one')
  if ((read.TICKET_SIGNER_URL === undefined) !== (read.TICKET_SIGNER_ADDRESS === undefined))
    faults.push('TICKET_SIGNER_URL and TICKET_SIGNER_ADDRESS require each other')
  // One endpoint listed twice would agree with itself.
  const endpoints = [read.CHAIN_RPC_URL ?? [], read.RPC_URLS ?? []].flat()
  if (new Set(endpoints.map(requestedOf)).size < endpoints.length)
    faults.push('RPC_URLS must not repeat an endpoint')
  return { read, faults }
}

/** Returns what a request to a URL asks for: case of the host, default port and fragment make no difference. */
function requestedOf(url: string): string {
  const { href, hash } = new URL(url)
  return href.slice(0, href.length - hash.length)
}

/** Settings that every gateway needs, from whatever source. */
export type Needed = Readonly<
  Record<'DATABASE_URL' | 'CHAIN_RPC_URL' | 'VAULT_ADDRESS' | 'ENCRYPTION_KEY' | 'JWT_SECRET', string>
>

/**
 * Returns the configuration with what every gateway needs.
 *
 * @throws ConfigError naming what is missing
 */
export function demandSettings(config: Config): Config & Needed {
  const { DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, ENCRYPTION_KEY, JWT_SECRET } = config
  const needed = { DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, ENCRYPTION_KEY, JWT_SECRET }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) throw new ConfigError(`Configuration: missing: ${missing.join(', ')}`)
  return config as Config & Needed
}

/**
 * Reads some settings alone, for a program that needs no others.
 *
 * @throws ConfigError naming each malformed one, never the value of a secret
 */
export function readSome<Name extends keyof Raw>(env: Environment, names: readonly Name[]): Pick<Raw, Name> {
  const { raw, faults } = parse(env, names)
  if (faults.length > 0) throw new ConfigError(`Configuration: ${faults.join('; ')}`)
  return raw as Pick<Raw, Name>
}

/**
 * Reads a secret that is no setting of gateways, from the variable or from the file that `<name>_FILE` names.
 *
 * @throws ConfigError if both are given, or the file is refused
 */
export function readSecretOf(env: Environment, name: string): string | undefined {
  const given = readSecret(env, name)
  if ('fault' in given) throw new ConfigError(`Configuration: ${given.fault}`)
  return given.text
}

const textOf = (env: Environment, name: string) => env[name] || undefined

function readSecret(env: Environment, name: string): { text: string | undefined } | { fault: string } {
  const text = textOf(env, name)
  const path = textOf(env, `${name}_FILE`)
  if (path === undefined) return { text }
  if (text !== undefined) return { fault: `${name} and ${name}_FILE are both set: keep one` }
  const read = readSecretFile(path)
  return 'fault' in read ? { fault: `${name}_FILE ${read.fault}` } : read
}

/** Maximum length of a value in a message: a private key in the wrong setting is longer. */
const SHOWN_LENGTH_MAX = 48
const foundIn = (text: string | undefined) =>
  text === undefined || text.length > SHOWN_LENGTH_MAX ? '' : `, not ${JSON.stringify(text)}`

function parse(env: Environment, names: readonly string[]) {
  const faults: string[] = []
  const raw: Record<string, unknown> = {}
  for (const name of names) {
    const { schema, secret }: Setting = settings[name as keyof Raw]
    const given = secret ? readSecret(env, name) : { text: textOf(env, name) }
    if ('fault' in given) {
      faults.push(given.fault)
      continue
    }
    const result = schema.safeParse(given.text)
    if (result.success) raw[name] = result.data
    else
      faults.push(
        `${name} ${result.error.issues[0]?.message ?? 'is not valid'}${secret ? '' : foundIn(given.text)}`,
      )
  }
  for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL']) {
    const url = raw[name]
    if (typeof url === 'string' && env.DATABASE_TLS !== 'off' && isInClear(url, env.PGHOST))
      faults.push(
        `${name} connects to another machine without TLS: add sslmode=verify-full, or set DATABASE_TLS=off`,
      )
  }
  return { raw, faults }
}

const TLS_MODES: readonly string[] = ['require', 'verify-ca', 'verify-full']
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\/.*)$/

/** Returns true if a database URL, as parsed by the driver, leaves this machine without requiring TLS. */
function isInClear(url: string, defaultHost: string | undefined): boolean {
  const { protocol, hostname, searchParams } = new URL(url)
  // Of a repeated parameter the driver takes the last.
  const host =
    searchParams.getAll('host').at(-1) || decodeURIComponent(hostname) || defaultHost || 'localhost'
  const isLocal = protocol === 'socket:' || LOOPBACK.test(host)
  return !isLocal && !TLS_MODES.includes(searchParams.getAll('sslmode').at(-1) ?? '')
}

/** Applies the defaults of the mode. */
function withDefaults(read: Raw): Config {
  const isDev = read.FAREBOX_MODE === 'dev'
  const isOn = (text: string | undefined) => (text === undefined ? isDev : text === 'true' || text === '1')
  return {
    ...read,
    ALLOW_PRIVATE_TARGETS: isOn(read.ALLOW_PRIVATE_TARGETS),
    ALLOW_HTTP_TARGETS: isOn(read.ALLOW_HTTP_TARGETS),
    REQUIRED_CONFIRMATIONS: read.REQUIRED_CONFIRMATIONS ?? CONFIRMATIONS[read.FAREBOX_MODE],
    FOLLOWER_INTERVAL_SECONDS: read.FOLLOWER_INTERVAL_SECONDS ?? (isDev ? 0.5 : 2),
    MAIL_FROM: read.MAIL_FROM ?? 'Farebox <farebox@localhost>',
    MAILS_PER_ADDRESS: read.MAILS_PER_ADDRESS ?? (isDev ? 10_000 : 20),
    LOG_LEVEL: read.LOG_LEVEL ?? (isDev ? 'warn' : 'info'),
    STOP_PAUSE_SECONDS: read.STOP_PAUSE_SECONDS ?? (isDev ? 0 : 5),
  }
}

/** Returns the external signer of tickets; undefined without one. */
export function remoteSignerOf(
  config: Pick<Config, 'TICKET_SIGNER_URL' | 'TICKET_SIGNER_ADDRESS'>,
): { url: string; address: string } | undefined {
  const { TICKET_SIGNER_URL: url, TICKET_SIGNER_ADDRESS: address } = config
  return url === undefined || address === undefined ? undefined : { url, address }
}

/** Returns the names of settings that may be given as files. */
export const secretSettings = (): string[] =>
  Object.entries<Setting>(settings).flatMap(([name, { secret }]) => (secret ? [name] : []))

/** Returns the settings as rows of the table in docs/operations.md. */
export function describeSettings(): { name: string; absent: string; doc: string }[] {
  return Object.entries<Setting>(settings).map(([name, { schema, doc, required }]) => {
    const result = schema.safeParse(undefined)
    const value = result.success && result.data !== undefined ? String(result.data) : ''
    return { name, absent: required === 'production' ? 'required in production' : value, doc }
  })
}
