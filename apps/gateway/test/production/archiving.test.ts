import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { measureArchiveAge } from '../../src/adapters/archive-age.ts'
import { type ClosableDb, connectPostgres } from '../../src/adapters/postgres.ts'
import { giveTo, unprivilegedUser } from '../../src/dev/postgres/postgres-place.ts'
import { silent } from '../kit/silent-log.ts'
import { until } from '../kit/until.ts'
import { startCluster } from './cluster.ts'

const DOCUMENT = join(import.meta.dirname, '../../../../docs/operations.md')
const SEGMENT_BYTES = 16 * 1_048_576

let cluster: Awaited<ReturnType<typeof startCluster>>
let archive: string
let owner: ClosableDb
let gateway: ClosableDb
beforeAll(async () => {
  cluster = await startCluster()
  archive = await mkdtemp(join(tmpdir(), 'farebox-archive-'))
  await giveTo(archive, unprivilegedUser())
  const open = (connectionString: string) =>
    connectPostgres({ connectionString, connectionsMax: 1, log: silent })
  owner = open(cluster.url)
  gateway = open(cluster.gatewayUrl)
}, 120_000)
afterAll(async () => {
  await Promise.all([owner.close(), gateway.close()])
  await cluster.end()
  await rm(archive, { recursive: true })
})

const execute = (text: string) => owner.query<Record<string, unknown>>({ text, values: [] })

/** Ends the current segment of the log; returns its name. */
async function switchLog(): Promise<string> {
  await execute("select pg_logical_emit_message(true, 'test', 'so that there is something to archive')")
  const [row] = await execute('select pg_walfile_name(pg_switch_wal()) as name')
  return String(row?.name)
}

test('the documented archive_command copies whole segments, even after an interrupted copy, and its age is measured', async () => {
  expect(await measureArchiveAge(gateway)).toBeNull()
  const [, command = ''] = /^archive_command = '(.*)'$/m.exec(await readFile(DOCUMENT, 'utf8')) ?? []
  await execute('alter system set archive_mode = on')
  await execute(`alter system set archive_command = '${command.replaceAll('/backup/log', archive)}'`)
  await cluster.stop()
  await cluster.start()
  await until('the server is back', () =>
    execute('select 1').then(
      () => true,
      () => false,
    ),
  )

  const first = await switchLog()
  await until('it is archived', async () => (await readdir(archive)).includes(first))
  expect((await readFile(join(archive, first))).length).toBe(SEGMENT_BYTES)
  expect(await measureArchiveAge(gateway)).toBeLessThan(20)

  // The archive cannot be reached; then a copy was cut, and the archive is back.
  const away = `${archive}-away`
  await rename(archive, away)
  const second = await switchLog()
  await until('archiving fails', async () => {
    const [row] = await execute('select failed_count > 0 as failed from pg_stat_archiver')
    return row?.failed === true
  })
  await writeFile(join(away, `.${second}`), 'the beginning of a segment')
  await giveTo(join(away, `.${second}`), unprivilegedUser())
  await rename(away, archive)
  await switchLog()
  await until('it is archived after all', async () => (await readdir(archive)).includes(second))
  expect((await readFile(join(archive, second))).length).toBe(SEGMENT_BYTES)
})
