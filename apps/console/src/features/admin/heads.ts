/** Titles and descriptions of admins' pages by path, which are shown before it is known whether the reader is one. */
export const heads = {
  '/admin': {
    title: 'Review queue',
    description:
      'Withdrawals above the automatic limits. Approving one issues a ticket that the vault pays; rejecting one returns the amount to the provider.',
  },
  '/admin/support': {
    title: 'Support tasks',
    description:
      'Reports about bugs, billing, accounts and abuse. Each has a topic on the support board for replies.',
  },
  '/admin/forum': {
    title: 'Forum',
    description:
      'Pin important topics, lock settled ones, and remove what breaks the rules. Removed posts are hidden from everyone but kept in the database.',
  },
  '/admin/suspension': {
    title: 'Suspension',
    description:
      'Stops a service or a wallet immediately on every gateway. Calls in flight finish normally, and balances do not change.',
  },
  '/admin/vouchers': {
    title: 'Vouchers',
    description:
      "Codes that add spendable USDC to a wallet's balance. Their total value is set aside from your balance when you create them.",
  },
  '/admin/reconcile': {
    title: 'Reconcile',
    description:
      "Checks every invariant of the ledger in one snapshot, and the vault's balance against what wallets are owed. The gateway also checks continuously. While the books are inconsistent, nothing is paid out.",
  },
  '/admin/health': {
    title: 'Fees and health',
    description:
      'Jobs and endpoints cover this gateway since it started. Everything else covers all gateways.',
  },
  '/admin/audit': {
    title: 'Audit log',
    description: 'Every admin action, newest first. Entries are never deleted.',
  },
} as const
