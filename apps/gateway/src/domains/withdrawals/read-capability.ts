import { formatUsdc, minUsdc, parseUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { WithdrawalCapability } from '@farebox/wire/withdrawals'
import type { Deps } from '../../ports.ts'
import { TICKET_SECONDS } from '../ledger/database/database-watch.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { issueBlock, readLiquidity, readVaultFunds, type VaultSnapshot } from './issue-ticket.ts'
import { sumAutomaticToday, sumOpenedToday } from './store.ts'

/**
 * Returns the amount that a wallet could withdraw now, and whether it would get a ticket immediately. A forecast; only
 * opening a withdrawal decides.
 *
 * @returns amounts as decimal strings; `vaultLiquidityUsdc` is null and `canWithdraw` false when the chain is
 * unreachable
 */
export async function readCapability(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'config' | 'log'>,
  wallet: string,
): Promise<WithdrawalCapability> {
  const { db, chain, config } = deps
  const { providerReceivable, providerPromotional, providerLocked } = await readBalance(db, wallet)
  const openedToday = await sumOpenedToday(db, wallet)
  const autoApproveMax = parseUsdc(config.WITHDRAW_AUTO_APPROVE_MAX_USDC)
  const total = parseUsdc(config.WITHDRAW_AUTO_APPROVE_TOTAL_USDC)
  const left = minUsdc(less(autoApproveMax, openedToday), less(total, await sumAutomaticToday(db)))
  const vault = await readVault(deps)
  const free = vault && (await readLiquidity(db, vault))
  return {
    canWithdraw: free !== null && providerReceivable > 0n,
    available: formatUsdc(providerReceivable),
    receivableUsdc: formatUsdc(providerReceivable),
    receivablePromotionalUsdc: formatUsdc(providerPromotional),
    lockedUsdc: formatUsdc(providerLocked),
    vaultLiquidityUsdc: free === null ? null : formatUsdc(free),
    autoApproveMaxUsdc: formatUsdc(autoApproveMax),
    autoApproveLeftTodayUsdc: formatUsdc(left),
    isAutoApprovalOn: (await issueBlock(deps, db, vault)) === null,
    ticketSeconds: Number(TICKET_SECONDS),
    requiredConfirmations: chain.facts.requiredConfirmations,
  }
}

const less = (whole: Usdc, taken: Usdc): Usdc => (whole > taken ? usdc(whole - taken) : ZERO)

/** Reads the vault's funds; returns null when the chain is unreachable. */
async function readVault(deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>): Promise<VaultSnapshot | null> {
  try {
    return await readVaultFunds(deps)
  } catch (error) {
    const isChainDown =
      error instanceof GatewayError && error.code === 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE'
    if (isChainDown) return null
    throw error
  }
}
