import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { giveTo, type RunAs } from './postgres-place.ts'

/** Owner of the cluster and all schemas. */
export const SUPERUSER = 'farebox'
const INITIALISE_TIMEOUT_MS = 60_000
/** A directory being written to may get a new file while it is removed. */
const REMOVE_RETRIES_MAX = 10

const execute = promisify(execFile)

/**
 * Initialises the cluster in a temporary directory and renames it, so that an interrupted one is never used. Each has
 * its own name: the initdb of a killed gateway may still write.
 */
export async function initialise(input: {
  directory: string
  initdb: string
  settings: readonly string[]
  passwordFile: string
  runAs: RunAs
}) {
  const { directory, initdb, settings, passwordFile, runAs } = input
  const fresh = `${directory}.fresh-${crypto.randomUUID()}`
  await removeUnfinished(directory)
  await mkdir(fresh, { mode: 0o700 })
  await giveTo(fresh, runAs)
  await writeFile(passwordFile, `${crypto.randomUUID()}\n`, { mode: 0o600 })
  await giveTo(passwordFile, runAs)
  try {
    await execute(
      initdb,
      [
        '-D',
        fresh,
        '-U',
        SUPERUSER,
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '-E',
        'UTF8',
        '--locale=C',
        '--no-sync',
        '--no-instructions',
        ...settings,
      ],
      { ...runAs, cwd: '/', env: { ...process.env, LC_ALL: 'C' }, timeout: INITIALISE_TIMEOUT_MS },
    )
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not be initialised in ${directory}.`, { cause })
  }
  await rename(fresh, directory)
}

/** Returns settings as arguments of PostgreSQL's programs. */
export const argumentsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])

async function removeUnfinished(directory: string): Promise<void> {
  const names = await readdir(dirname(directory))
  const unfinished = names.filter(name => name.startsWith(`${basename(directory)}.fresh`))
  for (const name of unfinished)
    await rm(join(dirname(directory), name), { recursive: true, force: true, maxRetries: REMOVE_RETRIES_MAX })
}
