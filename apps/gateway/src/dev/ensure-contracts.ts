import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, encodeFunctionData, isAddressEqual } from 'viem'
import type { AnvilClient } from './anvil.ts'
import { type Contracts, deployContracts, firstAccount, sendMined } from './deploy.ts'
import { ensureMulticall3 } from './multicall3.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Returns the contracts of a development chain: the ones deployed before if still present, otherwise new ones. Sets the
 * vault's signer to our key.
 *
 * @param input.file   stores their addresses
 * @param input.signer address of the key that signs withdrawal tickets
 */
export async function ensureContracts(
  client: AnvilClient,
  input: { file: string; signer: Address },
): Promise<Contracts> {
  const { file, signer } = input
  const kept = await readKept(file)
  if (kept !== null && (await isDeployed(client, kept))) {
    await appoint(client, { vault: kept.vault, signer })
    await ensureMulticall3(client)
    return kept
  }
  const contracts = await deployContracts(client, { owner: await firstAccount(client), signer })
  await writeWhole(file, JSON.stringify(contracts))
  return contracts
}

async function readKept(file: string): Promise<Contracts | null> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Contracts) : null
}

async function isDeployed(client: AnvilClient, { usdc, vault }: Contracts): Promise<boolean> {
  const codes = await Promise.all([usdc, vault].map(address => client.getCode({ address })))
  return codes.every(code => code !== undefined && code !== '0x')
}

async function appoint(client: AnvilClient, input: { vault: Address; signer: Address }): Promise<void> {
  const { vault, signer } = input
  const atVault = { address: vault, abi: fareboxVaultAbi } as const
  const appointed = await client.readContract({ ...atVault, functionName: 'signer' })
  if (isAddressEqual(appointed, signer)) return
  const from = await client.readContract({ ...atVault, functionName: 'owner' })
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'setSigner', args: [signer] })
  await sendMined(client, { from, to: vault, data })
}
