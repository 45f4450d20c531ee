import type { AnswerOf } from '@farebox/client'
import { receiverOf } from '@farebox/wire/receiver'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { formatTime } from '../../../ui/values/format-time.ts'
import { type Interval, intervalLabel } from '../../../ui/values/intervals.ts'
import { isoOf } from './credential-labels.ts'

type Act = AnswerOf<'listCredentialAuditLogs'>['logs'][number]

const titles: Record<Act['action'], string> = {
  issued: 'Created',
  updated: 'Changed',
  quota_updated: 'Limits changed',
  revoked: 'Revoked',
  rotated: 'Token rotated',
  deleted: 'Deleted',
  spending_limit_updated: 'Spending policy changed',
}
const names: Readonly<Record<string, string>> = {
  name: 'Name',
  maxCalls: 'Total calls',
  creditLimit: 'Spending limit',
  maxCostPerCallUsdc: 'Maximum per call',
  rpm: 'Calls per minute',
  resetInterval: 'Interval',
  allowedServices: 'Services',
  expiresAt: 'Expires',
}

/** Describes an entry of the audit trail: its action and what it changed. */
export function describeAct({ action, detail }: Act): { title: string; lines: readonly string[] } {
  const [before, after] = [membersOf(detail.before), membersOf(detail.after)]
  const lines = Object.keys(before)
    .filter(name => name in names)
    .map(name => `${names[name]}: ${formatValue(name, before[name])} → ${formatValue(name, after[name])}`)
  const { overlapSeconds, client, reason } = detail
  if (client !== undefined) return describeClientAct(action, membersOf(client), reason)
  if (action === 'rotated' && typeof overlapSeconds === 'number' && overlapSeconds > 0)
    lines.push(`The previous token stayed valid for ${formatCount(overlapSeconds)} s`)
  return { title: titles[action], lines }
}

/** Describes what an OAuth client did to its credential, or the consent that created it. */
function describeClientAct(action: Act['action'], client: Record<string, unknown>, reason: unknown) {
  if (action === 'rotated') return { title: 'Token issued to the client', lines: [] }
  if (action === 'revoked') {
    const reused = 'The authorization code was used twice: another program may have had it'
    return { title: titles.revoked, lines: [reason === 'code_reused' ? reused : 'By the client'] }
  }
  const receiver = receiverOf(String(client.redirectUri))
  return { title: titles[action], lines: [`For the OAuth client ${client.name} at ${receiver}`] }
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined)
    return name === 'allowedServices' ? 'all' : name === 'expiresAt' ? 'never' : 'no limit'
  if (name === 'creditLimit' || name === 'maxCostPerCallUsdc') return `${formatAmount(String(value))} USDC`
  if (name === 'expiresAt') return formatTime(isoOf(Number(value)))
  if (name === 'resetInterval') return intervalLabel(value as Interval)
  if (Array.isArray(value)) return value.join(', ') || 'none'
  return typeof value === 'number' ? formatCount(value) : String(value)
}
