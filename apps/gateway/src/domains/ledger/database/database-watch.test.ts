import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import { silent } from '../../../../test/kit/silent-log.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import type { Block, Db } from '../../../ports.ts'
import { storeSessionKey } from '../../../runtime/check-session-key.ts'
import { listOpenChainFindings } from './chain-findings.ts'
import { noteFollowed, noticeDatabase, TICKET_SECONDS } from './database-watch.ts'
import { ticketBlock } from './ticket-gate.ts'

const CONFIRMATIONS = 3
/** Seconds, and blocks, that following may be behind. */
const [LATE_SECONDS, LATE_BLOCKS] = [30, 64n]

const vault = `0x${'ab'.repeat(20)}` as const
const facts = { chainId: 31_337, rpcUrl: '', usdc: vault, vault, requiredConfirmations: CONFIRMATIONS }
const following = {
  chain: { facts },
  config: { FOLLOWER_INTERVAL_SECONDS: 2, RECONCILE_INTERVAL_SECONDS: 60 },
}

const block = (number: bigint, timestamp = 1_000n + number): Block => ({ number, timestamp, hash: '0x' })
const head = block(100n)
const confirmed = (of: bigint) => of - BigInt(CONFIRMATIONS) + 1n

let db: ClosableDb

beforeAll(async () => {
  db = await openTestDatabase(3, 'owner')
})
afterAll(() => db.close())
beforeEach(async () => {
  for (const table of [
    'database_watch',
    'vault_cursors',
    'chain_findings',
    'reconciliations',
    'gateway_instances',
  ])
    await db.query({ text: `delete from ${table}`, values: [] })
  await check()
  await notice()
  await follow(confirmed(head.number))
})

const config = { LEASE_SECONDS: 86_400, FAREBOX_MODE: 'production' } as const
const notice = (isStart = false) => noticeDatabase({ db, config, log: silent }, { head, isStart })
const gate = (at: Block | null = head) => ticketBlock(db, following, at)
const check = () =>
  db.query(sql`
    insert into reconciliations (consistent, findings, vault_block, vault_held, vault_due) values (true, '[]', 1, 0, 0)`)
/** Like the follower when it has reached the head. */
async function follow(
  number: bigint,
  { timestamp = 1_000n + number, secondsAgo = 0 } = {},
): Promise<boolean> {
  await db.query(sql`
    insert into vault_cursors (chain_id, vault, block_number, block_time, followed_at)
    values (${facts.chainId}, ${vault}, ${number}, ${timestamp}, now() - make_interval(secs => ${secondsAgo}))
    on conflict (chain_id, vault) do update set block_number = excluded.block_number,
      block_time = excluded.block_time, followed_at = excluded.followed_at`)
  return db.transaction(tx => noteFollowed(tx, block(number, timestamp)))
}
/** The books were last seen on a server that was started at another time, and on another timeline when one is given. */
const moveTo = (timeline?: string) =>
  db.query(sql`
    update database_watch set started_at = started_at - interval '1 day',
      cluster = coalesce(${timeline ?? null}, cluster)`)

/** Another gateway renews its lease at this time. */
const leaseFrom = (time: string) =>
  db.query({
    text: `insert into gateway_instances (id, lease_until) values ('gw_1', ${time} + make_interval(secs => $1))`,
    values: [config.LEASE_SECONDS],
  })

describe('tickets', () => {
  test('are issued while the vault is followed to the head', async () => {
    expect(await gate()).toBeNull()
    expect(await gate(null)).toBeNull()
  })

  test('stop when following the vault is late, by time or by blocks', async () => {
    await follow(confirmed(head.number), { secondsAgo: LATE_SECONDS + 60 })
    expect(await gate()).toBe('chain_not_followed')
    await follow(confirmed(head.number))
    expect(await gate(block(head.number + LATE_BLOCKS))).toBeNull()
    expect(await gate(block(head.number + LATE_BLOCKS + 1n))).toBe('chain_not_followed')
  })

  test('stop after the clock of the database was set back, until the books are checked and the vault is followed', async () => {
    await db.query(sql`update reconciliations set at = at + interval '3 hours'`)
    expect(await gate()).toBe('books_unchecked')
    await check()
    expect(await gate()).toBeNull()
    await db.query(sql`update vault_cursors set followed_at = followed_at + interval '3 hours'`)
    expect(await gate()).toBe('chain_not_followed')
  })

  test('go on while the clock of the database is set back by seconds, as time servers do', async () => {
    await db.query(sql`update reconciliations set at = at + interval '4 seconds'`)
    await db.query(sql`update vault_cursors set followed_at = followed_at + interval '4 seconds'`)
    expect(await gate()).toBeNull()
  })

  test('go on while a fast chain has made its unread blocks in less time than following may be late', async () => {
    const from = confirmed(head.number)
    await follow(from)
    const after = (seconds: number, perSecond: number) => {
      const { number, timestamp } = block(from)
      return block(number + BigInt(seconds * perSecond), timestamp + BigInt(seconds))
    }
    expect(await gate(after(LATE_SECONDS, 10))).toBeNull()
    expect(await gate(after(LATE_SECONDS + 1, 10))).toBe('chain_not_followed')
    // A cursor that an older version has moved has no time.
    await db.query(sql`update vault_cursors set block_time = null`)
    expect(await gate(after(LATE_SECONDS, 10))).toBe('chain_not_followed')
  })

  test('stop before the vault has been followed for the first time', async () => {
    await db.query(sql`delete from vault_cursors`)
    expect(await gate()).toBe('chain_not_followed')
  })

  test('stop as soon as the server changes, before the watch notices', async () => {
    await moveTo()
    expect(await gate()).toBe('chain_not_followed')
  })

  test('wait after a restart until its head is confirmed and a later check is clean', async () => {
    await check()
    await moveTo()
    await notice()
    await notice()
    expect(await follow(head.number - 1n)).toBe(false)
    await check()
    expect(await gate()).toBe('chain_not_followed')

    expect(await follow(head.number)).toBe(true)
    expect(await follow(head.number)).toBe(false)
    expect(await gate()).toBe('chain_not_followed')
    await check()
    expect(await gate()).toBeNull()
    expect(await listOpenChainFindings(db, 1)).toEqual([])
  })
})

test.each([
  ['production', 1],
  ['dev', 0],
] as const)('a restart in the mode %s logs %i warnings', async (FAREBOX_MODE, count) => {
  await moveTo()
  const warnings: string[] = []
  const log = { ...silent, warn: (_: object, message: string) => void warnings.push(message) }
  await noticeDatabase({ db, config: { ...config, FAREBOX_MODE }, log }, { head, isStart: true })
  expect(warnings).toHaveLength(count)
})

describe('a changed timeline', () => {
  test('is a finding that names it, recorded once', async () => {
    await moveTo('7000:00000001')
    await notice()
    await notice()
    expect(await listOpenChainFindings(db, 2)).toMatchObject([
      { kind: 'database-restored', detail: { before: '7000:00000001', untilBlock: '100', untilTime: '0' } },
    ])
    expect(await gate()).toBe('chain_finding')
  })

  test('found at a start with no other live gateway delays tickets until a forgotten one has expired', async () => {
    await moveTo('7000:00000001')
    await notice(true)
    const end = head.timestamp + TICKET_SECONDS
    expect(await follow(head.number, { timestamp: end })).toBe(false)
    expect(await follow(head.number, { timestamp: end + 1n })).toBe(true)
  })

  test('delays tickets also when another gateway registers during the start', async () => {
    await moveTo('7000:00000001')
    const registering: Db = {
      ...db,
      transaction: work =>
        db.transaction(async tx => {
          await tx.query(sql`select 1`)
          await storeSessionKey(db, 'gw_starting', 'secret')
          return work(tx)
        }),
    }
    await noticeDatabase({ db: registering, config, log: silent }, { head, isStart: true })
    expect(await follow(head.number, { timestamp: head.timestamp + TICKET_SECONDS })).toBe(false)
  })

  test('found while another gateway is alive is a failover: nothing was forgotten', async () => {
    await leaseFrom('now()')
    await moveTo('7000:00000001')
    await notice(true)
    expect(await follow(head.number)).toBe(true)
  })

  test('delays tickets also if a lease that was restored with the database has not ended', async () => {
    await leaseFrom("pg_postmaster_start_time() - interval '1 second'")
    await moveTo('7000:00000001')
    await notice(true)
    expect(await follow(head.number, { timestamp: head.timestamp + TICKET_SECONDS })).toBe(false)
  })
})
