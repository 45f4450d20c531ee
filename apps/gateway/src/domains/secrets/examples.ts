import { exampleId } from '@farebox/wire/common'

// Examples in the published contract.

const secret = {
  id: exampleId('psec'),
  name: 'billing worker',
  maskedKey: 'psk_0kQ9…vCx4',
  status: 'active',
  rpm: 120,
  creditLimit: '25.000000',
  resetInterval: 'daily',
  maxCalls: null,
  expiresAt: 1_826_704_200,
  callsUsed: 4_118,
  capturedUsdc: '1.204300',
  createdAt: '2026-11-21T09:30:00.000Z',
  lastUsedAt: '2026-11-21T10:12:41.000Z',
}

/** Body of an issue request that sets every limit. */
export const issueBody = {
  name: 'billing worker',
  rpm: 120,
  creditLimit: '25.00',
  resetInterval: 'daily',
  expiresInSec: 31_536_000,
}

/** A new secret with its key. */
export const issued = {
  status: 'success',
  secret: {
    ...secret,
    callsUsed: 0,
    capturedUsdc: '0.000000',
    lastUsedAt: null,
    secretKey: 'psk_0kQ9xJ2mV7bN4cT8yR1sW5zD3fG6hL0pA9eU2iO7qK4nBvCx4',
  },
}

/** All secrets of a wallet. */
export const listed = { status: 'success', secrets: [secret] }

/** A deleted secret. */
export const deleted = {
  status: 'success',
  secretId: secret.id,
  secret: { ...secret, status: 'deleted' },
}

/** A page of the audit trail. */
export const auditLogs = {
  status: 'success',
  logs: [
    {
      id: exampleId('aud'),
      action: 'issued',
      secretId: secret.id,
      actor: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      at: '2026-11-21T09:30:00.000Z',
      detail: {
        after: {
          name: 'billing worker',
          rpm: 120,
          creditLimit: '25.000000',
          resetInterval: 'daily',
          maxCalls: null,
          expiresAt: 1_826_704_200,
        },
      },
    },
  ],
  nextCursor: null,
}
