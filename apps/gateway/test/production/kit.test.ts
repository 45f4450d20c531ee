import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { createPublicClient, type Hex, http } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lies } from '../kit/chain/lies.ts'
import { until } from '../kit/until.ts'
import { askChallenge, newWallet } from '../kit/world/wallets.ts'
import { balanceOf } from '../kit/world/world.ts'
import { clockAhead, type Production, startProduction, TEST_TIMEOUT_MS } from './kit.ts'

const USDC = 1_000_000n
const LAG_BLOCKS = 12
const HOUR_MS = 3_600_000
const SLACK_MS = 300_000

const execute = promisify(execFile)

let production: Production

beforeAll(async () => {
  production = await startProduction()
}, TEST_TIMEOUT_MS)
afterAll(() => production.stop())

test(
  'two gateways in production mode credit, charge and pay on a chain with its own block time, without database privileges',
  async () => {
    const roles = await production.sql<{ super: boolean }>(`
      select distinct rolsuper as super from pg_stat_activity join pg_roles on rolname = usename
      where application_name like 'farebox%'`)
    expect(roles).toEqual([{ super: false }])

    const provider = await production.earner('2')
    const { ticket } = await production.withdraw(production.two, provider, '1')
    if (ticket === null) throw new Error('There is no ticket.')
    await production.redeem(ticket)
    await until('the redemption is booked', async () => {
      const { locked, receivable } = await balanceOf(production.one, provider)
      return locked === 0n && receivable === USDC
    })
    await production.checkedClean()
  },
  TEST_TIMEOUT_MS,
)

describe('a node that misbehaves', () => {
  /** Asks the first gateway's node, as that gateway does. */
  const client = () => {
    const transport = http(production.nodes[0].url, { retryCount: 0, timeout: 1_000 })
    return createPublicClient({ transport, cacheTime: 0, batch: { multicall: false } })
  }
  const vault = () => ({ address: production.chain.contracts.vault, abi: fareboxVaultAbi }) as const
  /** Amounts of the deposits of a transaction, by the list of events and by its receipt. */
  const amounts = async (txHash: Hex) => {
    const listed = await client().getContractEvents({ ...vault(), eventName: 'Deposited', fromBlock: 0n })
    return listed.filter(log => log.transactionHash === txHash).map(log => log.args.amount)
  }
  const lastWord = async (txHash: Hex) => {
    const { logs } = await client().getTransactionReceipt({ hash: txHash })
    return BigInt(`0x${logs.at(-1)?.data.slice(-64)}`)
  }
  const counted = () => client().readContract({ ...vault(), functionName: 'depositCount' })
  let txHash: Hex

  beforeAll(async () => {
    txHash = await production.chain.deposit(newWallet().address, usdc(USDC))
  }, TEST_TIMEOUT_MS)
  afterEach(() => production.nodes[0].misbehave())

  test('lags with head, blocks, logs, receipts and state alike', async () => {
    const [head, count] = [await client().getBlockNumber(), await counted()]
    production.nodes[0].misbehave({ lagsBy: LAG_BLOCKS })
    expect(await client().getBlockNumber()).toBeLessThan(head)
    expect(await amounts(txHash)).toEqual([])
    expect(await counted()).toBeLessThan(count)
    await expect(client().getTransactionReceipt({ hash: txHash })).rejects.toThrow('could not be found')
    await expect(client().getBlock({ blockNumber: head })).rejects.toThrow('could not be found')

    await until('it has come so far', async () => (await client().getBlockNumber()) >= head)
    expect(await amounts(txHash)).toEqual([USDC])
    expect(await counted()).toBe(count)
  })

  test('lies about events and its chain', async () => {
    expect([await amounts(txHash), await lastWord(txHash)]).toEqual([[USDC], USDC])
    const under = async (lie: Parameters<(typeof production.nodes)[0]['misbehave']>[0]) => {
      production.nodes[0].misbehave(lie)
      return [await amounts(txHash), await lastWord(txHash)]
    }
    expect(await under(lies.noLogs())).toEqual([[], USDC])
    expect(await under(lies.without(txHash))).toEqual([[], USDC])
    expect(await under(lies.twice(txHash))).toEqual([[USDC, USDC], USDC])
    expect(await under(lies.amount(txHash, 5n))).toEqual([[5n], 5n])
    production.nodes[0].misbehave(lies.chain(1))
    expect(await client().getChainId()).toBe(1)
  })

  test('hangs and refuses', async () => {
    production.nodes[0].misbehave({ hangs: true })
    await expect(client().getBlockNumber()).rejects.toThrow('took too long')
    production.nodes[0].misbehave({ refuses: true })
    await expect(client().getBlockNumber()).rejects.toThrow('HTTP request failed')
  })
})

describe('a database restored to an earlier state', () => {
  const timeline = async () => {
    const [row] = await production.sql<{ id: number }>(
      'select timeline_id as id from pg_control_checkpoint()',
    )
    return row?.id
  }
  const notes = async () =>
    (await production.sql<{ text: string }>('select text from notes order by text')).map(row => row.text)
  const note = (text: string) => production.sql('insert into notes values ($1)', [text])

  test(
    'a restored copy lacks everything since, a point-in-time restore what came later, a failover nothing',
    async () => {
      await production.sql('create table notes (text text)')
      await note('a')
      const copy = await production.cluster.copy()
      await note('b')
      await production.cluster.putBack(copy)
      expect([await notes(), await timeline()]).toEqual([['a'], 1])

      await note('c')
      await production.cluster.markMoment()
      await note('d')
      await production.cluster.recoverTo(copy)
      expect([await notes(), await timeline()]).toEqual([['a', 'c'], 2])

      await note('e')
      await production.cluster.failOver()
      expect([await notes(), await timeline()]).toEqual([['a', 'c', 'e'], 3])
      await production.checkedClean()
    },
    TEST_TIMEOUT_MS,
  )
})

test(
  'a gateway whose clock is an hour ahead uses the time of the database',
  async () => {
    const ahead = await production.another(clockAhead(HOUR_MS))
    try {
      const issuedAt = async (url: string) => {
        const text = /Issued At: (\S+)/.exec(await askChallenge(url, newWallet().address))?.[1]
        return Date.parse(text ?? '')
      }
      expect(Math.abs((await issuedAt(production.one.url)) - Date.now())).toBeLessThan(SLACK_MS)
      expect(Math.abs((await issuedAt(ahead.url)) - Date.now())).toBeLessThan(SLACK_MS)
      const { stdout } = await execute(process.execPath, ['--print', 'Date.now()'], {
        env: clockAhead(HOUR_MS),
      })
      expect(Math.abs(Number(stdout) - Date.now() - HOUR_MS)).toBeLessThan(SLACK_MS)
    } finally {
      await ahead.stop()
    }
  },
  TEST_TIMEOUT_MS,
)
