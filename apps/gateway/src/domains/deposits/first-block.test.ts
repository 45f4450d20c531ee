import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { listOpenChainFindings } from '../ledger/database/chain-findings.ts'
import { followVault } from './follow-vault.ts'

/** More blocks than the follower rereads on its own. */
const MANY_BLOCKS = 100

let gateway: MoneyGateway
beforeAll(async () => {
  gateway = await startMoneyGateway({ env: { AUTO_CREDIT_AFTER_SECONDS: '0' } })
})
afterAll(() => gateway.stop())

/** Follows the vault twice: what is read first is credited at the second time. */
async function follow(FOLLOWER_START_BLOCK: number): Promise<void> {
  const config = { ...gateway.deps.config, FOLLOWER_START_BLOCK }
  const nobody = { onWithdrawn: async () => undefined }
  for (let times = 0; times < 2; times += 1)
    await followVault({ ...gateway.deps, config }, nobody, new AbortController().signal)
}

test('deposits before too high a FOLLOWER_START_BLOCK are credited once after the documented steps', async () => {
  const [early, late] = [await gateway.member(), await gateway.member()]
  await gateway.chain.deposit(early.address, usdc(USDC))
  await gateway.chain.mine(MANY_BLOCKS)
  const { number } = await gateway.chain.adapter.head()
  await gateway.chain.deposit(late.address, usdc(USDC))
  await gateway.chain.mine(MANY_BLOCKS)
  const balances = () =>
    Promise.all([early, late].map(async who => (await gateway.balance(who)).consumerAvailable))

  await follow(Number(number))
  expect(await balances()).toEqual([0n, USDC])
  // Lowering it alone changes nothing: the cursor is beyond.
  await follow(0)
  expect(await balances()).toEqual([0n, USDC])
  await gateway.run(sql`delete from vault_cursors`)
  await follow(0)
  expect(await balances()).toEqual([USDC, USDC])
  expect(await listOpenChainFindings(gateway.deps.db, 10)).toEqual([])
  await gateway.assertBooks()
})
