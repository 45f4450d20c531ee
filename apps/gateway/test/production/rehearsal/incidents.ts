import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listCommands } from './commands.ts'
import { query } from './database.ts'
import { METRICS_TOKEN } from './deployment.ts'
import { isInstalled, skip } from './shell.ts'
import type { Site } from './site.ts'

/** Parts of commands that are of another machine. */
const ELSEWHERE = 'farebox.example.com:443'
const AS_SUPERUSER = 'sudo -u postgres psql'

/**
 * Runs every documented command of an incident that was not run before, as it is shown.
 *
 * @param of names that the commands use
 * @returns the commands, and what they printed
 */
export async function handleIncidents(
  site: Site,
  of: { readonly SERVICE: string; readonly WALLET: string },
): Promise<[text: string, printed: string][]> {
  const { database, document, operate } = site.machine
  const { PATH = '' } = process.env
  const env = Object.assign(await site.adminEnvironment(), of, {
    PATH: `${database.programs}:${PATH}`,
    METRICS_TOKEN,
    DATABASE_URL: site.url('farebox_gateway'),
    MIGRATION_DATABASE_URL: site.url('farebox_owner'),
  })
  const here = {
    [ELSEWHERE]: `localhost:${database.port} -starttls postgres`,
    [AS_SUPERUSER]: `psql '${database.superuser}'`,
  }
  const hasPsql = existsSync(join(database.programs, 'psql'))

  async function run(text: string): Promise<string> {
    const changes = Object.fromEntries(Object.entries(here).filter(([from]) => text.includes(from)))
    const [, setting = '', , statement] = /psql(?: "\$(\w+)")? -c (["'])([\s\S]*?)\2/.exec(text) ?? []
    if (statement !== undefined && !hasPsql) {
      document.take(text)
      const url = env[setting as 'DATABASE_URL'] ?? database.superuser
      return JSON.stringify(await query(url, statement))
    }
    if (text.startsWith('openssl') && !isInstalled('openssl')) {
      document.take(text)
      skip(text, 'nothing, as openssl is not installed')
      return ''
    }
    return operate(text, { env, changes })
  }

  if (!hasPsql) skip('psql, which is not installed', 'its statements')
  const printed: [string, string][] = []
  const rehearsed = listCommands().filter(
    ({ plan, heading }) => plan === 'rehearsed' && heading === 'Incidents',
  )
  for (const { text } of rehearsed) if (!document.hasTaken(text)) printed.push([text, await run(text)])
  return printed
}
