import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Hex, parseEther } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../test/kit/until.ts'
import { newWallet } from '../../test/kit/world/wallets.ts'
import { type AnvilClient, anvilClient } from './anvil.ts'
import { saveState, unpackState } from './chain-state.ts'
import { firstAccount, sendMined } from './deploy.ts'
import { type LocalChain, startLocalChain } from './local-chain.ts'
import { isProcessOf } from './processes.ts'

const ONE = parseEther('1')

let directory: string
const running: LocalChain[] = []
const notices: string[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-chain-'))
  notices.length = 0
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(chain => chain.stop()))
  await rm(directory, { recursive: true, force: true })
})

async function start(options: { compactAfterBlocks?: bigint } = {}) {
  const chain = await startLocalChain({ directory, notice: text => notices.push(text), ...options })
  running.push(chain)
  return { chain, client: anvilClient(chain.rpcUrl) }
}

async function stop(chain: LocalChain): Promise<void> {
  running.splice(running.indexOf(chain), 1)
  await chain.stop()
}

async function pay(client: AnvilClient, to: Address): Promise<Hex> {
  const from = await firstAccount(client)
  return (await sendMined(client, { from, to, value: ONE })).transactionHash
}

const answers = (client: AnvilClient) =>
  client.getBlockNumber().then(
    () => true,
    () => false,
  )

/** The state as it was saved: does it hold a transaction to this address? */
async function isSaved(to: Address): Promise<boolean> {
  const loaded = join(directory, 'probe.json')
  if ((await unpackState({ saved: join(directory, 'state.json.gz'), loaded })) === null) return false
  return (await readFile(loaded, 'utf8')).includes(to.toLowerCase())
}

describe('blocks', () => {
  test('mines a transaction at once, and an empty block every second', async () => {
    const { client } = await start()
    const from = Date.now()
    const took: number[] = []
    for (let count = 0; count < 4; count += 1) {
      const sentAt = performance.now()
      await pay(client, newWallet().address)
      took.push(performance.now() - sentAt)
    }
    // Sequential waits for the next block take a second each, more on a busy machine.
    expect(Math.min(...took.slice(1))).toBeLessThan(500)
    const { number } = await client.getBlock()
    await until('two more blocks are there', async () => (await client.getBlock()).number >= number + 2n)
    expect(Date.now() - from).toBeGreaterThan(1_000)
  })

  test('never move back in time, even when time was moved ahead before a restart', async () => {
    const first = await start()
    await first.client.increaseTime({ seconds: 86_400 })
    await first.client.mine({ blocks: 1 })
    const before = await first.client.getBlock()
    await stop(first.chain)
    const { client } = await start()
    await pay(client, newWallet().address)
    const after = await client.getBlock()
    expect(after.number).toBeGreaterThan(before.number)
    expect(after.timestamp).toBeGreaterThanOrEqual(before.timestamp)
    expect(Number(after.timestamp - before.timestamp)).toBeLessThan(60)
  })
})

describe('state', () => {
  test('survives a graceful stop: balances, receipts and blocks, at the same URL', async () => {
    const to = newWallet().address
    const first = await start()
    const hash = await pay(first.client, to)
    const { pid } = first.chain
    const block = await first.client.getBlock()
    await stop(first.chain)
    expect(isProcessOf(pid, 'anvil')).toBe(false)

    const { chain, client } = await start()
    expect(chain.rpcUrl).toBe(first.chain.rpcUrl)
    expect(await client.getBalance({ address: to })).toBe(ONE)
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    expect((await client.getBlock({ blockNumber: block.number })).hash).toBe(block.hash)
    expect(notices).toEqual([])
  })

  test('is at another URL when another program has its port, and goes on', async () => {
    const to = newWallet().address
    const first = await start()
    await pay(first.client, to)
    await stop(first.chain)
    const other = createServer().listen(Number(new URL(first.chain.rpcUrl).port), '127.0.0.1')
    await once(other, 'listening')
    try {
      const { chain, client } = await start()
      expect(chain.rpcUrl).not.toBe(first.chain.rpcUrl)
      expect(await client.getBalance({ address: to })).toBe(ONE)
    } finally {
      other.close()
    }
  })

  test('survives a killed node, which is restarted', async () => {
    const to = newWallet().address
    const { chain, client } = await start()
    const hash = await pay(client, to)
    await until('the state is saved', () => isSaved(to))
    const { pid } = chain
    process.kill(pid, 'SIGKILL')
    await until('another node answers', async () => chain.pid !== pid && (await answers(client)))
    expect(await client.getBalance({ address: to })).toBe(ONE)
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    await pay(client, to)
    expect(await client.getBalance({ address: to })).toBe(2n * ONE)
    expect(notices).toEqual(['The local chain stopped unexpectedly and is restarted.'])
  })

  test('survives a node that dies during the stop, without a delay', async () => {
    const to = newWallet().address
    const first = await start()
    await pay(first.client, to)
    await until('the state is saved', () => isSaved(to))
    process.kill(first.chain.pid, 'SIGKILL')
    await stop(first.chain)
    const { client } = await start()
    expect(await client.getBalance({ address: to })).toBe(ONE)
  })

  test('loses nothing but empty blocks in a compaction', async () => {
    const to = newWallet().address
    const { chain, client } = await start({ compactAfterBlocks: 40n })
    const hash = await pay(client, to)
    const { pid } = chain
    const before = await client.getBlock()
    await client.mine({ blocks: 60 })
    await until('another node answers', async () => chain.pid !== pid && (await answers(client)))
    expect((await client.getBlock()).number).toBeGreaterThanOrEqual(before.number + 60n)
    expect((await client.getTransactionReceipt({ hash })).blockHash).toBe(before.hash)
    expect(await client.getBalance({ address: to })).toBe(ONE)
    expect(notices).toEqual([])
  })

  test('of a long chain keeps only the old blocks with transactions', async () => {
    const { chain, client } = await start()
    const hash = await pay(client, newWallet().address)
    const { blockNumber } = await client.getTransactionReceipt({ hash })
    await client.mine({ blocks: 9_000 })
    const head = await client.getBlock()
    await stop(chain)
    const next = await start()
    expect(next.chain.oldestBlock).toBeGreaterThan(Number(blockNumber) + 900)
    expect((await next.client.getBlock({ blockNumber: head.number })).hash).toBe(head.hash)
    expect((await next.client.getTransactionReceipt({ hash })).blockNumber).toBe(blockNumber)
    const oldest = { blockNumber: BigInt(next.chain.oldestBlock) }
    expect((await next.client.getBlock(oldest)).number).toBe(oldest.blockNumber)
    await expect(next.client.getBlock({ blockNumber: blockNumber + 1n })).rejects.toThrow(
      /could not be found/,
    )
  })

  test('keeps the previous save when one is interrupted', async () => {
    const to = newWallet().address
    const { chain, client } = await start()
    await pay(client, to)
    await stop(chain)
    const saved = join(directory, 'state.json.gz')
    await expect(saveState(saved, null as unknown as Hex)).rejects.toThrow()
    expect(await isSaved(to)).toBe(true)
  })
})

describe('after a gateway was killed', () => {
  let owner: ChildProcess | undefined
  afterEach(() => owner?.kill('SIGKILL'))

  /** A process that runs the chain; prints its URL and the node's process id. */
  async function startOwner(): Promise<{ client: AnvilClient; nodePid: number; kill9(): Promise<void> }> {
    const module = join(import.meta.dirname, 'local-chain.ts')
    const script = `
      import { startLocalChain } from ${JSON.stringify(module)}
      const { rpcUrl, pid } = await startLocalChain({ directory: ${JSON.stringify(directory)} })
      console.log(JSON.stringify({ rpcUrl, pid }))
      setInterval(() => undefined, 1_000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    owner = child
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${code}.`)))
    const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended])) as [string]
    const { rpcUrl, pid } = JSON.parse(line) as { rpcUrl: string; pid: number }
    return {
      client: anvilClient(rpcUrl),
      nodePid: pid,
      async kill9() {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      },
    }
  }

  test('the orphaned node saves its latest state and stops', async () => {
    const to = newWallet().address
    const { client, nodePid, kill9 } = await startOwner()
    await pay(client, to)
    await kill9()
    expect(await answers(client)).toBe(true)
    await pay(client, to)

    const next = await start()
    expect(next.chain.pid).not.toBe(nodePid)
    expect(isProcessOf(nodePid, 'anvil')).toBe(false)
    expect(await next.client.getBalance({ address: to })).toBe(2n * ONE)
  })

  test('with its node killed too, the chain goes on from the last block with a transaction', async () => {
    const to = newWallet().address
    const { client, nodePid, kill9 } = await startOwner()
    await pay(client, to)
    await until('the state is saved', () => isSaved(to))
    await kill9()
    process.kill(nodePid, 'SIGKILL')

    const next = await start()
    expect(await next.client.getBalance({ address: to })).toBe(ONE)
  })

  test('a node that hangs is stopped', async () => {
    const to = newWallet().address
    const { client, nodePid, kill9 } = await startOwner()
    await pay(client, to)
    await until('the state is saved', () => isSaved(to))
    await kill9()
    process.kill(nodePid, 'SIGSTOP')

    const next = await start()
    expect(isProcessOf(nodePid, 'anvil')).toBe(false)
    expect(await next.client.getBalance({ address: to })).toBe(ONE)
  })
})
