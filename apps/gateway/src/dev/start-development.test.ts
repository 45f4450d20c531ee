import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { send } from '../../test/kit/network/http.ts'
import { until } from '../../test/kit/until.ts'
import { newWallet, signIn } from '../../test/kit/world/wallets.ts'
import { anvilClient } from './anvil.ts'
import { isProcessOf } from './processes.ts'

const MAIN = join(import.meta.dirname, '../bin/main.ts')
const READY_TIMEOUT_MS = 60_000
const TEN = 10_000_000n

// A test starts the whole gateway up to twice.
vi.setConfig({ testTimeout: 150_000 })

let directory: string
let child: ChildProcess | undefined
/** URL of the gateway in progress, which each test takes over from the one before. */
let url: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-development-'))
  await chmod(directory, 0o711)
})
afterAll(async () => {
  if (child?.exitCode === null && child.signalCode === null) await end('SIGTERM')
  await rm(directory, { recursive: true, force: true })
})

const READY = 'Farebox ready at'
/** Printed after the credential. */
const CREDENTIAL_END = 'Try it:'

/** Compiled sources, so that only the first start compiles them. */
const compiled = () => join(directory, 'compiled')

/** Runs `main.ts` in development mode; resolves with its output when the mark is in it, or at its end. */
async function run(mark = READY): Promise<{ url: string | undefined; output: string }> {
  const { PATH = '' } = process.env
  const started = spawn(process.execPath, [MAIN], {
    env: {
      PATH,
      NODE_COMPILE_CACHE: compiled(),
      FAREBOX_MODE: 'dev',
      FAREBOX_DATA_DIR: join(directory, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const isReady = new Promise<void>(done => {
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes(mark)) done()
      })
    }
  })
  const timer = setTimeout(() => started.kill('SIGKILL'), READY_TIMEOUT_MS)
  await Promise.race([isReady, once(started, 'close')])
  clearTimeout(timer)
  const ready = /Farebox ready at ([^\s"]+)/.exec(output)?.[1]
  if (output.includes(mark)) child = started
  return { url: ready, output }
}

/** Returns the development credential that it prints. */
async function start(): Promise<string | undefined> {
  const started = await run(CREDENTIAL_END)
  if (started.url === undefined) throw new Error(`It did not become ready:\n${started.output}`)
  url = started.url
  return /^ {2}export CREDENTIAL=(agt_[\w-]+)$/m.exec(started.output)?.[1]
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

/**
 * Returns the process ids of database and chain. They start at the same time: the id of one that has not started yet is
 * that of the start before.
 */
async function partPids(): Promise<number[]> {
  const postmaster = await readFile(join(directory, 'data/postgres/postmaster.pid'), 'utf8').catch(() => null)
  return [await nodePid(), ...(postmaster === null ? [] : [Number.parseInt(postmaster, 10)])]
}

type Facts = { rpcUrl: string; usdc: Address; vault: Address; chainId: number; requiredConfirmations: number }
type Found = { agentToolName: string; pricing: object; invoke?: { targets: { url: string }[] } }

const read = async <Body>(path: string): Promise<Body> => (await send<Body>(url, path)).body
const readFacts = () => read<Facts>('/api/v1/chain')

/** A sample service as anybody finds it, once a probe has found it healthy. */
async function findSample(name: string): Promise<Found> {
  let found: Found | undefined
  await until(`the sample service ${name} is found`, async () => {
    const services = await read<Found[]>('/api/v1/services/discover')
    found = services.find(service => service.agentToolName === name)
    return found !== undefined
  })
  return found as Found
}

/** Takes test money and deposits ten USDC; returns the transaction. */
async function deposit(facts: Facts, owner: Address): Promise<Hex> {
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

async function balanceOf(token: string): Promise<string> {
  const { body } = await send<{ balance: { consumerAvailableBalance: string } }>(url, '/api/v1/balance', {
    token,
  })
  return body.balance.consumerAvailableBalance
}

const wallet = newWallet()
let token: string
let credential: string

test('starts database, chain, contracts, faucet, sample services and a credential', async () => {
  credential = (await start()) ?? 'none'
  const facts = await readFacts()
  expect(facts).toMatchObject({ chainId: 31337, requiredConfirmations: 1 })
  expect(await findSample('echo')).toMatchObject({ pricing: { currency: 'USDC', amount: '0.010000' } })
  expect(await findSample('sample-llm')).toMatchObject({ outputPricePer1MTokensUsdc: '0.600000' })
  expect(await findSample('sample-messages')).toMatchObject({ outputPricePer1MTokensUsdc: '15.000000' })

  token = await signIn(url, wallet)
  const txHash = await deposit(facts, wallet.address)
  const { body } = await send<{ intent: { id: string } }>(url, '/api/v1/balance/deposit/intent', {
    method: 'POST',
    token,
    body: { tx_hash: txHash, amount: 10 },
  })
  const path = `/api/v1/balance/deposit/intents/${body.intent.id}/confirm`
  expect((await send(url, path, { method: 'POST', token, body: {} })).status).toBe(200)
  expect(await balanceOf(token)).toBe('10.000000')
})

type Minted = { credential_id: string; creditLimit: string; resetInterval: string }

/** The development credential as its owner sees it, by the key in the data directory, and the mode of that file. */
async function readDevelopmentCredential() {
  const file = join(directory, 'data/development-credential.json')
  const { walletKey } = JSON.parse(await readFile(file, 'utf8')) as { walletKey: Hex }
  const session = await signIn(url, privateKeyToAccount(walletKey))
  const { body } = await send<{ credentials: Minted[] }>(url, '/api/v1/credentials/agent/list', {
    token: session,
  })
  const [minted, ...others] = body.credentials
  if (minted === undefined || others.length > 0) throw new Error('There should be one credential.')
  return { ...minted, id: minted.credential_id, session, mode: (await stat(file)).mode & 0o777 }
}

type Answer = { status: string; chargedUsdc: string; code?: string }

/** Calls a service with the development credential. */
const callBy = async (by: string, serviceId: string, costUsdc: string): Promise<Answer> =>
  (
    await send<Answer>(url, '/api/v1/agent/invoke', {
      method: 'POST',
      headers: { 'x-credential': by },
      body: { serviceId, costUsdc, payload: { body: { name: 'Ada' } } },
    })
  ).body

test('caches its compiled sources as soon as it is ready, for the start after a kill', async () => {
  const kept = await readdir(compiled(), { recursive: true, withFileTypes: true })
  expect(kept.filter(entry => entry.isFile()).length).toBeGreaterThan(100)
})

test('provides a credential for free and paid samples with a dollar a day', async () => {
  expect(await callBy(credential, 'hello', '0')).toMatchObject({
    status: 'SUCCEEDED',
    chargedUsdc: '0.000000',
  })
  expect(await callBy(credential, 'echo', '0.01')).toMatchObject({ chargedUsdc: '0.010000' })
  expect(await readDevelopmentCredential()).toMatchObject({
    creditLimit: '1.000000',
    resetInterval: 'daily',
    mode: 0o600,
  })
})

test('delivers mails of the gateway to the development mailbox', async () => {
  const path = '/api/v1/auth/me/profile'
  const { body } = await send<{ challenge: string }>(url, `${path}/challenge`, { method: 'POST', token })
  const message = body.challenge
  const signature = await wallet.signMessage({ message })
  const email = 'ada@example.com'
  await send(url, path, { method: 'PUT', token, body: { message, signature, email } })
  let code: string | undefined
  await until('the code is in the mailbox', async () => {
    const { mails } = await read<{ mails: { text: string }[] }>(`/dev/mailbox?to=${email}`)
    code = /\b\d{6}\b/.exec(mails[0]?.text ?? '')?.[0]
    return code !== undefined
  })
  const verified = await send<{ profile: { email: string } }>(url, '/api/v1/auth/email/verify-code', {
    method: 'POST',
    token,
    body: { email, code },
  })
  expect(verified.body.profile.email).toBe(email)
})

test('refuses a second gateway on the same folder without disturbing the first', async () => {
  const second = await run()
  expect(second.url).toBeUndefined()
  expect(second.output).toMatch(/Another gateway \(process \d+\) uses .*FAREBOX_DATA_DIR/)
  expect(await balanceOf(token)).toBe('10.000000')
})

test('restarts after a kill with its chain: the contracts exist, books and chain agree', async () => {
  const facts = await readFacts()
  const pid = await nodePid()
  await end('SIGKILL')
  process.kill(pid, 'SIGKILL')

  expect(await start()).toBe(credential)
  expect(await readFacts()).toEqual(facts)
  await until('the reserves cover what is owed', async () => {
    const reserves = await read<{ consistent: boolean; vaultBalanceUsdc: string }>('/api/v1/proof/reserves')
    return reserves.consistent && reserves.vaultBalanceUsdc === '110.000000'
  })
})

test('keeps everything over a graceful restart, sessions included', async () => {
  const facts = await readFacts()
  const { session, id } = await readDevelopmentCredential()
  await send(url, `/api/v1/credentials/agent/${id}/revoke`, { method: 'POST', token: session, body: {} })
  expect(await callBy(credential, 'hello', '0')).toMatchObject({ code: 'CREDENTIAL_INACTIVE' })
  expect(await end('SIGTERM')).toBe(0)
  const other = (await start()) ?? 'none'
  expect(await readFacts()).toEqual(facts)
  expect(await balanceOf(token)).toBe('10.000000')
  await findSample('echo')
  // Another development credential, as the first one is no longer valid.
  expect(other).not.toBe(credential)
  expect(await callBy(other, 'hello', '0')).toMatchObject({ status: 'SUCCEEDED' })
})

test.for(['ready: contracts', 'ready: database'])(
  'restarts after being killed with its database and chain at "%s"',
  async mark => {
    await end('SIGTERM')
    await run(mark)
    const parts = await partPids()
    await end('SIGKILL')
    for (const pid of parts) if (isProcessOf(pid, directory)) process.kill(pid, 'SIGKILL')

    await start()
    expect(await balanceOf(token)).toBe('10.000000')
    await until('the reserves cover what is owed', async () => {
      const reserves = await read<{ consistent: boolean; vaultBalanceUsdc: string }>('/api/v1/proof/reserves')
      return reserves.consistent && reserves.vaultBalanceUsdc === '110.000000'
    })
  },
)

test('stops gracefully although one Ctrl-C arrives twice, and leaves no process', async () => {
  const pid = await nodePid()
  child?.kill('SIGINT')
  expect(await end('SIGINT')).toBe(0)
  expect(isProcessOf(pid, directory)).toBe(false)
})

test('leaves no process when it is ended before it is ready', async () => {
  await run('ready: contracts')
  const parts = await partPids()
  expect(await end('SIGTERM')).toBe(0)
  await until('database and chain have ended', async () => !parts.some(pid => isProcessOf(pid, directory)))
})

test('refuses to start on a new chain with a used database, and says what to delete', async () => {
  await rm(join(directory, 'data/chain'), { recursive: true })
  const { url: ready, output } = await run()
  expect(ready).toBeUndefined()
  expect(output).toMatch(
    /^VAULT_ADDRESS is 0x\w+, but this database belongs to .* delete the data directory /m,
  )
})
