import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { stagesOf } from './dockerfile.ts'

// What the image is made of, without a container engine. scripts/image.ts does its steps, as root.

const ROOT = join(import.meta.dirname, '..')
const VERIFY = join(import.meta.dirname, 'verify-install.mjs')
const MIB = 1_048_576
/** What is copied into the image: modules and sources, without the console's pages. Lower it when it falls. */
const COPIED_MIB_MAX = 187

const text = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8')
const stages = stagesOf(text)
const inStage = (stage: string, name: string) =>
  (stages.get(stage) ?? []).filter(each => each.name === name).map(each => each.text)
/** Paths that are taken away again. */
const removed = inStage('modules', 'RUN')
  .flatMap(run => /^rm -r (.*?) &&/.exec(run)?.[1]?.split(/\s+/) ?? [])
  .filter(path => path !== 'node_modules/.bin')
const isRemoved = (path: string) =>
  path.endsWith('.test.ts') || removed.some(each => path === each || path.startsWith(`${each}/`))

test('versions its base images, and compares each install with the lockfile without running scripts', () => {
  const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  expect(images.filter(image => !stages.has(image))).toEqual([
    expect.stringMatching(/^node:24\.\d+\.\d+-/),
    expect.stringMatching(/^gcr\.io\/distroless\/nodejs24-debian12:nonroot$/),
  ])
  const installs = ['modules', 'console']
    .flatMap(stage => inStage(stage, 'RUN'))
    .filter(run => /\bnpm\b/.test(run))
  expect(installs).toHaveLength(2)
  for (const install of installs)
    expect(install).toMatch(
      /^npm install --no-save .*--ignore-scripts.* && node scripts\/verify-install\.mjs/,
    )
})

test('fails the build for a module whose version or content differs from the lockfile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-install-'))
  const verify = (installed: object) => {
    const packages = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
    return spawnSync(process.execPath, [VERIFY, folder], { encoding: 'utf8' })
  }
  mkdirSync(join(folder, 'node_modules'))
  const good = { version: '1.0.0', integrity: 'sha512-a' }
  expect(verify({ 'node_modules/a': good })).toMatchObject({ status: 0, stderr: '' })
  for (const other of [
    { 'node_modules/a': { ...good, integrity: 'sha512-b' } },
    { 'node_modules/a': { ...good, version: '1.0.1' } },
    { 'node_modules/b': good },
  ])
    expect(verify(other)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/node_modules\/[ab] 1\.0/),
    })
  rmSync(folder, { recursive: true })
})

test('runs nothing during the build, is not root, and checks its health without a shell', () => {
  expect(inStage('image', 'RUN')).toEqual([])
  expect(inStage('image', 'COPY').every(copy => /^--from=(?:modules|console) /.test(copy))).toBe(true)
  expect(inStage('image', 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
  const [health = ''] = inStage('image', 'HEALTHCHECK')
  expect(health).toMatch(/^--interval=\d+s --timeout=\d+s .*CMD \["\/nodejs\/bin\/node", .*\/health/)
  const flags = /\.bin\/node (--.*) "\$@"/.exec(readFileSync(join(ROOT, 'scripts/with-node'), 'utf8'))?.[1]
  expect(inStage('image', 'ENTRYPOINT').map(words => JSON.parse(words))).toEqual([
    ['/nodejs/bin/node', ...(flags?.split(' ') ?? [])],
  ])
  const [command = ''] = inStage('image', 'CMD').flatMap(words => JSON.parse(words) as string[])
  expect(existsSync(join(ROOT, command))).toBe(true)
})

test('copies only files that exist and that its ignore file admits', () => {
  const lines = readFileSync(join(ROOT, 'deploy/docker/Dockerfile.dockerignore'), 'utf8').split('\n')
  const copied = ['sources', 'console']
    .flatMap(stage => inStage(stage, 'COPY'))
    .flatMap(copy => copy.split(' ').slice(0, -1))
  expect(lines[0]).toBe('*')
  for (const path of copied) {
    expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
    expect(lines).toContain(`!${path}`)
  }
})

test('limits the size of what it copies', () => {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * MIB } as const
  const list = ['ls', '--omit=dev', '--all', '--parseable', '--workspace=@farebox/gateway']
  const modules = spawnSync('npm', [...list, '--include-workspace-root=false'], options)
    .stdout.split('\n')
    .map(path => relative(ROOT, path))
    .filter(
      path => path.includes('node_modules/') && !path.includes('node_modules/@farebox/') && !isRemoved(path),
    )
  expect(modules.length).toBeGreaterThan(100)
  const files = modules.flatMap(module =>
    globSync('**/*', { cwd: join(ROOT, module), exclude: name => name === 'node_modules' }).map(file =>
      join(module, file),
    ),
  )
  const sources = execFileSync('git', ['ls-files', 'apps', 'packages'], options).trim().split('\n')
  for (const path of removed.filter(each => /^(?:apps|packages)\//.test(each)))
    expect([path, sources.some(source => source.startsWith(`${path}/`))]).toEqual([path, true])
  const sizeOf = (paths: readonly string[]) =>
    paths.map(path => lstatSync(join(ROOT, path))).reduce((sum, { size }) => sum + size, 0)
  const copied = sizeOf([...new Set(files)]) + sizeOf(sources.filter(path => !isRemoved(path)))
  expect(copied / MIB).toBeLessThan(COPIED_MIB_MAX)
  expect(copied / MIB).toBeGreaterThan(COPIED_MIB_MAX / 2)
})
