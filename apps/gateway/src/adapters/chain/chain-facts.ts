import { USDC_DECIMALS } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, erc20Abi, type PublicClient } from 'viem'
import type { ChainFacts } from '../../ports.ts'
import { lowerCase } from './chain-events.ts'
import type { Quorum } from './chain-quorum.ts'
import { ask, askContract } from './chain-rpc.ts'

/** Name of a FareboxVault in its EIP-712 domain. */
const VAULT_NAME = 'FareboxVault'
const ADVICE = 'Correct VAULT_ADDRESS or CHAIN_RPC_URL.'

/** State at the vault's address, as seen by one endpoint. */
type VaultReading = {
  readonly chainId: number
  readonly hasCode: boolean
  /** Null if the contract is not a FareboxVault. */
  readonly token: Address | null
  readonly decimals: number | null
}

/**
 * Reads chain id and token of a vault.
 *
 * @param vault lower-case
 * @throws GatewayError UNAVAILABLE if the chain is unreachable
 * @throws Error naming the setting if the endpoints are of different chains, there is no FareboxVault at the address,
 * or its token does not have the decimals of USDC
 */
export async function readFacts(
  quorum: Quorum,
  vault: Address,
): Promise<Pick<ChainFacts, 'chainId' | 'usdc' | 'vault'>> {
  await assertOneChain(quorum)
  const reading = await quorum.agree('the vault', ({ single }) => readVault(single, vault))
  const { chainId, decimals } = reading
  const token = tokenOf(reading, vault)
  if (decimals !== USDC_DECIMALS)
    throw new Error(
      `VAULT_ADDRESS ${vault} uses the token ${token} with ${decimals ?? 'unknown'} decimals; it must have ${USDC_DECIMALS}. ${ADVICE}`,
    )
  return { chainId, usdc: token, vault }
}

/**
 * Checks that there is a FareboxVault at an address, by one endpoint.
 *
 * @param vault lower-case
 * @throws GatewayError UNAVAILABLE if the endpoint is unreachable
 * @throws Error naming VAULT_ADDRESS if there is none
 */
export async function requireVault(client: PublicClient, vault: Address): Promise<void> {
  tokenOf(await readVault(client, vault), vault)
}

function tokenOf({ chainId, hasCode, token }: VaultReading, vault: Address): Address {
  if (!hasCode) throw new Error(`VAULT_ADDRESS ${vault} is not a contract on chain ${chainId}. ${ADVICE}`)
  if (token === null)
    throw new Error(`VAULT_ADDRESS ${vault} is a contract but not a FareboxVault. ${ADVICE}`)
  return token
}

/** An endpoint of another chain would never agree; at the start the mistake can be named. */
async function assertOneChain({ endpoints }: Quorum): Promise<void> {
  const asked = endpoints.map(async ({ host, rpc }) => ({
    host,
    id: await ask(() => rpc.single.getChainId()),
  }))
  const known = (await Promise.allSettled(asked)).flatMap(its =>
    its.status === 'fulfilled' ? [its.value] : [],
  )
  if (new Set(known.map(({ id }) => id)).size <= 1) return
  const chains = known.map(({ host, id }) => `${host} to chain ${id}`).join(', ')
  throw new Error(
    `CHAIN_RPC_URL and RPC_URLS do not lead to one chain: ${chains}. Use endpoints of one chain.`,
  )
}

async function readVault(client: PublicClient, vault: Address): Promise<VaultReading> {
  const [chainId, code] = await ask(() =>
    Promise.all([client.getChainId(), client.getCode({ address: vault })]),
  )
  if (code === undefined || code === '0x') return { chainId, hasCode: false, token: null, decimals: null }
  const token = await readToken(client, vault)
  const decimals =
    token &&
    (await askContract(() =>
      client.readContract({ address: token, abi: erc20Abi, functionName: 'decimals' }),
    ))
  return { chainId, hasCode: true, token, decimals }
}

/** Returns the token of a FareboxVault, lower-case; null for any other contract. */
async function readToken(client: PublicClient, vault: Address): Promise<Address | null> {
  const atVault = { address: vault, abi: fareboxVaultAbi } as const
  const [domain, token] = await Promise.all([
    askContract(() => client.readContract({ ...atVault, functionName: 'eip712Domain' })),
    askContract(() => client.readContract({ ...atVault, functionName: 'token' })),
  ])
  return domain?.[1] === VAULT_NAME && token !== null ? lowerCase(token) : null
}
