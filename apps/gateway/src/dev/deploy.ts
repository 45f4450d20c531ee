import { fareboxVaultAbi, fareboxVaultBytecode, testUsdcAbi, testUsdcBytecode } from '@farebox/vault'
import { type Address, encodeDeployData, type Hex, type TransactionReceipt } from 'viem'
import { type AnvilClient, awaitReceipt } from './anvil.ts'
import { ensureMulticall3 } from './multicall3.ts'

/** Daily limit of the vault's circuit breaker: 100 million test USDC, so that it never interferes. */
const DAILY_CAP = 100_000_000_000_000n
const RECEIPT_TIMEOUT_MS = 10_000

/** Addresses of the contracts. */
export type Contracts = { readonly usdc: Address; readonly vault: Address }

/** A transaction from an account of the node. */
export type NodeTransaction = {
  readonly from: Address
  readonly to?: Address
  readonly data?: Hex
  readonly value?: bigint
  readonly gas?: bigint
}

/** Thrown for a transaction that was mined and reverted. */
export class RevertedError extends Error {
  override readonly name = 'RevertedError'
  constructor(hash: Hex) {
    super(`Transaction ${hash} reverted on the local chain.`)
  }
}

/**
 * Sends a transaction and waits until it is mined.
 *
 * @throws RevertedError if it reverts; Error if it is not mined in time
 */
export async function sendMined(client: AnvilClient, sent: NodeTransaction): Promise<TransactionReceipt> {
  const { from, to, ...rest } = sent
  const hash = await client.sendTransaction({ account: from, chain: null, to: to ?? null, ...rest })
  const receipt = await awaitReceipt(client, hash, RECEIPT_TIMEOUT_MS)
  if (receipt.status !== 'success') throw new RevertedError(hash)
  return receipt
}

/** The node's first account: owns the contracts of development mode and funds the faucet. */
export async function firstAccount(client: AnvilClient): Promise<Address> {
  const [account] = await client.getAddresses()
  if (account === undefined) throw new Error('The node has no unlocked account.')
  return account
}

/**
 * Deploys test USDC and a vault for it. Public chains also have Multicall3; so does this one then.
 *
 * @param owner  account of the node that deploys and owns both
 * @param signer address of the key that signs withdrawal tickets
 */
export async function deployContracts(
  client: AnvilClient,
  accounts: { owner: Address; signer: Address },
): Promise<Contracts> {
  const { owner, signer } = accounts
  await ensureMulticall3(client)
  const usdc = await deploy(
    client,
    owner,
    encodeDeployData({ abi: testUsdcAbi, bytecode: testUsdcBytecode, args: [owner] }),
  )
  const vault = await deploy(
    client,
    owner,
    encodeDeployData({
      abi: fareboxVaultAbi,
      bytecode: fareboxVaultBytecode,
      args: [usdc, signer, owner, DAILY_CAP],
    }),
  )
  return { usdc, vault }
}

async function deploy(client: AnvilClient, from: Address, data: Hex): Promise<Address> {
  const { contractAddress } = await sendMined(client, { from, data })
  if (!contractAddress) throw new Error('A deployment on the local chain created no contract.')
  return contractAddress
}
