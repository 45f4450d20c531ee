import type { WalletAddress } from '@farebox/wire/auth'
import { getAddress } from 'viem'
import type { Tx } from '../../ports.ts'
import { defaultUsername } from './rules.ts'
import { insertWallet } from './store.ts'

/** Stores a wallet under its default name, unless it is known. */
export function ensureWallet(tx: Tx, wallet: WalletAddress): Promise<void> {
  return insertWallet(tx, { address: wallet, username: defaultUsername(getAddress(wallet)) })
}
