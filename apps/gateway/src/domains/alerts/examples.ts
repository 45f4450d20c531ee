import { exampleId } from '@farebox/wire/common'

const success = { status: 'success' }
const settings = {
  budgetPercents: [80, 100],
  balanceBelowUsdc: '5.000000',
  failureRate: { percent: 20, minCalls: 50 },
  byEmail: true,
  byWebhook: true,
  emailStatus: 'ready',
  updatedAt: '2026-11-20T12:00:00.000Z',
}

export const settingsOf = { ...success, settings }
export const changeBody = { budgetPercents: [80, 100], balanceBelowUsdc: '5', byEmail: true }
export const list = {
  ...success,
  alerts: [
    {
      id: exampleId('alrt'),
      type: 'budget.reached',
      firedAt: '2026-11-21T09:30:00.000Z',
      isMailed: true,
      data: {
        walletAddress: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
        credentialId: exampleId('cred'),
        limit: 'credential_credit',
        percent: 80,
        callsUsed: 412,
        maxCalls: null,
        spentUsdc: '4.020000',
        creditLimit: '5.000000',
        resetInterval: 'daily',
        intervalStart: '2026-11-21T00:00:00.000Z',
      },
    },
  ],
  nextCursor: null,
}
