import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, erc20Abi, type PublicClient, parseAbi } from 'viem'
import { lowerCase } from './chain-events.ts'
import { requireVault } from './chain-facts.ts'
import { ask, askContract } from './chain-rpc.ts'

/** Reads of EIP-2612 and EIP-3009 that have no side effect. */
const permitAbi = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])
const NO_NONCE = `0x${'00'.repeat(32)}` as const

/** A token, as far as a vault needs it. */
export type TokenState = {
  /** Null if it has none. */
  readonly symbol: string | null
  readonly decimals: number | null
  /** EIP-2612: owners deposit in one transaction. */
  readonly hasPermit: boolean
  /** EIP-3009: transfers by a signature. */
  readonly hasAuthorizations: boolean
}

/** State of a FareboxVault at one endpoint's newest block. Addresses are lower-case, amounts in base units. */
export type VaultState = {
  readonly token: Address
  readonly balance: bigint
  readonly owner: Address
  /** False if the owner is a single key. */
  readonly isOwnerContract: boolean
  /** The zero address if ownership is not being handed over. */
  readonly pendingOwner: Address
  readonly signer: Address
  readonly isPaused: boolean
  readonly dailyCap: bigint
  readonly withdrawnToday: bigint
  readonly availableNow: bigint
  readonly deposits: bigint
}

/**
 * Reads the state of a vault. Not for decisions about money: one endpoint is believed.
 *
 * @param vault lower-case
 * @throws GatewayError UNAVAILABLE if the endpoint is unreachable
 * @throws Error naming VAULT_ADDRESS if there is no FareboxVault
 */
export async function readVaultState(client: PublicClient, vault: Address): Promise<VaultState> {
  await requireVault(client, vault)
  const at = { address: vault, abi: fareboxVaultAbi } as const
  return ask(async () => {
    const [token, owner, pendingOwner, signer, isPaused, dailyCap, withdrawnToday, availableNow, deposits] =
      await Promise.all([
        client.readContract({ ...at, functionName: 'token' }),
        client.readContract({ ...at, functionName: 'owner' }),
        client.readContract({ ...at, functionName: 'pendingOwner' }),
        client.readContract({ ...at, functionName: 'signer' }),
        client.readContract({ ...at, functionName: 'paused' }),
        client.readContract({ ...at, functionName: 'dailyWithdrawalCap' }),
        client.readContract({ ...at, functionName: 'withdrawnInWindow' }),
        client.readContract({ ...at, functionName: 'availableToWithdraw' }),
        client.readContract({ ...at, functionName: 'depositCount' }),
      ])
    const [balance, isOwnerContract] = await Promise.all([
      client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [vault] }),
      hasCode(client, owner),
    ])
    return {
      token: lowerCase(token),
      balance,
      owner: lowerCase(owner),
      isOwnerContract,
      pendingOwner: lowerCase(pendingOwner),
      signer: lowerCase(signer),
      isPaused,
      dailyCap,
      withdrawnToday,
      availableNow,
      deposits,
    }
  })
}

/** Reads a token; what it lacks is null or false. */
export async function readToken(client: PublicClient, token: Address): Promise<TokenState> {
  const erc20 = { address: token, abi: erc20Abi } as const
  const permit = { address: token, abi: permitAbi } as const
  const [symbol, decimals, nonce, separator, state] = await Promise.all([
    askContract(() => client.readContract({ ...erc20, functionName: 'symbol' })),
    askContract(() => client.readContract({ ...erc20, functionName: 'decimals' })),
    askContract(() => client.readContract({ ...permit, functionName: 'nonces', args: [token] })),
    askContract(() => client.readContract({ ...permit, functionName: 'DOMAIN_SEPARATOR' })),
    askContract(() =>
      client.readContract({ ...permit, functionName: 'authorizationState', args: [token, NO_NONCE] }),
    ),
  ])
  return {
    symbol,
    decimals,
    hasPermit: nonce !== null && separator !== null,
    hasAuthorizations: state !== null,
  }
}

/** Returns true if there is a contract at an address. */
export async function hasCode(client: PublicClient, address: Address): Promise<boolean> {
  const code = await ask(() => client.getCode({ address }))
  return code !== undefined && code !== '0x'
}
