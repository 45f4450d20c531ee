import { isDeepStrictEqual } from 'node:util'
import { USDC_DECIMALS } from '@farebox/money'
import { compilerVersion, fareboxVaultAbi, fareboxVaultBytecode } from '@farebox/vault'
import { vaultContractName } from '@farebox/vault/standard-json'
import { type Address, encodeAbiParameters, encodeDeployData, formatEther, formatUnits, type Hex } from 'viem'
import { hasCode, readToken, readVaultState } from '../adapters/chain/vault-state.ts'
import { explained, type VaultChain } from './vault-chain.ts'

/** A vault to deploy. Addresses are lower-case, the cap is in base units. */
export type VaultOrder = {
  readonly token: Address
  readonly owner: Address
  readonly signer: Address
  readonly dailyCap: bigint
  /** Allows an owner that is a single key. */
  readonly allowKeyOwner: boolean
  /** Sends the transaction; otherwise it is only estimated. */
  readonly send: boolean
}

/**
 * Deploys a vault, or estimates that: checks token, owner and signer first, compares what was deployed with the order
 * afterwards, and prints the settings of gateways.
 *
 * @throws Error saying what is wrong with the order; then nothing was sent
 */
export async function deployVault(
  chain: VaultChain,
  order: VaultOrder,
  print: (text: string) => void,
): Promise<void> {
  const { token, owner, signer, dailyCap } = order
  print(`chain        ${chain.chainId}`)
  for (const line of await describeOrder(chain, order)) print(line)
  const args = [token, signer, owner, dailyCap] as const
  const data = encodeDeployData({ abi: fareboxVaultAbi, bytecode: fareboxVaultBytecode, args })
  for (const line of await describeCost(chain, data)) print(line)
  print(`compiler     ${compilerVersion}, contract ${vaultContractName}`)
  print(`arguments    ${encodeAbiParameters(CONSTRUCTOR_TYPES, args)}`)
  if (!order.send) {
    print('Nothing was sent. To deploy, repeat with --send and OPERATOR_KEY or OPERATOR_KEY_FILE.')
    return
  }
  const { contractAddress: vault, blockNumber } = await chain.send({ data })
  if (!vault) throw new Error('The transaction created no contract.')
  const state = await readVaultState(chain.client, vault)
  const deployed = { token: state.token, owner: state.owner, signer: state.signer, dailyCap: state.dailyCap }
  if (!isDeepStrictEqual(deployed, { token, owner, signer, dailyCap }))
    throw new Error(`The vault ${vault} differs from the order: do not use it.`)
  print('The settings of gateways:')
  for (const [name, value] of [
    ['CHAIN_ID', chain.chainId],
    ['USDC_ADDRESS', token],
    ['VAULT_ADDRESS', vault],
    ['FOLLOWER_START_BLOCK', blockNumber],
  ])
    print(`${name}=${value}`)
}

const CONSTRUCTOR_TYPES = [
  { type: 'address' },
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
] as const

async function describeOrder(chain: VaultChain, order: VaultOrder): Promise<string[]> {
  const { token, owner, signer, dailyCap, allowKeyOwner } = order
  if (dailyCap === 0n) throw new Error('--daily-cap 0 would stop every withdrawal.')
  if (owner === signer)
    throw new Error('--owner and --signer are the same: one stolen key could take everything.')
  const { client } = chain
  if (!(await hasCode(client, token)))
    throw new Error(`--token ${token} is not a contract on chain ${chain.chainId}.`)
  const { symbol, decimals, hasPermit, hasAuthorizations } = await readToken(client, token)
  if (decimals !== USDC_DECIMALS)
    throw new Error(`--token ${token} has ${decimals ?? 'no'} decimals; it must have ${USDC_DECIMALS}.`)
  const isContract = await hasCode(client, owner)
  if (!isContract && !allowKeyOwner)
    throw new Error(
      `--owner ${owner} is not a contract on chain ${chain.chainId}: use a multisignature wallet, or add --allow-key-owner.`,
    )
  const features = [...(hasPermit ? ['EIP-2612'] : []), ...(hasAuthorizations ? ['EIP-3009'] : [])]
  return [
    `token        ${token}, ${[symbol ?? 'no symbol', `${decimals} decimals`, ...features].join(', ')}`,
    `owner        ${owner}, ${isContract ? 'a contract' : 'a single key'}`,
    `signer       ${signer}`,
    `daily cap    ${formatUnits(dailyCap, USDC_DECIMALS)} USDC`,
  ]
}

/** @throws Error if the account cannot pay for the gas, or the deployment would revert */
async function describeCost({ client, account }: VaultChain, data: Hex): Promise<string[]> {
  const from = account === null ? {} : { account: account.address }
  const [gas, price, balance] = await explained(() =>
    Promise.all([
      client.estimateGas({ ...from, data }),
      client.getGasPrice(),
      account === null ? null : client.getBalance({ address: account.address }),
    ]),
  )
  const cost = gas * price
  if (account === null || balance === null)
    return [`gas          ${gas}, now ${formatEther(cost)} of the chain's coin`]
  if (balance < cost)
    throw new Error(
      `${account.address} has ${formatEther(balance)}; the deployment costs ${formatEther(cost)}.`,
    )
  return [
    `from         ${account.address}, which has ${formatEther(balance)}`,
    `gas          ${gas}, now ${formatEther(cost)} of the chain's coin`,
  ]
}
