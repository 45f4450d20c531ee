import { expect, test } from 'vitest'
import { checkVersion, dateUnreleased, replaceVersion } from './release.ts'

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-01-02

- The first.
`

test('moves the Unreleased section under the version and its date', () => {
  expect(dateUnreleased(CHANGELOG, '0.2.0', '2026-03-04')).toBe(
    CHANGELOG.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n'),
  )
})

test.each([
  ['no Unreleased section', CHANGELOG.replace('[Unreleased]', '[Next]'), 'needs one section'],
  ['two of them', `${CHANGELOG}\n## [Unreleased]\n- More.\n`, 'needs one section'],
  ['an empty one', CHANGELOG.replace('- A thing.\n', ''), 'lists no change'],
  ['a section of the version', CHANGELOG.replace('0.1.0', '0.2.0'), 'section of 0.2.0 already'],
])('refuses a changelog with %s', (_, changelog, message) => {
  expect(() => dateUnreleased(changelog, '0.2.0', '2026-03-04')).toThrow(message)
})

test.each(['0.1.1', '0.2.0', '1.0.0', '0.2.0-rc.1', '0.10.0'])('accepts %s after 0.1.0', next => {
  expect(() => checkVersion('0.1.0', next)).not.toThrow()
})

test('accepts a release after its candidates', () => {
  expect(() => checkVersion('0.2.0-rc.1', '0.2.0')).not.toThrow()
})

test.each(['', 'v0.2.0', '0.2', '0.02.0', '0.2.0+1', '0.2.0; ls', '0.2.0-'])(
  'refuses %j as a version',
  next => {
    expect(() => checkVersion('0.1.0', next)).toThrow('is not a version')
  },
)

test.each(['0.1.0', '0.0.9', '0.1.0-rc.1'])('refuses %s after 0.1.0', next => {
  expect(() => checkVersion('0.1.0', next)).toThrow('is not after')
})

test('sets the version of our own packages only', () => {
  const manifest = `{
  "version": "0.1.0",
  "dependencies": { "other": "0.1.0" },
  "devDependencies": {
    "@farebox/money": "0.1.0",
    "other": "0.1.0"
  }
}
`
  const replaced = replaceVersion('apps/a/package.json', manifest, '0.1.0', '0.2.0')
  expect(JSON.parse(replaced)).toEqual({
    version: '0.2.0',
    dependencies: { other: '0.1.0' },
    devDependencies: { '@farebox/money': '0.2.0', other: '0.1.0' },
  })
})

test('sets the version of our own packages in the lockfile only', () => {
  const lockfile = (version: string) => ({
    version,
    packages: {
      '': { version, devDependencies: { '@farebox/client': version, other: '0.1.0' } },
      'node_modules/other': { version: '0.1.0' },
      'node_modules/@farebox/client': { resolved: 'packages/client', link: true },
      'packages/client': { version },
    },
  })
  const replaced = replaceVersion('package-lock.json', JSON.stringify(lockfile('0.1.0')), '0.1.0', '0.2.0')
  expect(JSON.parse(replaced)).toEqual(lockfile('0.2.0'))
})

test('rejects a file that does not have the current version', () => {
  expect(() => replaceVersion('apps/a/package.json', '{ "version": "0.0.9" }', '0.1.0', '0.2.0')).toThrow(
    'does not have the version 0.1.0',
  )
})
