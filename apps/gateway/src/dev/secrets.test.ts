import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readOrMakeSecrets } from './secrets.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-secrets-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

test('creates distinct secrets once, readable by their owner only', async () => {
  const secrets = await readOrMakeSecrets(directory)
  expect(await readOrMakeSecrets(directory)).toEqual(secrets)
  const values = Object.values(secrets)
  expect(new Set(values).size).toBe(4)
  for (const value of values) expect(value).toMatch(/^(0x)?[0-9a-f]{64}$/)
  expect((await stat(join(directory, 'secrets.json'))).mode & 0o777).toBe(0o600)
})

test('concurrent starts agree on one set of secrets', async () => {
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => readOrMakeSecrets(directory)))
  for (const other of others) expect(other).toEqual(first)
  expect(await readdir(directory)).toEqual(['secrets.json'])
})
