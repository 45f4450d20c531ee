import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const ELSEWHERE = existsSync('/var/lib') ? '/var/lib/farebox' : join(tmpdir(), 'farebox')
const LABEL_HASH_CHARS = 12

/** Whom the server runs as; empty when it can be ourselves. */
export type RunAs = { readonly uid?: number; readonly gid?: number }

/** PostgreSQL must not run as root: its usual account when there is one, else nobody. */
export function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.')
}

/**
 * Where cluster and binaries can be used by the user that runs the server. Another user than ourselves must be
 * able to enter every folder on the way; what it cannot reach is put below `elsewhere`, by default in `/var/lib`,
 * so that the data outlive a restart of the machine.
 *
 * @param input.directory where the cluster shall lie
 * @param input.postgres  path of the server's binary
 * @returns the folder of the cluster, ready to be initialised if it is empty, and that of the binaries
 */
export async function findPlace(input: {
  directory: string
  postgres: string
  runAs: RunAs
  elsewhere?: string
  notice: (message: string) => void
}): Promise<{ directory: string; bin: string }> {
  const { directory, postgres, runAs, elsewhere = ELSEWHERE, notice } = input
  await mkdir(dirname(directory), { recursive: true })
  if (runAs.uid === undefined) return { directory, bin: dirname(postgres) }

  const place = canEnter(dirname(directory), runAs)
    ? directory
    : await placeElsewhere({ directory, elsewhere, notice })
  const bin = canRun(postgres, runAs) ? dirname(postgres) : await copyBinaries(postgres, elsewhere)
  return { directory: place, bin }
}

/** A folder and its parents that others may enter, whatever the umask. */
async function makeOpen(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755)
}

/**
 * The cluster's folder below `elsewhere`. A file where it should have been points there: when that is gone, the
 * data directory was removed, and the cluster that belonged to it goes too.
 */
async function placeElsewhere(input: {
  directory: string
  elsewhere: string
  notice: (message: string) => void
}): Promise<string> {
  const { directory, elsewhere, notice } = input
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, LABEL_HASH_CHARS)
  const home = join(elsewhere, `${basename(dirname(directory)).replaceAll(/[^A-Za-z0-9]+/g, '')}-${hash}`)
  const place = join(home, 'cluster')
  const pointer = join(directory, 'lies-elsewhere')
  if (!existsSync(pointer)) await rm(home, { recursive: true, force: true })
  await makeOpen(elsewhere)
  await makeOpen(home)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(pointer, place)
  notice(`PostgreSQL runs as a user that cannot enter ${directory}; its data lie in ${place}.`)
  return place
}

/** Asks the system itself, as that user: modes, ACLs and mounts all count. */
function canEnter(directory: string, runAs: RunAs): boolean {
  return spawnSync('ls', ['-d', `${directory}/.`], { cwd: '/', ...runAs, stdio: 'ignore' }).status === 0
}

function canRun(binary: string, runAs: RunAs): boolean {
  return spawnSync(binary, ['--version'], { cwd: '/', ...runAs, stdio: 'ignore' }).status === 0
}

/**
 * Copies the binaries and moves them in place in one step. There is a copy for each version of the package: one is never
 * replaced, since the server of another checkout may run from it.
 */
async function copyBinaries(postgres: string, elsewhere: string): Promise<string> {
  const from = await realpath(dirname(dirname(postgres)))
  const to = join(elsewhere, `postgresql-${await packageVersion(from)}`)
  if (existsSync(to)) return join(to, 'bin')
  await makeOpen(elsewhere)
  const fresh = `${to}.${process.pid}`
  await cp(from, fresh, { recursive: true, verbatimSymlinks: true })
  spawnSync('chmod', ['-R', 'a+rX', fresh])
  await rename(fresh, to).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true })
    if (!existsSync(to)) throw error // otherwise another start has copied them first
  })
  return join(to, 'bin')
}

/** Version of the package whose folder `native` holds the binaries. */
async function packageVersion(native: string): Promise<string> {
  const text = await readFile(join(native, '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** Gives a file or folder to the user that runs the server. */
export async function giveTo(path: string, runAs: RunAs): Promise<void> {
  if (runAs.uid !== undefined) await chown(path, runAs.uid, runAs.gid ?? runAs.uid)
}
