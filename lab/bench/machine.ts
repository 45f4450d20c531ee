import { execFile } from 'node:child_process'
import { open, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Magic number of tmpfs in statfs(2): a file system in memory, where fsync costs nothing. */
const TMPFS = 0x0102_1994
const CLUSTER_DEPTH_MAX = 3
/** A page of PostgreSQL's, and how often it is written to time the disk. */
const PAGE_BYTES = 8_192
const SYNCS = 200

/** What the figures were measured on. */
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
  /** Whether commits wait for the disk, as the database was started. */
  readonly durability: string
  /** Median time of a small write to the database's disk, with its fdatasync, in ms; null: it was not to be had. */
  readonly syncMs: number | null
  /** Load average of the last minute before the run: what else the machine had to do. */
  readonly loadBefore: number
}

/**
 * @param dataDirectory where the database of the gateway lies
 * @param before        the load average before anything was started
 */
export async function describeMachine(dataDirectory: string, before: { load: number }): Promise<Machine> {
  const database = await describeDatabase(dataDirectory)
  return {
    date: new Date().toISOString(),
    commit: await describeCommit(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres: database.version,
    durability: database.durability,
    versions: libraryVersions(),
    syncMs: await timeSync(dataDirectory),
    loadBefore: Math.round(before.load * 100) / 100,
  }
}

/** Load average of the last minute. */
export const loadNow = (): number => loadavg()[0] ?? 0

/**
 * Times what a commit costs at least on this disk: a page written and synchronised, again and again.
 *
 * @returns the median, in ms; null when nothing may be written there
 */
async function timeSync(directory: string): Promise<number | null> {
  const path = join(directory, 'farebox-bench-sync')
  const file = await open(path, 'w').catch(() => null)
  if (file === null) return null
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const times: number[] = []
  try {
    for (let write = 0; write < SYNCS; write += 1) {
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

function libraryVersions(): Record<string, string> {
  const require = createRequire(import.meta.url)
  const read = (name: string) => (require(`${name}/package.json`) as { version: string }).version
  return { Fastify: read('fastify'), undici: read('undici') }
}

async function describeCommit(): Promise<string> {
  const git = (...args: string[]) =>
    run('git', args, { cwd: import.meta.dirname }).then(({ stdout }) => stdout.trim())
  try {
    const [commit, changes] = [await git('rev-parse', '--short', 'HEAD'), await git('status', '--porcelain')]
    return changes === '' ? commit : `${commit} with uncommitted changes`
  } catch {
    return 'unknown (no git)'
  }
}

/** Reads how the server was started from the file that PostgreSQL itself leaves in the cluster. */
async function describeDatabase(dataDirectory: string): Promise<{ version: string; durability: string }> {
  const file = await findFile(dataDirectory, 'postmaster.opts', CLUSTER_DEPTH_MAX)
  if (file === null) return { version: 'unknown', durability: 'unknown' }
  const options = await readFile(file, 'utf8')
  const binary = options.split(' ')[0] ?? ''
  const version = await run(binary, ['--version']).then(
    ({ stdout }) => /\d[\w.]*/.exec(stdout)?.[0] ?? 'unknown',
    () => 'unknown',
  )
  const read = (name: string) => new RegExp(`"${name}=(\\w+)"`).exec(options)?.[1] ?? 'on'
  const isInMemory = (await statfs(dataDirectory)).type === TMPFS
  const disk = isInMemory ? ', but on a file system in memory' : ''
  return {
    version,
    durability: `fsync ${read('fsync')}, synchronous_commit ${read('synchronous_commit')}${disk}`,
  }
}

async function findFile(directory: string, name: string, depth: number): Promise<string | null> {
  const entries = await readdir(directory, { withFileTypes: true })
  if (entries.some(entry => entry.isFile() && entry.name === name)) return join(directory, name)
  if (depth === 0) return null
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const found = await findFile(join(directory, entry.name), name, depth - 1)
    if (found !== null) return found
  }
  return null
}
