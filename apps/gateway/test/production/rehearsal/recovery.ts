import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { giveTo, unprivilegedUser } from '../../../src/dev/postgres-place.ts'
import { until } from '../../kit/until.ts'
import { query } from './database.ts'
import type { Machine } from './machine.ts'
import { skip } from './shell.ts'

/** Bound of the wait for a recovery, in ms. */
const RECOVERY_MS_MAX = 60_000
/** Paths of the document. */
const BACKUP = '/backup/2026-11-21'
const LOG = '/backup/log'
const RESTORED = '/var/lib/postgresql/restored'
const TARGET = '2026-11-21 18:51:13.806993+00'

/** Backups and restores of a machine's database, by the commands of docs/operations.md. */
export function openRecovery({ place, document, operate, shell, database }: Machine) {
  const backups = join(place, 'backup')
  const [backup, log, restored] = [join(backups, 'nightly'), join(backups, 'log'), join(backups, 'restored')]
  const as = unprivilegedUser()
  const { PATH = '' } = process.env
  const env = { PATH: `${database.programs}:${PATH}`, PGPORT: String(database.port) }

  return {
    /** Turns archiving on, with the documented lines of postgresql.conf. */
    async archive(): Promise<void> {
      for (const directory of [backups, log]) {
        await mkdir(directory)
        await giveTo(directory, as)
      }
      const lines = ['archive_mode =', 'archive_command =', 'archive_timeout ='].map(words =>
        document.take(words, {}, words === 'archive_command =' ? { [LOG]: log } : {}),
      )
      await appendFile(join(database.directory(), 'postgresql.conf'), `${lines.join('\n')}\n`)
      await database.restart()
    },
    /** Takes a base backup while the server runs. */
    async backUp(): Promise<void> {
      const password = randomBytes(12).toString('hex')
      await query(database.superuser, document.take('create role replicator', {}, { '...': password }))
      const command = document.take('pg_basebackup', {}, { [BACKUP]: backup })
      if (existsSync(join(database.programs, 'pg_basebackup')))
        return void (await shell.run(command, { as, env: { ...env, PGPASSWORD: password } }))
      skip('pg_basebackup, which is not installed', 'a copy of the files between pg_backup_start and _stop')
      const session = new pg.Client({ connectionString: database.superuser })
      await session.connect()
      await session.query("select pg_backup_start('rehearsal', true)")
      // Files may go while they are copied.
      await shell.run(`cp -a '${database.directory()}' '${backup}' || test $? = 1
        rm -rf '${backup}'/pg_wal/* '${backup}/postmaster.pid'`)
      const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
      await writeFile(join(backup, 'backup_label'), rows[0]?.labelfile ?? '')
      await giveTo(join(backup, 'backup_label'), as)
      await session.end()
    },
    /** Restores the backup to a point in time, and starts the server on it, in the place of the one before. */
    async restore(time: string): Promise<void> {
      await database.stop()
      const run = (words: string, changes: Record<string, string>) => operate(words, { as, env, changes })
      await run(`cp -a ${BACKUP}`, { [BACKUP]: backup, [RESTORED]: restored })
      await run(`cat >> ${RESTORED}`, { [RESTORED]: restored, [LOG]: log, [TARGET]: time })
      await run(`touch ${RESTORED}`, { [RESTORED]: restored })
      await run(`pg_ctl -D ${RESTORED}`, { [RESTORED]: restored })
      database.moveTo(restored)
      const isBack = async () => {
        const [row] = await query<{ down: boolean }>(database.superuser, 'select pg_is_in_recovery() as down')
        return row?.down === false
      }
      await until('the database is restored', isBack, RECOVERY_MS_MAX)
    },
  }
}
