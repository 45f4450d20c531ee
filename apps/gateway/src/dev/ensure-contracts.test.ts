import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWallet } from '../../test/kit/world/wallets.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { ensureContracts } from './ensure-contracts.ts'

let directory: string
let anvil: Anvil
const signer = newWallet().address

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-contracts-'))
  anvil = await startAnvil({ port: 0, arguments: [] })
})
afterAll(async () => {
  await anvil?.stop()
  await rm(directory, { recursive: true, force: true })
})

const ensure = (on: Anvil, by = signer) =>
  ensureContracts(on.client, { file: join(directory, 'contracts.json'), signer: by })

test('deploys the contracts once and finds them again', async () => {
  const first = await ensure(anvil)
  const { number } = await anvil.client.getBlock()
  expect(await ensure(anvil)).toEqual(first)
  expect((await anvil.client.getBlock()).number).toBe(number)
})

test('sets the signer of an existing vault to the given key', async () => {
  const { vault: address } = await ensure(anvil)
  const other = newWallet().address
  await ensure(anvil, other)
  expect(await anvil.client.readContract({ address, abi: fareboxVaultAbi, functionName: 'signer' })).toBe(
    other,
  )
})

test('deploys the contracts again on a chain without them', async () => {
  const fresh = await startAnvil({ port: 0, arguments: [] })
  try {
    const { vault: address } = await ensure(fresh)
    expect(await fresh.client.readContract({ address, abi: fareboxVaultAbi, functionName: 'signer' })).toBe(
      signer,
    )
  } finally {
    await fresh.stop()
  }
})

test('the chain has Multicall3 at its usual address', async () => {
  await anvil.client.setCode({ address: '0xcA11bde05977b3631167028862bE2a173976CA11', bytecode: '0x' })
  const { usdc } = await ensure(anvil)
  const decimals = { address: usdc, abi: testUsdcAbi, functionName: 'decimals' } as const
  const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'
  const answers = await anvil.client.multicall({ contracts: [decimals], multicallAddress })
  expect(answers).toEqual([{ status: 'success', result: 6 }])
})
