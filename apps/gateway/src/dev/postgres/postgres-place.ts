import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const ELSEWHERE = existsSync('/var/lib') ? '/var/lib/farebox' : join(tmpdir(), 'farebox')
const LABEL_HASH_CHARS = 12

/** User of the server; empty if it is the current one. */
export type RunAs = { readonly uid?: number; readonly gid?: number }

/** PostgreSQL must not run as root: uses its usual account if it exists, else nobody. */
export function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.')
}

/**
 * Returns directories that the server's user can use. That user must be able to enter every parent directory; what it
 * cannot reach is put below `elsewhere`, by default in `/var/lib`, so that the data survive a reboot.
 *
 * @param input.directory of the cluster
 * @param input.postgres  path of the server's binary
 * @returns the directory of the cluster, ready to be initialised if it is empty, and that of the binaries
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

/** Creates a directory and its parents so that others may enter, whatever the umask. */
async function makeOpen(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755)
}

/**
 * Returns the cluster's directory below `elsewhere`. A file at its original place points there: if that is gone, the
 * data directory was removed, and its cluster is removed too.
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
  notice(`PostgreSQL runs as a user that cannot enter ${directory}; its data are in ${place}.`)
  return place
}

/** Tests as that user: modes, ACLs and mounts all count. */
function canEnter(directory: string, runAs: RunAs): boolean {
  return spawnSync('ls', ['-d', `${directory}/.`], { cwd: '/', ...runAs, stdio: 'ignore' }).status === 0
}

function canRun(binary: string, runAs: RunAs): boolean {
  return spawnSync(binary, ['--version'], { cwd: '/', ...runAs, stdio: 'ignore' }).status === 0
}

/**
 * Copies the binaries and renames them into place. One copy per version of the package; never replaced, since the
 * server of another checkout may run from it.
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

/** Version of the package whose directory `native` has the binaries. */
async function packageVersion(native: string): Promise<string> {
  const text = await readFile(join(native, '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** Changes the owner of a file or directory to the server's user. */
export async function giveTo(path: string, runAs: RunAs): Promise<void> {
  if (runAs.uid !== undefined) await chown(path, runAs.uid, runAs.gid ?? runAs.uid)
}
