import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startZombie } from '../../test/kit/zombie.ts'
import { claimDirectory, findRunning } from './claim-directory.ts'
import { startOfProcess } from './processes.ts'

const parts = { DATABASE_URL: 'postgres://x', CHAIN_RPC_URL: 'http://x', VAULT_ADDRESS: '0x1' }
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-claim-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const leave = (holder: object) => writeFile(join(directory, 'gateway.json'), JSON.stringify(holder))

test('finds the parts of a running gateway, readable by their owner only', async () => {
  expect(await findRunning(directory)).toBeNull()
  const claim = await claimDirectory(directory)
  expect(await findRunning(directory)).toBeNull()
  await claim.announce(parts)
  expect(await findRunning(directory)).toEqual(parts)
  expect((await stat(join(directory, 'gateway.json'))).mode & 0o777).toBe(0o600)
  await claim.release()
  expect(await findRunning(directory)).toBeNull()
})

test('a running gateway keeps its directory; one that has exited does not', async () => {
  const other = spawn('sleep', ['60'])
  const { pid = 0 } = other
  await leave({ pid, start: startOfProcess(pid), parts })
  await expect(claimDirectory(directory)).rejects.toThrow(`process ${pid}`)
  expect(await findRunning(directory)).toEqual(parts)
  other.kill('SIGKILL')
  await once(other, 'exit')
  expect(await findRunning(directory)).toBeNull()
  await claimDirectory(directory)
})

test.runIf(existsSync('/proc/self/stat'))('a zombie gateway does not hold its directory', async () => {
  const { pid, start, end } = await startZombie()
  await leave({ pid, start, parts })
  expect(await findRunning(directory)).toBeNull()
  await claimDirectory(directory)
  end()
})

test('stops a gateway whose npm was killed, and not one whose npm runs', async () => {
  const [npm, gateway] = [spawn('sleep', ['60']), spawn('sleep', ['60'])]
  const runOf = (pid = 0) => ({ pid, start: startOfProcess(pid) })
  await leave({ ...runOf(gateway.pid), starter: runOf(npm.pid), parts })
  await expect(claimDirectory(directory)).rejects.toThrow(`process ${gateway.pid}`)
  npm.kill('SIGKILL')
  await once(npm, 'exit')
  const ended = once(gateway, 'exit')
  const notices: string[] = []
  await claimDirectory(directory, message => notices.push(message))
  expect(await ended).toEqual([null, 'SIGTERM'])
  expect(notices).toEqual([expect.stringContaining(`process ${gateway.pid}`)])
})

test('a process that reuses the id of an exited gateway does not hold the directory', async () => {
  const other = spawn('sleep', ['60'])
  await leave({ pid: other.pid, start: 'another time', parts })
  expect(await findRunning(directory)).toBeNull()
  await claimDirectory(directory)
  other.kill('SIGKILL')
})
