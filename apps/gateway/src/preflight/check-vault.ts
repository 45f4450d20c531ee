import { parseUsdc, USDC_DECIMALS } from '@farebox/money'
import { formatUnits } from 'viem'
import { openRpc, type Rpc } from '../adapters/chain/chain-rpc.ts'
import { readToken, readVaultState } from '../adapters/chain/vault-state.ts'
import type { Config } from '../config.ts'
import type { Chain } from '../ports.ts'
import { type Check, ok, warning } from './check.ts'

/** A follower that starts further back reads for long before it credits. */
const BLOCKS_TO_READ_MAX = 2_000_000n

type VaultSettings = Pick<
  Config,
  'CHAIN_RPC_URL' | 'WITHDRAW_AUTO_APPROVE_TOTAL_USDC' | 'FOLLOWER_START_BLOCK'
>

/** Returns the checks of vault and token that a gateway starts without. */
export function checkVault(
  chain: Chain,
  config: VaultSettings & { readonly CHAIN_RPC_URL: string },
): Check[] {
  const rpc = openRpc(config.CHAIN_RPC_URL)
  const { vault, usdc: token } = chain.facts
  const state = readOnce(() => readVaultState(rpc.together, vault))
  return [
    tokenCheck(rpc, token),
    capCheck(state, config),
    {
      name: 'vault paused',
      async judge() {
        if (!(await state()).isPaused) return ok('no')
        return warning('The vault is paused: no deposit and no withdrawal.', 'farebox vault unpause')
      },
    },
    {
      name: 'vault owner',
      async judge() {
        const { owner, isOwnerContract, signer } = await state()
        if (owner === signer)
          return warning(
            `The vault's owner ${owner} is also its signer: one key can take everything.`,
            'Give the ownership to a multisignature wallet.',
          )
        if (isOwnerContract) return ok(`${owner}, a contract`)
        return warning(
          `The vault's owner ${owner} is a single key.`,
          'Give the ownership to a multisignature wallet (transferOwnership, acceptOwnership).',
        )
      },
    },
    startBlockCheck(chain, config),
  ]
}

function tokenCheck({ together }: Rpc, token: `0x${string}`): Check {
  return {
    name: 'token features',
    async judge() {
      const { symbol, decimals, hasPermit, hasAuthorizations } = await readToken(together, token)
      const found = `${symbol ?? 'no symbol'}, ${decimals} decimals`
      const lacks = [...(hasPermit ? [] : ['EIP-2612']), ...(hasAuthorizations ? [] : ['EIP-3009'])]
      if (lacks.length === 0) return ok(`${found}, EIP-2612, EIP-3009`)
      return warning(
        `The token (${found}) lacks ${lacks.join(' and ')}.`,
        'Without EIP-2612 a deposit takes two transactions; without EIP-3009 nobody can pay by a signed transfer.',
      )
    },
  }
}

function capCheck(state: () => ReturnType<typeof readVaultState>, config: VaultSettings): Check {
  return {
    name: 'daily cap of the vault',
    async judge() {
      const { dailyCap, withdrawnToday, balance } = await state()
      const automatic = parseUsdc(config.WITHDRAW_AUTO_APPROVE_TOTAL_USDC)
      const found = `${inUsdc(dailyCap)} USDC in 24 hours, ${inUsdc(withdrawnToday)} used; the vault holds ${inUsdc(balance)}`
      if (dailyCap >= automatic) return ok(found)
      return warning(
        `${found}. WITHDRAW_AUTO_APPROVE_TOTAL_USDC is ${inUsdc(automatic)}.`,
        'Tickets beyond the cap revert until it has room: raise the cap (setDailyWithdrawalCap) or lower the setting.',
      )
    },
  }
}

/** Deposits before FOLLOWER_START_BLOCK are never credited. Old state needs an archive node. */
function startBlockCheck(chain: Chain, { FOLLOWER_START_BLOCK: start }: VaultSettings): Check {
  const name = 'first block of the follower'
  return {
    name,
    async judge() {
      const { number: head } = await chain.head()
      const first = BigInt(start)
      const blocks = `FOLLOWER_START_BLOCK is ${first}, the chain is at ${head}`
      if (first > head) return warning(`${blocks}.`, 'Set it to the block that deployed the vault.')
      if (head - first > BLOCKS_TO_READ_MAX)
        return warning(
          `${blocks}: a first start reads all between before it credits.`,
          'Set it to the block that deployed the vault.',
        )
      const before = first === 0n ? 0n : await chain.depositCount(first - 1n).catch(() => null)
      if (before === null)
        return warning(
          `${blocks}; the endpoint does not know the vault's state before it.`,
          'Make sure that the vault was deployed in this block or later.',
        )
      if (before === 0n) return ok(`${first}, ${head - first} blocks to the head`)
      return warning(
        `${blocks}: ${before} deposits were made before, and are credited by no first start.`,
        'Set it to the block that deployed the vault.',
      )
    },
  }
}

const inUsdc = (amount: bigint) => formatUnits(amount, USDC_DECIMALS)

function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let first: Promise<T> | undefined
  return () => {
    first ??= read()
    return first
  }
}
