import { exampleId } from '@farebox/wire/common'

// Examples in the published contract.

const id = exampleId('cred')
const token = 'agt_0kQ9xJ2mV7bN4cT8yR1sW5zD3fG6hL0pA9eU2iO7qK4nB6vCx'
const createdAt = '2026-11-21T09:30:00.000Z'

const settings = {
  name: 'research agent',
  maxCalls: 10_000,
  creditLimit: '25.000000',
  maxCostPerCallUsdc: '0.500000',
  rpm: 600,
  resetInterval: 'daily',
  allowedServices: ['weather'],
  expiresAt: 1_795_168_200,
}
const credential = { id, credential_id: id, ...settings, status: 'active', createdAt }

/** Body of an issue request that sets every limit. */
export const issueBody = {
  name: 'research agent',
  maxCalls: 10_000,
  creditLimit: 25,
  maxCostPerCallUsdc: '0.5',
  rpm: 600,
  resetInterval: 'daily',
  expiresInSec: 2_592_000,
  allowedServices: ['weather'],
}

/** A credential with its token. */
export const issued = { status: 'success', token, credentialId: id, credential: { ...credential, token } }

/** A page of credentials. */
export const listed = {
  status: 'success',
  credentials: [{ ...credential, callsUsed: 214, spentUsdc: '3.420000', heldUsdc: '0.000000' }],
  nextCursor: null,
}

/** A changed credential. */
export const changed = { status: 'success', credentialId: id, credential }

/** Status of a credential. */
export const state = {
  status: 'success',
  credentialId: id,
  valid: true,
  credentialStatus: 'active',
  isExpired: false,
  callsExhausted: false,
  expiresAt: settings.expiresAt,
  callsUsed: 412,
  maxCalls: settings.maxCalls,
  creditLimit: settings.creditLimit,
  spentUsdc: '3.150000',
  heldUsdc: '0.050000',
}

/** A page of the audit trail. */
export const auditLogs = {
  status: 'success',
  logs: [
    {
      id: exampleId('aud'),
      action: 'quota_updated',
      credentialId: id,
      actor: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      at: createdAt,
      detail: { before: { creditLimit: '10.000000' }, after: { creditLimit: '25.000000' } },
    },
  ],
  nextCursor: null,
}

/** A spending policy with its usage. */
export const policy = {
  status: 'success',
  spendingLimitUsdc: '500.000000',
  allowUnlimited: false,
  dailyLimitUsdc: '50.000000',
  perCallLimitUsdc: '1.000000',
  spentThisMonthUsdc: '61.200000',
  spentTodayUsdc: '3.200000',
}
