import sql from 'sql-template-tag'
import type { Address } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { openTestDatabase } from '../../../test/kit/database/test-database.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import { connectChain } from '../../adapters/chain/chain.ts'
import type { ClosableDb } from '../../adapters/postgres.ts'
import { deployContracts, firstAccount } from '../../dev/deploy.ts'
import type { ChainFacts } from '../../ports.ts'
import { assertBound, bindVault, readBinding } from './bind-vault.ts'
import { takeCursor } from './cursor-store.ts'
import { recordEvents } from './store.ts'

let chain: TestChain
let db: ClosableDb
let facts: ChainFacts
let other: ChainFacts

const production = { FAREBOX_MODE: 'production', FAREBOX_DATA_DIR: '.farebox' } as const
const dev = { FAREBOX_MODE: 'dev', FAREBOX_DATA_DIR: '.farebox' } as const

beforeAll(async () => {
  chain = await startTestChain()
  facts = chain.adapter.facts
  const owner = await firstAccount(chain.client)
  const { vault } = await deployContracts(chain.client, { owner, signer: owner })
  other = (await connectChain({ rpcUrl: chain.rpcUrl, vault, requiredConfirmations: 1, log: silent })).facts
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  db = await openTestDatabase(3)
  return () => db.close()
})

const follow = (its: ChainFacts) =>
  takeCursor(db, {
    chainId: its.chainId,
    vault: its.vault,
    startBlock: 0n,
    holder: 'gw',
    seconds: 5,
    restSeconds: 0,
  })

test('binds an empty database to the vault of its first start, and lets it start with that one only', async () => {
  await bindVault(db, facts, production)
  await bindVault(db, facts, production)
  await expect(bindVault(db, other, production)).rejects.toThrow(
    `VAULT_ADDRESS is ${other.vault}, but this database belongs to the vault ${facts.vault} on chain 31337.`,
  )
  await expect(bindVault(db, { ...facts, chainId: 1 }, production)).rejects.toThrow(
    'CHAIN_RPC_URL is an endpoint of chain 1, but this database belongs to the vault',
  )
  const usdc = other.usdc
  await expect(bindVault(db, { ...facts, usdc }, production)).rejects.toThrow(
    `VAULT_ADDRESS ${facts.vault} uses the token ${usdc}, but`,
  )
  expect(await readBinding(db)).toEqual({ chainId: 31337, vault: facts.vault, token: facts.usdc })
})

test('refuses one of two concurrent first starts with different vaults', async () => {
  const outcomes = await Promise.allSettled([facts, other].map(its => bindVault(db, its, production)))
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('binds a database of an older release to the vault that it has followed, and refuses another', async () => {
  await follow(facts)
  await expect(bindVault(db, other, production)).rejects.toThrow(/VAULT_ADDRESS is .* but this database/)
  expect(await readBinding(db)).toBeNull()
  await follow(other) // after one change either vault may be the right one, but not a third
  const third: Address = `0x${'33'.repeat(20)}`
  await expect(bindVault(db, { ...facts, vault: third }, production)).rejects.toThrow(third)
  await bindVault(db, facts, production)
  await expect(bindVault(db, other, production)).rejects.toThrow(facts.vault)
})

test('a program beside the gateway is refused a vault that is not that of the database', async () => {
  await assertBound(db, other)
  await bindVault(db, facts, production)
  await assertBound(db, facts)
  await expect(assertBound(db, other)).rejects.toThrow(`VAULT_ADDRESS is ${other.vault}`)
})

test('in development mode accepts a recreated chain until money has moved, and refuses it afterwards', async () => {
  await bindVault(db, facts, dev)
  await bindVault(db, other, dev)
  await bindVault(db, facts, dev)
  const place = {
    blockNumber: 1n,
    blockHash: `0x${'11'.repeat(32)}`,
    txHash: `0x${'22'.repeat(32)}`,
  } as const
  await db.transaction(tx =>
    recordEvents(tx, facts, [
      {
        ...place,
        logIndex: 0,
        kind: 'deposited',
        owner: `0x${'aa'.repeat(20)}`,
        amount: 1n as never,
        authorization: null,
      },
    ]),
  )
  await expect(bindVault(db, other, dev)).rejects.toThrow(
    /To start over, delete the data directory \.farebox\./,
  )
  const [row] = await db.query<{ vault: string }>(sql`select vault from vault_binding`)
  expect(row?.vault).toBe(facts.vault)
})
