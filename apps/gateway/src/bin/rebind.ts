import { parseArgs } from 'node:util'
import { isAddress } from 'viem'
import { connectChain } from '../adapters/chain/chain.ts'
import { systemClock } from '../adapters/clock.ts'
import { createIds } from '../adapters/ids.ts'
import { connectPostgres } from '../adapters/postgres.ts'
import { readSome } from '../config.ts'
import { countDeposits, type LeftVault, rebindVault } from '../domains/admin/rebind-vault.ts'
import { readBinding } from '../domains/deposits/bind-vault.ts'
import type { ChainFacts, Db, Log } from '../ports.ts'
import { describeFault } from './describe-fault.ts'

/**
 * Moves the database of `DATABASE_URL` to the chain of `CHAIN_RPC_URL` and a vault on it, while no gateway runs
 * (docs/operations.md, "Another chain or vault"). Chain and vault must be given explicitly: a setting alone moves
 * nothing.
 *
 * `npm run rebind -- --chain-id 8453 --vault 0x... --by 0x... --reason "..." [--moved-by 0x...:1]`
 */

type Order = { chainId: number; vault: string; actor: string; reason: string; movedBy: string | null }

const silent = () => undefined
const log: Log = { debug: silent, info: silent, warn: silent, error: silent }
const print = (text: string) => process.stdout.write(`${text}\n`)

function readOrder(): Order {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { 'chain-id': text, vault: text, by: text, reason: text, 'moved-by': text },
  })
  const { 'chain-id': chainId = '', vault = '', by = '', reason = '' } = values
  if (!/^[1-9]\d{0,15}$/.test(chainId)) throw new Error('--chain-id is missing or not a number.')
  if (!isAddress(vault, { strict: false })) throw new Error('--vault is missing or not an address.')
  if (!isAddress(by, { strict: false }))
    throw new Error('--by is missing or not an address: pass your admin wallet.')
  if (reason.trim() === '') throw new Error('--reason is missing; it is stored in the audit log.')
  const movedBy = values['moved-by']?.toLowerCase() ?? null
  return { chainId: Number(chainId), vault, actor: by.toLowerCase(), reason, movedBy }
}

function setting(name: 'DATABASE_URL' | 'CHAIN_RPC_URL'): string {
  const value = readSome(process.env, [name])[name]
  if (value === undefined) throw new Error(`${name} is not set.`)
  return value
}

const connectTo = (vault: string) =>
  connectChain({ rpcUrl: setting('CHAIN_RPC_URL'), vault, log, requiredConfirmations: 1 })

/** Returns the vault that the database leaves; null if it leaves none, or one on another chain. */
async function connectLeft(db: Db, to: ChainFacts): Promise<LeftVault | null> {
  const bound = await readBinding(db)
  if (bound === null) return null
  if (bound.chainId === to.chainId) return bound.vault === to.vault ? null : connectTo(bound.vault)
  print(
    `Deposits since the gateways stopped into ${bound.vault} on chain ${bound.chainId} were not looked for.`,
  )
  return null
}

async function rebind({ chainId, vault, ...act }: Order): Promise<void> {
  const connectionString = setting('DATABASE_URL')
  const chain = await connectTo(vault)
  const { facts } = chain
  if (facts.chainId !== chainId)
    throw new Error(`CHAIN_RPC_URL is an endpoint of chain ${facts.chainId}, but --chain-id is ${chainId}.`)
  // Before the move: an endpoint that fails after it would end the command as if nothing had moved.
  const { counted: deposits } = await countDeposits(chain)
  const db = connectPostgres({ connectionString, connectionsMax: 1, log })
  try {
    const ids = createIds(() => systemClock.now())
    const left = await connectLeft(db, facts)
    const before = await rebindVault({ db, ids, chain, left }, act)
    print(`was  ${before === null ? 'never bound' : `vault ${before.vault} on chain ${before.chainId}`}`)
    print(`now  vault ${facts.vault} on chain ${facts.chainId}, token ${facts.usdc}`)
    print('Balances are unchanged; the new vault covers them.')
    if (deposits > 0n)
      print(
        `It counts ${deposits} deposits. Those that are not in the books are credited too: its balance must cover them as well.`,
      )
    print(
      'Deposits into it are credited from FOLLOWER_START_BLOCK on; deposits into the old one are no longer credited.',
    )
  } finally {
    await db.close()
  }
}

try {
  await rebind(readOrder())
} catch (error) {
  process.stderr.write(`Nothing was changed: ${describeFault(error)}\n`)
  process.exitCode = 1
}
