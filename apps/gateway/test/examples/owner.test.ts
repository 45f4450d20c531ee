import { parseUsdc } from '@farebox/money'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { runProgram } from '../proof/programs.ts'

const PROGRAM = 'examples/owner/owner.ts'
const CREDENTIAL = /^agt_[\w-]+\n$/

let on: TestGateway
beforeAll(async () => {
  on = await startTestGateway()
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
})

test('an owner deposits what is missing, and gets a credential with that limit', async () => {
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

test('an owner gets an error message and nothing else', async () => {
  const broken = await runProgram(PROGRAM, [], { GATEWAY: on.url, WALLET_KEY: 'mine' })
  expect(broken).toMatchObject({ code: 1, printed: '' })
  expect(broken.output).toContain('WALLET_KEY is no private key')
  const none = await runProgram(PROGRAM, [], { GATEWAY: on.url })
  expect(none).toMatchObject({ code: 1, printed: '' })
  expect(none.output).toContain('Set WALLET_KEY')
  const away = await runProgram(PROGRAM, [], {
    GATEWAY: 'http://127.0.0.1:1',
    WALLET_KEY: generatePrivateKey(),
  })
  expect(away).toMatchObject({ code: 1, printed: '' })
  expect(away.output).toContain('UNREACHABLE')
})
