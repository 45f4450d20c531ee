import { execFile } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inDatabase } from './in-database.ts'

/** Magic number of tmpfs in statfs(2): a file system in memory, where fsync costs nothing. */
const TMPFS = 0x0102_1994
/** A page of PostgreSQL's, and how often it is written to time the disk. */
const PAGE_BYTES = 8_192
const SYNCS = 200

/** The machine and the programs that figures were measured with. */
export type Machine = {
  readonly date: string
  readonly commit: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly os: string
  readonly node: string
  readonly postgres: string
  /** Versions of other programs that took part, by their names. */
  readonly versions: Readonly<Record<string, string>>
  /** True if commits wait for the disk. */
  readonly durability: string
  /** Median time of a small write to the database's disk, with its fdatasync, in ms; null: nothing may be written there. */
  readonly syncMs: number | null
  /** Load average of the last minute before the run. */
  readonly loadBefore: number
}

/**
 * Describes the machine, and the database by its own settings.
 *
 * @param on.directory  where the files of the database lie
 * @param on.loadBefore the load average before anything was started
 */
export async function describeMachine(on: {
  url: string
  directory: string
  loadBefore: number
}): Promise<Machine> {
  const { url, directory, loadBefore } = on
  const versionOf = (name: string) => {
    return (createRequire(import.meta.url)(`${name}/package.json`) as { version: string }).version
  }
  const show = (name: string) =>
    inDatabase(url, async client => {
      return (await client.query<{ value: string }>('select current_setting($1) as value', [name])).rows[0]
        ?.value
    })
  const isInMemory = (await statfs(directory)).type === TMPFS
  const disk = isInMemory ? ', but on a file system in memory' : ''
  return {
    date: new Date().toISOString(),
    commit: await describeCommit(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres: (await show('server_version')) ?? 'unknown',
    durability: `fsync ${await show('fsync')}, synchronous_commit ${await show('synchronous_commit')}${disk}`,
    versions: { Fastify: versionOf('fastify'), undici: versionOf('undici') },
    syncMs: await timeSync(directory),
    loadBefore: Math.round(loadBefore * 100) / 100,
  }
}

/** Returns the load average of the last minute. */
export const loadNow = (): number => loadavg()[0] ?? 0

/** Returns the median time of writing and synchronising a page on this disk, in ms; null when nothing may be written. */
async function timeSync(directory: string): Promise<number | null> {
  const path = join(directory, 'farebox-lab-sync')
  const file = await open(path, 'w').catch(() => null)
  if (file === null) return null
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const times: number[] = []
  try {
    while (times.length < SYNCS) {
      const from = performance.now()
      await file.write(page, 0, page.length, 0)
      await file.datasync()
      times.push(performance.now() - from)
    }
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
  return times.sort((a, b) => a - b)[SYNCS / 2] ?? null
}

async function describeCommit(): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim()
  try {
    const [commit, changes] = [await git('rev-parse', '--short', 'HEAD'), await git('status', '--porcelain')]
    return changes === '' ? commit : `${commit} with uncommitted changes`
  } catch {
    return 'unknown (no git)'
  }
}
