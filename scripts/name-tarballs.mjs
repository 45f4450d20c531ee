// Writes npm-shrinkwrap.json, which npm reads in place of package-lock.json: the same packages, each with the address of
// its tarball at the registry that npm is configured for. Without it npm fetches the list of all versions of each.
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const WITHIN = 'node_modules/'
const registry = execSync('npm config get registry', { encoding: 'utf8' }).trim().replace(/\/$/, '')
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
for (const [path, entry] of Object.entries(lock.packages)) {
  if (entry.integrity === undefined) continue
  const name = entry.name ?? path.slice(path.lastIndexOf(WITHIN) + WITHIN.length)
  entry.resolved = `${registry}/${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`
}
writeFileSync('npm-shrinkwrap.json', JSON.stringify(lock))
