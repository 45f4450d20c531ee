import { getAddress, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../test/kit/chain/test-chain.ts'
import { send } from '../../test/kit/network/http.ts'
import { silent } from '../../test/kit/silent-log.ts'
import { newWallet } from '../../test/kit/world/wallets.ts'
import { systemClock } from '../adapters/clock.ts'
import { createIds } from '../adapters/ids.ts'
import { createMetrics } from '../adapters/metrics.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Deps } from '../ports.ts'
import { createFaucet, faucetRoute } from './faucet.ts'

let chain: TestChain
let app: App

beforeAll(async () => {
  chain = await startTestChain()
  const deps: Partial<Deps> = {
    config: readConfig({ FAREBOX_MODE: 'dev' }),
    ids: createIds(Date.now),
    log: silent,
    metrics: createMetrics(silent),
    tracer: null,
    clock: systemClock,
  }
  const faucet = createFaucet(chain.client, chain.contracts)
  app = await buildApp(deps as Deps, async root => faucetRoute(root, faucet))
})
afterAll(async () => {
  await app?.close()
  await chain?.stop()
})

const ask = (body: unknown) => send(app, '/dev/faucet', { method: 'POST', body })

test('a new wallet gets 100 test USDC and 10 ether, mined before the response', async () => {
  const { address } = newWallet()
  const { status, body } = await ask({ address: address.toLowerCase() })
  expect(status).toBe(200)
  expect(body).toEqual({
    status: 'success',
    address: getAddress(address),
    amountUsdc: '100.000000',
    ethAmount: '10',
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect(await chain.usdcOf(address)).toBe(100_000_000n)
  expect(await chain.client.getBalance({ address })).toBe(parseEther('10'))
  expect(await chain.adapter.receipt(body.txHash as `0x${string}`)).toMatchObject({ status: 'success' })
})

test('accepts an amount as text or number, up to a million', async () => {
  const { address } = newWallet()
  expect((await ask({ address, amountUsdc: '0.000001' })).body).toMatchObject({ amountUsdc: '0.000001' })
  expect((await ask({ address, amountUsdc: 1_000_000 })).body).toMatchObject({ amountUsdc: '1000000.000000' })
  expect(await chain.usdcOf(address)).toBe(1_000_000_000_001n)
})

test('funds many wallets in parallel', async () => {
  const wallets = Array.from({ length: 20 }, () => newWallet().address)
  const answers = await Promise.all(wallets.map(address => ask({ address })))
  expect(answers.map(({ status }) => status)).toEqual(wallets.map(() => 200))
  for (const address of wallets) expect(await chain.usdcOf(address)).toBe(100_000_000n)
})

test.each([
  [{}, 'MISSING_ADDRESS'],
  [{ address: '0x12' }, 'INVALID_ADDRESS'],
  [{ address: 7 }, 'INVALID_ADDRESS'],
  [{ address: `0x${'a'.repeat(40)}`, amountUsdc: '1000000.000001' }, 'INVALID_PAYLOAD'],
  [{ address: `0x${'a'.repeat(40)}`, amountUsdc: '-1' }, 'INVALID_PAYLOAD'],
])('rejects %j: %s', async (body, code) => {
  expect(await ask(body)).toMatchObject({ status: 400, body: { code } })
})

test('refuses an address that takes no ether or no USDC, and blames no chain', async () => {
  for (const address of [chain.contracts.vault, `0x${'0'.repeat(40)}`])
    expect(await ask({ address })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_ADDRESS', message: 'This address takes no test money. Give that of a wallet.' },
    })
})
