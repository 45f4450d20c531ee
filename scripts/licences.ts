import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Writes docs/licences.md, the licences of what the gateway and its console run on: `npm run licences`.

const ROOT = join(import.meta.dirname, '..')
/** Path of the list. */
export const LICENCES_FILE = join(ROOT, 'docs/licences.md')

/** Licences (SPDX) that ask for no more than to be named. A work under another is not to become part of this one. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

/** A package that is installed wherever the gateway runs. */
export type Licensed = { readonly name: string; readonly version: string; readonly licence: string }
type Locked = {
  readonly version?: string
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
}

/** Every package of the lockfile that is none for development only, by name and version. */
export function readLicences(): Licensed[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  const found = new Map<string, Licensed>()
  for (const [path, { version, license, link, dev, devOptional }] of Object.entries(packages)) {
    const [, name] = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
    if (name === undefined || version === undefined || link || dev || devOptional) continue
    found.set(`${name}@${version}`, { name, version, licence: license ?? olderForm(path) })
  }
  return [...found.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
}

/** Packages of old have a list, which the lockfile does not take over. */
function olderForm(path: string): string {
  const file = join(ROOT, path, 'package.json')
  if (!existsSync(file)) return 'unknown'
  const { licenses } = JSON.parse(readFileSync(file, 'utf8')) as { licenses?: readonly { type: string }[] }
  return licenses?.map(({ type }) => type).join(' OR ') ?? 'unknown'
}

/** Returns true if a licence leaves a permissive choice: one of several, or all of them. */
export function isPermissive(licence: string): boolean {
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some(choice => choice.split(' AND ').every(name => PERMISSIVE.has(name)))
}

/** The list as a page. */
export function describeLicences(packages: readonly Licensed[]): string {
  const counts = new Map<string, number>()
  for (const { licence } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1)
  const summary = [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([licence, count]) => `| ${licence} | ${count} |`)
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  return `# Licences

Made by \`npm run licences\` of the lockfile: what the gateway and its console run on, without what only development needs. A test fails when this is not up to date, or when a licence is not one of the permissive ones in scripts/licences.ts.

| Licence | Packages |
|---|---|
${summary.join('\n')}

| Package | Version | Licence |
|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const packages = readLicences()
  writeFileSync(LICENCES_FILE, describeLicences(packages))
  process.stdout.write(`${packages.length} packages are in docs/licences.md\n`)
}
