import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { WithdrawalCapability } from '@farebox/wire/withdrawals'
import type { Deps } from '../../ports.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { ticketBlock } from '../ledger/ticket-gate.ts'
import { readVaultFunds } from './issue-ticket.ts'
import { liquidity, TICKET_SECONDS } from './rules.ts'
import { sumOpenedToday, sumPromised } from './store.ts'

/**
 * What a wallet could withdraw now, and whether it would get a ticket at once. A forecast: only opening decides.
 *
 * @returns amounts as wire strings; `vaultLiquidityUsdc` is null and `canWithdraw` false when the chain is out of
 *   reach
 */
export async function readCapability(
  deps: Pick<Deps, 'db' | 'chain' | 'config'>,
  wallet: string,
): Promise<WithdrawalCapability> {
  const { db, chain, config } = deps
  const { providerReceivable, providerLocked } = await readBalance(db, wallet)
  const openedToday = await sumOpenedToday(db, wallet)
  const autoApproveMax = parseUsdc(config.WITHDRAW_AUTO_APPROVE_MAX_USDC)
  const left = usdc(autoApproveMax > openedToday ? autoApproveMax - openedToday : 0n)
  const free = await readFree(deps)
  return {
    canWithdraw: free !== null && providerReceivable > 0n,
    receivableUsdc: formatUsdc(providerReceivable),
    lockedUsdc: formatUsdc(providerLocked),
    vaultLiquidityUsdc: free === null ? null : formatUsdc(free),
    autoApproveMaxUsdc: formatUsdc(autoApproveMax),
    autoApproveLeftTodayUsdc: formatUsdc(left),
    isAutoApprovalOn: (await ticketBlock(db)) === null,
    ticketSeconds: Number(TICKET_SECONDS),
    requiredConfirmations: chain.facts.requiredConfirmations,
  }
}

/** What the vault could still promise, or null when that cannot be known now. */
async function readFree(deps: Pick<Deps, 'db' | 'chain'>): Promise<Usdc | null> {
  try {
    const vault = await readVaultFunds(deps.chain)
    return liquidity(vault, await sumPromised(deps.db, vault.head.number))
  } catch (error) {
    const isChainDown =
      error instanceof GatewayError && error.code === 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE'
    if (isChainDown) return null
    throw error
  }
}
