// What callers will see, for the published contract.

/** A wallet that calls services and offers one. */
export const balance = {
  status: 'success',
  consumer_available_balance: '24.850000',
  consumer_held_balance: '0.050000',
  provider_receivable_balance: '12.400000',
  provider_locked_balance: '0.000000',
  protocol_fee_balance: '0.000000',
  balance: {
    ownerBalance: '24.850000',
    consumerAvailableBalance: '24.850000',
    consumerHeldBalance: '0.050000',
    providerReceivable: '12.400000',
    providerLocked: '0.000000',
    platformFeeAccrued: '0.000000',
  },
}

/** A page of the ledger. */
export const entries = {
  status: 'success',
  entries: [
    {
      entryId: '48151',
      movementId: 'capture:inv_01kahd5w3xqv7m2c9z4n8r6t0e',
      kind: 'capture',
      account: 'consumer',
      amountUsdc: '-0.050000',
      reference: 'inv_01kahd5w3xqv7m2c9z4n8r6t0e',
      createdAt: '2026-11-21T09:30:02.114Z',
    },
  ],
  nextCursor: 'NDgxNTE',
}

/** Reserves that cover what is owed. */
export const reserves = {
  status: 'success',
  asOf: '2026-11-21T09:30:00.000Z',
  blockNumber: 22841034,
  vaultBalanceUsdc: '1204.000000',
  liabilitiesUsdc: '1204.000000',
  differenceUsdc: '0.000000',
  liabilities: { consumerUsdc: '800.100000', providerUsdc: '401.900000', platformUsdc: '2.000000' },
  ledgerSumUsdc: '1204.000000',
  consistent: true,
  lastReconciledAt: '2026-11-21T09:29:17.402Z',
}
