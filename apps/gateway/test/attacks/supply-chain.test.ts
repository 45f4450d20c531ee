import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../../scripts/audit.ts'
import { describeLicences, isPermissive, LICENCES_FILE, readLicences } from '../../../../scripts/licences.ts'

const ROOT = join(import.meta.dirname, '../../../..')

describe('licences', () => {
  test('of all that the gateway runs on are permissive', () => {
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

describe('an audit', () => {
  const advisory = { url: 'https://github.com/advisories/GHSA-a', title: 'Bad', severity: 'high' }

  test('fails for a known vulnerability, and names it', () => {
    const { exitCode, lines } = judge({ vulnerabilities: { left: { via: [advisory, 'right'] } } })
    expect([exitCode, lines]).toEqual([1, [`left: high: Bad (${advisory.url})`]])
  })

  test('passes over one that is allowed with a reason, and is well without any', () => {
    expect(
      judge({ vulnerabilities: { left: { via: [advisory] } } }, { 'GHSA-a': 'Never called.' }).exitCode,
    ).toBe(0)
    expect(judge({ vulnerabilities: {} })).toEqual({ exitCode: 0, lines: ['No known vulnerability.'] })
  })

  test('fails and says that nothing was checked where the registry refuses, unless it is told not to ask', async () => {
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
