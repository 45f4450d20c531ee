import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/adapters/free-port.ts'
import { bundledGateway } from '../kit/gateway/gateway-bundle.ts'
import { type GatewayParts, startParts, testEnvironment } from '../kit/gateway/test-gateway.ts'
import { until } from '../kit/until.ts'

let parts: GatewayParts
let directory: string
beforeAll(async () => {
  parts = await startParts({})
  directory = mkdtempSync(join(tmpdir(), 'farebox-refused-log-'))
})
afterAll(async () => {
  await Promise.all([parts.chain.stop(), parts.database.drop()])
  rmSync(directory, { recursive: true })
})

/** Returns the status of a path, and 0 while the gateway does not answer. */
const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )

/** Starts a gateway whose standard output and standard error refuse every write, as files on a full disk do. */
async function startUnheard(): Promise<{ child: ChildProcess; url: string }> {
  const file = join(directory, 'log')
  writeFileSync(file, '')
  const refused = openSync(file, 'r')
  const port = await freePort()
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [await bundledGateway()], {
    env: { PATH, HOME, ...testEnvironment(parts), PORT: String(port), LOG_LEVEL: 'info' },
    stdio: ['ignore', refused, refused],
  })
  closeSync(refused)
  return { child, url: `http://127.0.0.1:${port}` }
}

test('a gateway whose log cannot be written starts, serves requests, and stops in order', async () => {
  const { child, url } = await startUnheard()
  const exited = once(child, 'exit')
  try {
    await until('it is ready', async () => {
      if (child.exitCode !== null) throw new Error(`It ended at start with ${child.exitCode}.`)
      return (await statusOf(`${url}/ready`)) === 200
    })
    for (let times = 0; times < 200; times += 1) expect(await statusOf(`${url}/api/v1/unknown`)).toBe(404)
    expect(await statusOf(`${url}/ready`)).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await exited
  }
})
