import { exampleId } from '@farebox/wire/common'

// Examples in the published contract.

const ownerAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const withdrawalId = exampleId('wd')
const txHash = '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'

const head = { status: 'success', ownerAddress }

const ticket = {
  to: ownerAddress,
  amount: '250000000',
  deadline: 1_795_171_800,
  withdrawalId,
  nonce: '0x3a1b0f4f6d1c7a52a8f0b7c9d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5',
  vault: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  chainId: 8453,
  signature: `0x${'1f'.repeat(64)}1b`,
}

const ids = { withdrawalId, intentId: withdrawalId }

const withdrawal = {
  ...ids,
  amountUsdc: '250.000000',
  promotionalUsdc: '0.000000',
  source: 'earnings',
  status: 'APPROVED_AUTO',
  statusLabel: 'APPROVED_AUTO',
  ticket,
  txHash: null,
  reason: null,
  reviewCauses: [],
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}

/** A withdrawal with an immediate ticket. */
export const opened = {
  ...head,
  ...ids,
  statusLabel: 'APPROVED_AUTO',
  amountUsdc: '250.000000',
  ticket,
}

/** Body of a completion. */
export const completeBody = { txHash }

/** A paid withdrawal. */
export const completed = { ...head, ...ids, statusLabel: 'COMPLETED', txHash }

/** A page of withdrawals. */
export const listed = { ...head, withdrawals: [withdrawal], nextCursor: null }

/** One withdrawal. */
export const shown = { ...head, ...ids, statusLabel: 'APPROVED_AUTO', ticket, withdrawal }

/** Capability of a wallet. */
export const capability = {
  ...head,
  canWithdraw: true,
  available: '412.750000',
  receivableUsdc: '412.750000',
  receivablePromotionalUsdc: '12.500000',
  lockedUsdc: '250.000000',
  vaultLiquidityUsdc: '84210.000000',
  autoApproveMaxUsdc: '1000.000000',
  autoApproveLeftTodayUsdc: '750.000000',
  isAutoApprovalOn: true,
  ticketSeconds: 3_600,
  requiredConfirmations: 12,
}

/** Earnings of a provider. */
export const earnings = {
  ...head,
  total: '912.750000',
  summary: {
    totalEarnedUsdc: '912.750000',
    totalCalls: 18_255,
    receivableUsdc: '412.750000',
    lockedUsdc: '250.000000',
    withdrawnUsdc: '250.000000',
    promotionalUsdc: '12.500000',
    receivablePromotionalUsdc: '12.500000',
  },
  byService: [{ serviceId: exampleId('svc'), calls: 18_255, earnedUsdc: '912.750000' }],
  byDay: [{ day: '2026-11-21', calls: 640, earnedUsdc: '32.000000' }],
}
