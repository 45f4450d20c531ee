import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { secretSettings } from '../../src/config.ts'
import { settings } from '../../src/settings.ts'
import { startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { startParts, testEnvironment } from '../kit/gateway/test-gateway.ts'

const DEPLOY = join(import.meta.dirname, '../../../../deploy/systemd')
const unit = readFileSync(join(DEPLOY, 'farebox.service'), 'utf8')
const namesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

test('the systemd unit passes each credential to the right setting', () => {
  const credentials = namesOf(unit, /^LoadCredential=(\w+):\/etc\/farebox\/secrets\/\1$/gm)
  const files = namesOf(unit, /\b([A-Z_]+)_FILE=%d\/\w+/g)
  expect(files.map(name => name.toLowerCase())).toEqual(credentials)
  for (const name of files) {
    expect(unit).toContain(`${name}_FILE=%d/${name.toLowerCase()}`)
    expect(secretSettings()).toContain(name)
  }
  const plain = namesOf(readFileSync(join(DEPLOY, 'farebox.env'), 'utf8'), /^([A-Z_]+)=/gm)
  for (const name of plain) expect(Object.keys(settings)).toContain(name)
  const flags = /node_modules\/\.bin\/node (--.*) "\$@"/.exec(
    readFileSync(join(DEPLOY, '../../scripts/with-node'), 'utf8'),
  )
  expect(unit).toContain(`/node ${flags?.[1]} apps/gateway/src/bin/main.ts`)
})

test('a gateway starts with every secret in a file, and exits cleanly on SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-credentials-'))
  const parts = await startParts({})
  const plain = testEnvironment(parts)
  const env: Record<string, string> = {}
  for (const name of secretSettings().filter(each => plain[each] !== undefined)) {
    const path = join(folder, name.toLowerCase())
    writeFileSync(path, `${plain[name]}\n`)
    chmodSync(path, 0o400)
    Object.assign(env, { [name]: '', [`${name}_FILE`]: path })
  }
  const gateway = await startGatewayProcess({ ...parts, env })
  try {
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
    expect(await gateway.sigterm()).toMatchObject({ code: 0, signal: null })
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true })
  }
})
