import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newWallet, send, signIn } from '../../test/wallets.ts'
import { until } from '../../test/world.ts'
import { anvilClient } from './anvil.ts'
import { isProcessOf } from './processes.ts'

const MAIN = join(import.meta.dirname, '../main.ts')
const READY_TIMEOUT_MS = 30_000
const TEN = 10_000_000n

let directory: string
let child: ChildProcess | undefined

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-development-'))
  await chmod(directory, 0o711)
})
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) await end('SIGTERM')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Runs `main.ts` in development mode; resolves with its output up to the line that it is ready, or its end. */
async function run(): Promise<{ url: string | undefined; output: string }> {
  const { PATH = '' } = process.env
  const started = spawn(process.execPath, [MAIN], {
    env: { PATH, FAREBOX_MODE: 'dev', FAREBOX_DATA_DIR: join(directory, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const isReady = new Promise<void>(done => {
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Farebox ready at')) done()
      })
    }
  })
  const timer = setTimeout(() => started.kill('SIGKILL'), READY_TIMEOUT_MS)
  await Promise.race([isReady, once(started, 'close')])
  clearTimeout(timer)
  const url = /Farebox ready at (\S+)/.exec(output)?.[1]
  if (url !== undefined) child = started
  return { url, output }
}

async function start(): Promise<string> {
  const { url, output } = await run()
  if (url === undefined) throw new Error(`It did not become ready:\n${output}`)
  return url
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  if (child === undefined) return null
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
  return child.exitCode
}

async function nodePid(): Promise<number> {
  const { pid } = JSON.parse(await readFile(join(directory, 'data/chain/anvil.json'), 'utf8')) as {
    pid: number
  }
  return pid
}

type Facts = { rpcUrl: string; usdc: Address; vault: Address; chainId: number; requiredConfirmations: number }
type Found = { agentToolName: string; pricing: object; invoke?: { targets: { url: string }[] } }

const read = async <Body>(url: string, path: string): Promise<Body> => (await send<Body>(url, path)).body

/** The sample service as anybody finds it, once a probe has found it healthy. */
async function findEcho(url: string): Promise<Found> {
  let found: Found | undefined
  await until('the sample service is found', async () => {
    const services = await read<Found[]>(url, '/api/v1/services/discover')
    found = services.find(service => service.agentToolName === 'echo')
    return found !== undefined
  })
  return found as Found
}

/** Takes test money and deposits ten USDC; returns the transaction. */
async function deposit(url: string, facts: Facts, owner: Address): Promise<Hex> {
  await send(url, '/dev/faucet', { method: 'POST', body: { address: owner } })
  const client = anvilClient(facts.rpcUrl)
  await client.impersonateAccount({ address: owner })
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [facts.vault, TEN] })
  await client.sendTransaction({ account: owner, to: facts.usdc, data: approve })
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [TEN] })
  const hash = await client.sendTransaction({ account: owner, to: facts.vault, data })
  await client.waitForTransactionReceipt({ hash })
  return hash
}

async function balanceOf(url: string, token: string): Promise<string | undefined> {
  const { body } = await send<{ balance: { consumerAvailableBalance: string } }>(url, '/api/v1/balance', {
    token,
  })
  return body.balance.consumerAvailableBalance
}

const wallet = newWallet()

test('a first start brings database, chain, contracts, faucet and the sample service', async () => {
  const url = await start()
  const facts = await read<Facts>(url, '/api/v1/chain')
  expect(facts).toMatchObject({ chainId: 31337, requiredConfirmations: 1 })
  expect(await findEcho(url)).toMatchObject({ pricing: { currency: 'USDC', amount: '0.010000' } })

  const token = await signIn(url, wallet)
  const txHash = await deposit(url, facts, wallet.address)
  const { body } = await send<{ intent: { id: string } }>(url, '/api/v1/balance/deposit/intent', {
    ...{ method: 'POST', token },
    body: { tx_hash: txHash, amount: 10 },
  })
  const path = `/api/v1/balance/deposit/intents/${body.intent.id}/confirm`
  expect((await send(url, path, { method: 'POST', token, body: {} })).status).toBe(200)
  expect(await balanceOf(url, token)).toBe('10.000000')
})

test('the next start finds everything again, sessions included', async () => {
  const before = await start()
  const token = await signIn(before, wallet)
  const facts = await read<Facts>(before, '/api/v1/chain')
  expect(await balanceOf(before, token)).toBe('10.000000')
  expect(await end('SIGTERM')).toBe(0)

  const url = await start()
  expect(await read<Facts>(url, '/api/v1/chain')).toEqual(facts)
  expect(await balanceOf(url, token)).toBe('10.000000')
  await findEcho(url)
})

test('killed with its chain, it starts again and its books and the chain agree', async () => {
  const before = await start()
  const facts = await read<Facts>(before, '/api/v1/chain')
  const pid = await nodePid()
  await end('SIGKILL')
  process.kill(pid, 'SIGKILL')

  const url = await start()
  expect(await read<Facts>(url, '/api/v1/chain')).toEqual(facts)
  await until('the reserves cover what is owed', async () => {
    const { consistent, vaultBalanceUsdc } = await read<{ consistent: boolean; vaultBalanceUsdc: string }>(
      url,
      '/api/v1/proof/reserves',
    )
    return consistent && vaultBalanceUsdc === '10.000000'
  })
})

test('a second gateway on the same folder is refused and disturbs nothing', async () => {
  const url = await start()
  const second = await run()
  expect(second.url).toBeUndefined()
  expect(second.output).toMatch(/Another gateway \(process \d+\) uses .*FAREBOX_DATA_DIR/)
  expect((await send(url, '/api/v1/services/discover')).status).toBe(200)
})

test('after an orderly stop no process is left, and it exits 0 also when the signal comes twice', async () => {
  await start()
  const pid = await nodePid()
  child?.kill('SIGINT')
  expect(await end('SIGINT')).toBe(0)
  expect(isProcessOf(pid, directory)).toBe(false)
})
