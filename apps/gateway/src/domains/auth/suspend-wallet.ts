import type { WalletAddress } from '@farebox/wire/auth'
import { getAddress } from 'viem'
import type { Tx } from '../../ports.ts'
import { ensureWallet } from './ensure-wallet.ts'
import { lockWallet, type WalletRow, writeSuspension } from './store.ts'

/** A wallet as shown to admins. */
export type OverseenWallet = {
  /** Checksummed. */
  readonly walletAddress: string
  readonly username: string
  readonly isProvider: boolean
  /** ISO 8601; null while it is not suspended. */
  readonly suspendedAt: string | null
  readonly createdAt: string
}

/** A wallet before and after a change; equal if nothing changed. */
export type WalletChange = { readonly before: OverseenWallet | null; readonly after: OverseenWallet }

/**
 * Suspends a wallet. From the commit on, its sessions, agents and provider secrets are rejected and its services are
 * not found. Calls in flight complete normally. An unknown wallet is stored as suspended, in case it signs in later.
 *
 * @param wallet in lower case
 * @param reason told to the wallet when it is refused
 */
export async function suspendWallet(
  tx: Tx,
  wallet: WalletAddress,
  reason: string | null,
): Promise<WalletChange> {
  const before = await lockWallet(tx, wallet)
  if (before === undefined) await ensureWallet(tx, wallet)
  const after = before?.suspendedAt == null ? await writeSuspension(tx, wallet, { reason }) : before
  return { before: before === undefined ? null : present(before), after: present(after) }
}

/**
 * Lifts the suspension of a wallet. Its credentials and services work again unchanged.
 *
 * @param wallet in lower case
 * @returns null if the wallet is unknown
 */
export async function resumeWallet(tx: Tx, wallet: WalletAddress): Promise<WalletChange | null> {
  const before = await lockWallet(tx, wallet)
  if (before === undefined) return null
  const after = before.suspendedAt === null ? before : await writeSuspension(tx, wallet, null)
  return { before: present(before), after: present(after) }
}

function present({ address, username, isProvider, suspendedAt, createdAt }: WalletRow): OverseenWallet {
  return {
    walletAddress: getAddress(address),
    username,
    isProvider,
    suspendedAt: suspendedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
