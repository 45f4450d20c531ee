import { GatewayError } from '@farebox/wire/errors'
import { type Config, ConfigError } from '../config.ts'
import type { Chain } from '../ports.ts'
import { type Check, describeFailure, failed, type Judgement, ok, warning } from './check.ts'

/** The settings of chain and vault that guard money. */
export type GuardedVault = Pick<Config, 'CHAIN_ID' | 'USDC_ADDRESS'>

/**
 * Returns the checks of chain and vault that guard money. That there is a vault, and that its token has the decimals of
 * USDC, is checked by `connectChain`.
 */
export function guardVault(chain: Chain, config: GuardedVault): Check[] {
  const { facts } = chain
  const chainId: Check = {
    name: 'chain id',
    guardsMoney: true,
    async judge() {
      const found = `CHAIN_RPC_URL is an endpoint of chain ${facts.chainId}`
      if (config.CHAIN_ID === undefined)
        return warning(`${found}; CHAIN_ID is not set.`, `Set CHAIN_ID=${facts.chainId} if it is your chain.`)
      if (config.CHAIN_ID === facts.chainId) return ok(String(facts.chainId))
      return failed(`${found}, but CHAIN_ID is ${config.CHAIN_ID}.`, 'Correct one of the two.')
    },
  }
  const token: Check = {
    name: 'token of the vault',
    guardsMoney: true,
    async judge() {
      const found = `The vault ${facts.vault} holds the token ${facts.usdc}`
      if (config.USDC_ADDRESS === undefined)
        return warning(
          `${found}; USDC_ADDRESS is not set.`,
          `Compare it with the address of USDC on chain ${facts.chainId}, then set USDC_ADDRESS.`,
        )
      if (config.USDC_ADDRESS.toLowerCase() === facts.usdc) return ok(facts.usdc)
      return failed(
        `${found}, but USDC_ADDRESS is ${config.USDC_ADDRESS}.`,
        'Correct VAULT_ADDRESS or USDC_ADDRESS.',
      )
    },
  }
  return [chainId, token, signerCheck(chain)]
}

function signerCheck(chain: Chain): Check {
  return {
    name: 'ticket signer',
    guardsMoney: true,
    async judge() {
      const { address, acceptsOurs } = await chain.vaultSigner()
      const ours = chain.ticketSigner
      if (ours === null)
        return warning(
          `TICKET_SIGNER_KEY is not set; the signer of the vault is ${address}.`,
          'Without it withdrawals wait for review and cannot be approved.',
        )
      if (!acceptsOurs)
        return failed(
          `TICKET_SIGNER_KEY (or TICKET_SIGNER_ADDRESS) is that of ${ours}, but the vault pays tickets of ${address}.`,
          `Set the key of ${address}, or have the vault's owner appoint ${ours} (farebox vault rotate-signer), or leave TICKET_SIGNER_KEY out: withdrawals then wait for review.`,
        )
      if (!(await chain.isSignerAvailable()))
        return warning(
          'TICKET_SIGNER_URL: the external signer does not sign now.',
          'Check the endpoint and TICKET_SIGNER_ADDRESS. Withdrawals wait for review meanwhile.',
        )
      return ok(ours)
    },
  }
}

/** Returns what is wrong if the vault could not be read. */
export function judgeUnreadVault(error: unknown): Judgement {
  const isAway = error instanceof GatewayError
  const found = isAway ? `CHAIN_RPC_URL: no answer (${describeFailure(error)}).` : describeFailure(error)
  return failed(
    found,
    isAway ? 'Check the URL, its key and RPC_URLS.' : 'See docs/operations.md, "The vault".',
  )
}

/**
 * Returns a chain whose vault was read.
 *
 * @throws ConfigError in one line if it could not be
 */
export async function requireVault(opening: Promise<Chain>): Promise<Chain> {
  try {
    return await opening
  } catch (error) {
    const { found, advice = '' } = judgeUnreadVault(error)
    throw new ConfigError(`Configuration: ${found} ${advice} Nothing was migrated, credited or signed.`, {
      cause: error,
    })
  }
}
