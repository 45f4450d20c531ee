import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseUsdc } from '@farebox/money'
import { type Hex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { runProgram } from '../proof/programs.ts'

const PROGRAM = 'examples/owner/owner.ts'
const CREDENTIAL = /^agt_[\w-]+\n$/

let on: TestGateway
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-owner-'))
  on = await startTestGateway()
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await rm(directory, { recursive: true })
})

test('deposits what is missing, and mints a credential with that limit', async () => {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  await on.chain.client.setBalance({ address, value: parseEther('1') })
  await on.chain.fund(address, parseUsdc('2.5'))
  const environment = { GATEWAY: on.url, WALLET_KEY: key }
  const first = await runProgram(PROGRAM, ['2'], environment)
  expect(first.output).toContain('with 0.000000 USDC to spend')
  expect(first.output).toContain('may spend 2.000000 USDC within a day')
  expect(first.printed).toMatch(CREDENTIAL)
  expect(first.code).toBe(0)

  const second = await runProgram(PROGRAM, ['2.5', 'a second one'], environment)
  expect(second.output).toContain('with 2.000000 USDC to spend')
  expect(second.printed).toMatch(CREDENTIAL)
  const third = await runProgram(PROGRAM, ['0.5'], environment)
  expect(third.output).toContain('with 2.500000 USDC to spend')
  expect(third.output).not.toContain('deposited')
  expect(third.printed).toMatch(CREDENTIAL)

  const poor = await runProgram(PROGRAM, ['3'], environment)
  expect(poor).toMatchObject({ code: 1, printed: '' })
  expect(poor.output).toContain('revert')
})

test('without a key, creates a wallet in a file that only this user can read', async () => {
  const file = join(directory, 'wallets', 'example.key')
  const environment = { GATEWAY: on.url, WALLET_FILE: file }
  const poor = await runProgram(PROGRAM, ['0.5'], environment)
  expect(poor).toMatchObject({ code: 1, printed: '' })
  expect(poor.output).toContain('gives no test money')
  const key = await readFile(file, 'utf8')
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const { address } = privateKeyToAccount(key.trim() as Hex)
  await on.chain.client.setBalance({ address, value: parseEther('1') })
  await on.chain.fund(address, parseUsdc('0.5'))
  const rich = await runProgram(PROGRAM, ['0.5'], environment)
  expect(rich.output).toContain(`signed in as ${address}, with 0.000000 USDC to spend`)
  expect(rich.printed).toMatch(CREDENTIAL)
  expect(await readFile(file, 'utf8')).toBe(key)

  await writeFile(file, 'something else')
  const broken = await runProgram(PROGRAM, ['0.5'], environment)
  expect(broken).toMatchObject({ code: 1, printed: '' })
  expect(broken.output).toContain(`${file} is no private key`)
  expect(await readFile(file, 'utf8')).toBe('something else')
})

test('prints only an error message on failure', async () => {
  const broken = await runProgram(PROGRAM, [], { GATEWAY: on.url, WALLET_KEY: 'mine' })
  expect(broken).toMatchObject({ code: 1, printed: '' })
  expect(broken.output).toContain('WALLET_KEY is no private key')
  const away = await runProgram(PROGRAM, [], {
    GATEWAY: 'http://127.0.0.1:1',
    WALLET_KEY: generatePrivateKey(),
  })
  expect(away).toMatchObject({ code: 1, printed: '' })
  expect(away.output).toContain('UNREACHABLE')
})
