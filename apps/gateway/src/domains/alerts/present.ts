import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import type { AlertEmailStatus, AlertSettings, ShownAlert } from '@farebox/wire/alerts'
import { type Address, getAddress } from 'viem'
import type { AlertRow } from './alert-store.ts'
import type { SettingsRow } from './settings-store.ts'

/**
 * Formats the settings of an owner for a response.
 *
 * @param from.standard threshold of the gateway, in micro-USDC
 */
export function presentSettings(
  row: SettingsRow | undefined,
  from: { standard: Usdc; emailStatus: AlertEmailStatus },
): AlertSettings {
  const { standard, emailStatus } = from
  if (row === undefined) {
    const off = { budgetPercents: [], balanceBelowUsdc: null, failureRate: null }
    return { ...off, byEmail: true, byWebhook: true, emailStatus, updatedAt: null }
  }
  const { failurePercent: percent, failureCallsMin: minCalls } = row
  const below = row.balanceBelow === null ? standard : usdc(row.balanceBelow)
  return {
    budgetPercents: row.budgetPercents as AlertSettings['budgetPercents'],
    balanceBelowUsdc: row.watchesBalance ? formatUsdc(below) : null,
    failureRate: percent === null || minCalls === null ? null : { percent, minCalls },
    byEmail: row.byEmail,
    byWebhook: row.byWebhook,
    emailStatus,
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Formats an alert for a response. */
export function presentAlert(row: AlertRow): ShownAlert {
  const walletAddress = getAddress(row.owner as Address)
  return {
    id: row.id,
    type: row.type,
    firedAt: row.firedAt.toISOString(),
    isMailed: row.mailId !== null,
    data: { walletAddress, ...row.data },
  } as ShownAlert
}
