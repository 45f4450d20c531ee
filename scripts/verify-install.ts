/**
 * Checks that what npm has installed is what the lockfile says: version and integrity of each package. `npm ci` would, but
 * it also demands an entry for the binaries of every platform, which not every registry has.
 *
 * `node scripts/verify-install.ts [directory]`; exits 1 and names the packages that differ.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Package = {
  readonly version?: string
  readonly integrity?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}
type Lockfile = { readonly packages: Readonly<Record<string, Package>> }

/** Packages named in the message. */
const NAMED_MAX = 20

const [directory = '.'] = process.argv.slice(2)
const read = (path: string): Lockfile => JSON.parse(readFileSync(join(directory, path), 'utf8'))
const locked = read('package-lock.json').packages
const installed = Object.entries(read('node_modules/.package-lock.json').packages).filter(
  ([, { integrity }]) => integrity !== undefined,
)

/** Binaries for one platform, which the lockfile may lack: its maker's registry did not have them. */
const isForPlatform = ({ optional, os, cpu }: Package): boolean =>
  optional === true && (os !== undefined || cpu !== undefined)

const differing = installed.flatMap(([path, its]) => {
  const due = locked[path]
  if (due === undefined) return isForPlatform(its) ? [] : [`${path} ${its.version}: not in the lockfile`]
  if (due.version === its.version && due.integrity === its.integrity) return []
  return [`${path} ${its.version}: the lockfile says ${due.version}, ${due.integrity}`]
})

if (differing.length > 0) {
  const named = differing.slice(0, NAMED_MAX).join('\n  ')
  process.stderr.write(`${differing.length} installed packages are not those of the lockfile:\n  ${named}\n`)
  process.exitCode = 1
}
