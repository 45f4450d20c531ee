import { access, constants, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import sql from 'sql-template-tag'
import { verifyMailServer } from '../adapters/mailer.ts'
import type { Config } from '../config.ts'
import type { Clock, Queryable } from '../ports.ts'
import { type Check, failed, ok, warning } from './check.ts'

/** Skew that is no matter, and skew at which signatures and sessions are refused, in ms. */
const SKEW_MS_WARN = 2_000
const SKEW_MS_MAX = 30_000
const MIB = 1_048_576
/** Free space for temporary files and the compile cache of Node. */
const FREE_BYTES_MIN = 64 * MIB

/** Returns the checks of this machine: its way to the mail server, its disk. */
export function checkMachine(config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): Check[] {
  return [
    {
      name: 'mail server',
      async judge() {
        const { SMTP_URL: url } = config
        if (url === undefined)
          return warning('SMTP_URL is not set: no email can be verified.', 'Set SMTP_URL and MAIL_FROM.')
        const { host } = new URL(url)
        const fault = await verifyMailServer(url)
        if (fault === null) return ok(`${host} accepts us as ${config.MAIL_FROM}`)
        return failed(
          `SMTP_URL: ${host} does not accept us (${fault}).`,
          'Check host, port, TLS, user and password.',
        )
      },
    },
    {
      name: 'disk of this machine',
      async judge() {
        const folder = tmpdir()
        await access(folder, constants.W_OK)
        const { bavail, bsize } = await statfs(folder)
        const free = bavail * bsize
        const found = `${Math.floor(free / MIB)} MiB free in ${folder}`
        if (free >= FREE_BYTES_MIN) return ok(found)
        return warning(`${found}.`, `Free at least ${FREE_BYTES_MIN / MIB} MiB.`)
      },
    },
  ]
}

/** Compares the clock of the database, by which all times are judged, with that of this machine. */
export function clockCheck(db: Queryable, machine: Clock): Check {
  return {
    name: 'clock of the database',
    async judge() {
      const before = machine.now()
      const [row] = await db.query<{ time: Date }>(sql`select clock_timestamp() as time`)
      if (row === undefined) throw new Error('The database returned no row.')
      const skew = (before + machine.now()) / 2 - row.time.getTime()
      const found = describeSkew(skew)
      if (Math.abs(skew) <= SKEW_MS_WARN) return ok(found)
      const judge = Math.abs(skew) <= SKEW_MS_MAX ? warning : failed
      return judge(`The clock of the database (DATABASE_URL) is ${found}.`, 'Run NTP on both machines.')
    },
  }
}

/** Returns how far something is behind this machine, in seconds. */
export function describeSkew(ms: number): string {
  const seconds = (Math.abs(ms) / 1_000).toFixed(1)
  return ms < 0 ? `${seconds} s ahead of this machine` : `${seconds} s behind this machine`
}
