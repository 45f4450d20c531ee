import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { giveTo, unprivilegedUser } from '../../../src/dev/postgres/postgres-place.ts'
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
/** Words of the commands that make a slot, receive the log, and make its last file usable. */
const RECEIVING = ['--create-slot', '--synchronous', `${LOG}/*.partial`] as const
/** Returns a row if the server takes writes, or if a receiver of the log keeps commits waiting. */
const IS_PRIMARY = 'select where not pg_is_in_recovery()'
const SYNCHRONOUS = "select from pg_stat_replication where sync_state = 'sync'"

/** Backups and restores of a machine's database, by the commands of docs/operations.md. */
export function openRecovery({ place, document, operate, shell, database }: Machine) {
  const backups = join(place, 'backup')
  const as = unprivilegedUser()
  const { PATH = '' } = process.env
  const password = randomBytes(12).toString('hex')
  const env = {
    PATH: `${database.programs}:${PATH}`,
    PGPORT: String(database.port),
    PGPASSWORD: password,
  }
  const has = (program: string) => existsSync(join(database.programs, program))
  const folder = (name: string) => join(backups, name)
  async function makeFolder(path: string): Promise<void> {
    await mkdir(path)
    await giveTo(path, as)
  }

  /** Copies the data directory by functions of the server. */
  async function copyFiles(backup: string): Promise<void> {
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
  }

  return {
    /** Turns archiving on, with the documented lines of postgresql.conf. */
    async archive(): Promise<void> {
      for (const path of [backups, folder('log')]) await makeFolder(path)
      const lines = ['archive_mode =', 'archive_command =', 'archive_timeout ='].map(words =>
        document.take(words, {}, words === 'archive_command =' ? { [LOG]: folder('log') } : {}),
      )
      await appendFile(join(database.directory(), 'postgresql.conf'), `${lines.join('\n')}\n`)
      await database.restart()
    },
    /** Makes the role that takes backups. */
    async makeRole(): Promise<void> {
      await query(database.superuser, document.take('create role replicator', {}, { '...': password }))
    },
    /** Takes a base backup while the server runs. */
    async backUp(name: string): Promise<void> {
      const command = document.take('pg_basebackup', {}, { [BACKUP]: folder(name) })
      if (has('pg_basebackup')) await shell.run(command, { as, env })
      else await copyFiles(folder(name))
    },
    /**
     * Receives the log in place of archiving it, so that commits wait for it.
     *
     * @returns what ends it; null where its program is not installed
     */
    async receive(): Promise<(() => Promise<void>) | null> {
      if (!has('pg_receivewal')) {
        for (const words of RECEIVING) document.take(words)
        skip('pg_receivewal, which is not installed', 'nothing')
        return null
      }
      const received = folder('received')
      await makeFolder(received)
      await operate(RECEIVING[0], { as, env, changes: { [LOG]: received } })
      const started = document.take(RECEIVING[1], {}, { [LOG]: received })
      const pid = Number(await shell.run(`${started} > /dev/null 2>&1 &\necho $!`, { as, env }))
      for (const setting of ["synchronous_standby_names = 'pg_receivewal'", "archive_command = '/bin/true'"])
        await query(database.superuser, `alter system set ${setting}`)
      await query(database.superuser, 'select pg_reload_conf()')
      const isSynchronous = async () => (await query(database.superuser, SYNCHRONOUS)).length > 0
      await until('commits wait for the log to be received', isSynchronous)
      return async () => {
        process.kill(pid, 'SIGTERM')
        await until('the receiver has ended', () => !existsSync(`/proc/${pid}`))
        await operate(RECEIVING[2], { as, env, changes: { [LOG]: received } })
      }
    },
    /**
     * Restores a backup, and starts the server on it, in the place of the one before.
     *
     * @param from.log  folder of its log
     * @param from.time point in time; '': the end of the log
     */
    async restore(from: { backup: string; log: string; time: string }): Promise<void> {
      const restored = folder(`restored-${from.backup}`)
      await database.stop()
      const run = (words: string, changes: Record<string, string> = {}) =>
        operate(words, { as, env, changes: Object.assign({ [RESTORED]: restored }, changes) })
      await run(`cp -a ${BACKUP}`, { [BACKUP]: folder(from.backup) })
      await run(`cat >> ${RESTORED}`, { [LOG]: folder(from.log), [TARGET]: from.time })
      await run(`touch ${RESTORED}`)
      await run(`pg_ctl -D ${RESTORED}`)
      database.moveTo(restored)
      const isBack = async () => (await query(database.superuser, IS_PRIMARY)).length > 0
      await until('the database is restored', isBack, RECOVERY_MS_MAX)
    },
  }
}
