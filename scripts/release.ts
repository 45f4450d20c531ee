import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Writes a version into the changelog, the packages, the lockfile, the contract and the manifests: a part of scripts/release.

const NUMBER = '(0|[1-9]\\d*)'
/** Semantic versioning 2.0.0, without build metadata. */
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`)
const CHANGELOG = 'CHANGELOG.md'
const OTHER_FILES = [
  'package-lock.json',
  'apps/gateway/openapi.json',
  'deploy/kubernetes/base/kustomization.yaml',
]

/**
 * Returns a changelog with its Unreleased section under a version and a date, below an empty Unreleased section.
 *
 * @throws if there is no such section, nothing in it, or a section of this version already
 */
export function dateUnreleased(changelog: string, version: string, date: string): string {
  const [before, unreleased, ...more] = changelog.split(/^## \[Unreleased\]\n/m)
  if (before === undefined || unreleased === undefined || more.length > 0)
    throw new Error(`${CHANGELOG} needs one section "## [Unreleased]".`)
  if (changelog.includes(`\n## [${version}]`))
    throw new Error(`${CHANGELOG} has a section of ${version} already.`)
  const [content = ''] = unreleased.split(/^## /m)
  if (!/^- /m.test(content)) throw new Error(`The section "## [Unreleased]" of ${CHANGELOG} lists no change.`)
  return `${before}## [Unreleased]\n\n## [${version}] - ${date}\n${unreleased}`
}

/**
 * Returns a file with another version of our own packages, and of nothing else.
 *
 * @throws if the version before does not occur in it
 */
export function replaceVersion(path: string, text: string, before: string, after: string): string {
  const replaced =
    path === 'package-lock.json' ? inLockfile(text, before, after) : inText(path, text, before, after)
  if (replaced === text) throw new Error(`${path} does not have the version ${before}.`)
  return replaced
}

/** @throws if the text is not a version, or is not after the one of now */
export function checkVersion(now: string, next: string): void {
  const [match, before] = [VERSION.exec(next), VERSION.exec(now)]
  if (match === null) throw new Error(`"${next}" is not a version such as 0.2.0 or 0.2.0-rc.1.`)
  const numbers = [1, 2, 3].map(index => Number(match[index]) - Number(before?.[index]))
  const difference = numbers.find(each => each !== 0) ?? 0
  // A release candidate comes before its release; the order of two candidates is for their maker to keep.
  const isLater = difference > 0 || (difference === 0 && now.includes('-') && next !== now)
  if (!isLater) throw new Error(`${next} is not after the present version ${now}.`)
}

function inText(path: string, text: string, before: string, after: string): string {
  const version = before.replaceAll('.', '\\.')
  if (path.endsWith('openapi.json'))
    return text.replace(new RegExp(`("info": \\{[^{]*?"version": )"${version}"`), `$1"${after}"`)
  if (path.endsWith('kustomization.yaml'))
    return text.replace(new RegExp(`(name: farebox,.*newTag: )${version}(?=\\s)`), `$1${after}`)
  return text.replaceAll(
    new RegExp(`^( *"(?:version|@farebox/[\\w-]+)": )"${version}"`, 'gm'),
    `$1"${after}"`,
  )
}

type Locked = Record<string, unknown> & { version?: string }

function inLockfile(text: string, before: string, after: string): string {
  const lockfile = JSON.parse(text) as Locked & { packages: Record<string, Locked> }
  lockfile.version = after
  for (const [path, locked] of Object.entries(lockfile.packages)) {
    if (path.includes('node_modules/')) continue
    if (locked.version === before) locked.version = after
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']) {
      const wanted = (locked[kind] ?? {}) as Record<string, string>
      for (const name of Object.keys(wanted))
        if (name.startsWith('@farebox/') && wanted[name] === before) wanted[name] = after
    }
  }
  return `${JSON.stringify(lockfile, null, 2)}\n`
}

function packagesOf(root: string): string[] {
  const files = execFileSync('git', ['ls-files', '-z', 'package.json', '*/package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const isOurs = (path: string) => 'version' in JSON.parse(readFileSync(join(root, path), 'utf8'))
  return files.split('\0').filter(path => path !== '' && isOurs(path))
}

/** Writes all files of a release; writes none if one of them is not as expected. */
function writeRelease(root: string, version: string, date: string): void {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const { version: before } = JSON.parse(read('package.json')) as { version: string }
  checkVersion(before, version)
  const files = [...packagesOf(root), ...OTHER_FILES]
  const written = files.map(path => [path, replaceVersion(path, read(path), before, version)] as const)
  const changelog = dateUnreleased(read(CHANGELOG), version, date)
  for (const [path, text] of [...written, [CHANGELOG, changelog] as const])
    writeFileSync(join(root, path), text)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [version = '', date = ''] = process.argv.slice(2)
  try {
    writeRelease(join(import.meta.dirname, '..'), version, date)
  } catch (error) {
    process.stderr.write(`No release: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
