import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Debian keeps each major version in a folder of its own: the newest. */
export async function findBinaries(): Promise<string> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const newest = versions.map(Number).sort((a, b) => b - a)[0]
  if (newest === undefined) throw new Error('There is no PostgreSQL: run lab/cluster/install-packages.')
  return `/usr/lib/postgresql/${newest}/bin`
}

/** Whom it runs as. */
export async function findOwner(): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
