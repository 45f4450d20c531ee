// Examples for the published contract.

/** A wallet that is both consumer and provider. */
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

/** A page of ledger entries. */
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

/** Reserves that cover the liabilities. */
export const reserves = {
  status: 'success',
  asOf: '2026-11-21T09:30:00.000Z',
  blockNumber: 22841034,
  vaultBalanceUsdc: '38.000000',
  liabilitiesUsdc: '38.000000',
  differenceUsdc: '0.000000',
  liabilities: { consumerUsdc: '24.850000', providerUsdc: '12.400000', platformUsdc: '0.750000' },
  ledgerSumUsdc: '0.000000',
  consistent: true,
  lastReconciledAt: '2026-11-21T09:29:17.402Z',
  merkleRoot: '0xb03ea27409615df74ef0ce9ef038819a9945310f26cd1afc7e375a6f559d2f78',
  tree: {
    asOf: '2026-11-21T09:29:58.310Z',
    merkleRoot: '0xb03ea27409615df74ef0ce9ef038819a9945310f26cd1afc7e375a6f559d2f78',
    wallets: 3,
    walletsUsdc: '37.250000',
    consumerUsdc: '24.850000',
    providerUsdc: '12.400000',
    platformUsdc: '0.750000',
    lockedUsdc: '0.000000',
    blockNumber: 22841033,
    vaultBalanceUsdc: '38.000000',
  },
}

/** Heads of the log partitions; two have rows. */
const sealedHeads = Array.from({ length: 16 }, (_, partition) =>
  partition === 3
    ? { partition, head: '2', hash: '0xc5cbe0d9f6196dd88dd67f3af3d13acd9209d1497df902f8af6f4d0f6ea0d4b3' }
    : partition === 12
      ? { partition, head: '1', hash: '0xe3ee04123182c949ecae77521f9e44114d48b93bd42cb637a63025b20f33f556' }
      : { partition, head: '0', hash: `0x${'0'.repeat(64)}` },
)

/** The first seal, as computed in docs/proof.md. */
export const seals = {
  status: 'success',
  seals: [
    {
      number: 1,
      afterEntryId: '0',
      lastEntryId: '3',
      entries: 3,
      root: '0xe6243a1ec945ff2c57865d691b1c27fcb36372c9bba9e74f4d7c51d857b7f858',
      previousHash: `0x${'0'.repeat(64)}`,
      hash: '0x1e3a7b7b530451817c4640d6be029a21f4ea4561fa5a4d15252017bc56671859',
      sealedAt: '2026-11-21T09:30:10.731Z',
      heads: sealedHeads,
    },
  ],
  nextCursor: null,
}

export const checks = {
  status: 'success',
  checks: [
    {
      at: '2026-11-21T09:14:17.380Z',
      checks: 15,
      consistent: true,
      vaultBalanceUsdc: '26.000000',
      demandedUsdc: '26.000000',
    },
    {
      at: '2026-11-21T09:29:17.402Z',
      checks: 15,
      consistent: true,
      vaultBalanceUsdc: '38.000000',
      demandedUsdc: '38.000000',
    },
  ],
}

/** The first of three wallets, as computed in docs/proof.md. */
export const inclusion = {
  status: 'success',
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  balanceUsdc: '24.850000',
  salt: '0x05819e9a3eac8929d86fbe54f63cd551413dd6c041b9bc8b89fec22ce88058e0',
  leafHash: '0x693ffbde81a3b7b14b1276ca7d8503a37197608f09e08dfbcea8b3b278cd5fb0',
  branch: [
    {
      hash: '0x4d3ce5f9ce345a1ddf8581116fca34986d42794e8275ab624c228764e6354302',
      sumUsdc: '12.400000',
      side: 'right',
    },
    {
      hash: '0x513452316bbad84220710b986831740b2312c10b83923fc73e968e8f5a401f80',
      sumUsdc: '0.000000',
      side: 'right',
    },
  ],
  merkleRoot: '0xb03ea27409615df74ef0ce9ef038819a9945310f26cd1afc7e375a6f559d2f78',
  walletsUsdc: '37.250000',
  asOf: '2026-11-21T09:29:58.310Z',
}
