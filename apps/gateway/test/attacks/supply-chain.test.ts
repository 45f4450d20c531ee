import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../../scripts/audit.ts'
import { describeLicences, isPermissive, LICENCES_FILE, readLicences } from '../../../../scripts/licences.ts'

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
    const { isWell, lines } = judge({ vulnerabilities: { left: { via: [advisory, 'right'] } } })
    expect([isWell, lines]).toEqual([false, [`left: high: Bad (${advisory.url})`]])
  })

  test('passes over one that is allowed with a reason, and is well without any', () => {
    expect(
      judge({ vulnerabilities: { left: { via: [advisory] } } }, { 'GHSA-a': 'Never called.' }).isWell,
    ).toBe(true)
    expect(judge({ vulnerabilities: {} })).toEqual({ isWell: true, lines: ['No known vulnerability.'] })
  })

  test('says so where the registry does not answer audits, and fails nobody for it', () => {
    const { isWell, lines } = judge({ message: '405 Method Not Allowed' })
    expect([isWell, lines[0]]).toEqual([true, expect.stringMatching(/^Not audited: .*405/)])
  })
})
