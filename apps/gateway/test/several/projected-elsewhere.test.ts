import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reconcile } from '../../src/domains/ledger/reconcile/reconcile.ts'
import type { Chain } from '../../src/ports.ts'
import {
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
} from '../kit/ledger/ledger-fixture.ts'
import { silent } from '../kit/silent-log.ts'

/** Everything that another process needs: a connection. Prints how many log rows it has projected. */
const PROJECT = `
  import pg from 'pg'
  const client = new pg.Client(process.argv[1])
  await client.connect()
  const { rows } = await client.query('select ledger_catch_up() as projected')
  console.log(rows[0].projected)
  await client.end()`

/** Books are compared without the vault. */
const CHAIN = {
  head: () => Promise.reject(new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: 2 })),
  facts: { chainId: 7, vault: '0x', requiredConfirmations: 1 },
} as unknown as Chain

let on: LedgerFixture
let payers: readonly Payer[]
beforeAll(async () => {
  on = await startLedgerFixture()
  payers = await Promise.all(Array.from({ length: 4 }, () => on.payer(1_000n)))
})
afterAll(() => on.stop())

test('another process with only a connection projects what a gateway has appended', async () => {
  // It does not project, as if it had been killed after its last answer.
  const calls = on.gateway()
  const open = await Promise.all(payers.map(payer => hold(calls, on.requestOf(payer, 10n))))
  await Promise.all(payers.map(payer => pay(calls, on.requestOf(payer, 100n), usdc(80n))))
  const failed = await hold(calls, on.requestOf(payers[0] as Payer, 10n))
  await calls.settle(endingOf(failed.request, failed.drawnAt, null))
  expect(await on.run(sql`select id from invocations where status = 'SUCCEEDED'`)).toEqual([])

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', PROJECT, on.url],
    {
      cwd: import.meta.dirname,
    },
  )
  expect(Number(stdout)).toBeGreaterThan(0)
  const rows = await on.run<{ owner: string; status: string; calls: bigint; charged: bigint }>(sql`
    select owner, status, count(*) as calls, sum(charged)::bigint as charged from invocations group by 1, 2`)
  for (const { wallet } of payers) {
    expect(rows).toContainEqual({ owner: wallet, status: 'PENDING', calls: 1n, charged: 0n })
    expect(rows).toContainEqual({ owner: wallet, status: 'SUCCEEDED', calls: 1n, charged: 80n })
  }
  expect(rows).toContainEqual({
    owner: payers[0]?.wallet,
    status: 'FAILED_RETRYABLE',
    calls: 1n,
    charged: 0n,
  })
  const balances = await on.run<{ posted: bigint; reserved: bigint }>(sql`
    select posted, reserved from accounts where id = any(${payers.map(({ wallet }) => `consumer:${wallet}`)}::text[])`)
  expect(balances).toEqual(payers.map(() => ({ posted: 920n, reserved: 10n })))
  const earned = await on.run(sql`
    select posted from accounts where id in (${`provider:${on.provider}`}, 'fees') order by id`)
  expect(earned).toEqual([{ posted: 32n }, { posted: 288n }])
  expect(await on.run(sql`select invocation_id from open_calls`)).toHaveLength(open.length)
  const { findings } = await reconcile({ db: on.db, chain: CHAIN, log: silent })
  expect(findings).toEqual([])
})
