import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const PACKAGE = join(import.meta.dirname, '..')

test('the tarball runs in an empty folder, without dependencies', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-cli-tarball-'))
  const quiet = ['--silent', '--offline', '--no-audit', '--no-fund']
  const { stdout } = await run('npm', ['pack', '--json', ...quiet, '--pack-destination', folder], {
    cwd: PACKAGE,
  })
  const [{ filename, files }] = JSON.parse(stdout)
  const paths: string[] = files.map((file: { path: string }) => file.path)
  expect(paths.filter(path => !/^dist\/[\w-]+\.mjs$/.test(path)).toSorted()).toEqual([
    'README.md',
    'dist/LICENSE',
    'dist/THIRD-PARTY-LICENSES.txt',
    'package.json',
  ])

  await run('npm', ['install', ...quiet, '--prefix', folder, join(folder, filename)])
  const notices = await readFile(
    join(folder, 'node_modules/@farebox/cli/dist/THIRD-PARTY-LICENSES.txt'),
    'utf8',
  )
  for (const name of ['commander', 'viem', '@noble/curves'])
    expect(notices).toMatch(new RegExp(`^${name} \\d.*MIT`, 'm'))
  const farebox = join(folder, 'node_modules/.bin/farebox')
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  expect((await run(farebox, ['--version'], { env })).stdout).toBe(`${version}\n`)
  const key = `0x${'1'.repeat(64)}`
  // Loads every part: there is no gateway at this port.
  const refused = await run(farebox, ['login', '--gateway', 'http://127.0.0.1:1', '--json'], {
    env: { ...env, FAREBOX_KEY: key },
  }).catch(error => error)
  expect(refused.code).toBe(75)
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'UNREACHABLE' }, exitCode: 75 })
  await rm(folder, { recursive: true })
})
