/** Oldest PostgreSQL, as `server_version_num`. */
const VERSION_NUM_MIN = 150_000
const ENCODING = 'UTF8'

/** The server that a connection string names. */
export type DatabaseServer = {
  readonly version: string
  /** Such as 150004. */
  readonly number: number
  readonly encoding: string
  readonly database: string
  /** It replays the log of another server: read-only. */
  readonly replica: boolean
  /** Transactions may write, unless they say otherwise. */
  readonly writable: boolean
}

/** Reads one {@link DatabaseServer}. */
export const READ_SERVER = `
  select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
    current_setting('server_encoding') as encoding, current_database()::text as database,
    pg_is_in_recovery() as replica, current_setting('default_transaction_read_only') = 'off' as writable`

/** The fault, and its remedy. */
export type ServerFault = { readonly found: string; readonly advice: string }

/** Returns what keeps a gateway from a server: its version, or that it is read-only. */
export function faultOfServer(setting: string, server: DatabaseServer): ServerFault | null {
  const found = `PostgreSQL ${server.version}`
  if (server.number < VERSION_NUM_MIN)
    return { found: `${setting} leads to ${found}.`, advice: 'Use PostgreSQL 15 or newer.' }
  if (server.replica)
    return {
      found: `${setting} leads to a read-only replica (${found}).`,
      advice: 'Use the address of the primary.',
    }
  if (!server.writable)
    return {
      found: `${setting} leads to a read-only database (${found}, default_transaction_read_only).`,
      advice: 'End what made it read-only, such as a full disk.',
    }
  return null
}

/** Returns what is wrong with the encoding of a database: in another one most names could not be stored. */
export function faultOfEncoding(setting: string, server: DatabaseServer): ServerFault | null {
  const { database, encoding } = server
  if (encoding === ENCODING) return null
  return {
    found: `${setting} leads to the database ${database} with the encoding ${encoding}.`,
    advice: `Create one with it: create database ${database} encoding '${ENCODING}' template template0.`,
  }
}
