import { formatUsdc, usdc } from '@farebox/money'
import { connectChain } from '../adapters/chain/chain.ts'
import { connectPostgres } from '../adapters/postgres.ts'
import { assertBound } from '../domains/deposits/bind-vault.ts'
import { type Reconciliation, reconcile } from '../domains/ledger/reconcile/reconcile.ts'
import type { Log } from '../ports.ts'
import { describeFault } from './describe-fault.ts'
import { findPlace, type Place } from './find-place.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

async function checkBooks({ config }: Place): Promise<Reconciliation> {
  const { DATABASE_URL = '', CHAIN_RPC_URL = '', VAULT_ADDRESS = '' } = config
  // The outcome is printed; the rest is for a gateway's log.
  const silent = () => undefined
  const log: Log = { debug: silent, info: silent, warn: silent, error: silent }
  const db = connectPostgres({ connectionString: DATABASE_URL, connectionsMax: 1, log })
  try {
    const chain = await connectChain({
      rpcUrl: CHAIN_RPC_URL,
      moreRpcUrls: config.RPC_URLS,
      vault: VAULT_ADDRESS,
      requiredConfirmations: config.REQUIRED_CONFIRMATIONS,
      log,
    })
    await assertBound(db, chain.facts)
    return await reconcile({ db, chain, log })
  } finally {
    await db.close()
  }
}

/** Prints the outcome; returns true if every invariant holds. */
function report({ consistent, findings, totals, vault }: Reconciliation): boolean {
  print(`consumers are owed  ${formatUsdc(totals.consumers)} USDC`)
  print(
    `providers are owed  ${formatUsdc(totals.providers)} USDC, of which ${formatUsdc(totals.ticketsOut)} open tickets may pay`,
  )
  print(`fees earned         ${formatUsdc(totals.platform)} USDC`)
  print(`set aside to give   ${formatUsdc(totals.promotions)} USDC`)
  if (vault === null)
    print('the vault was not compared: the chain is unreachable, or was not read to its head')
  else {
    print(`the vault held      ${formatUsdc(usdc(vault.held))} USDC at block ${vault.block}`)
    print(`by the books        ${formatUsdc(usdc(vault.due))} USDC`)
  }
  print(`sum of all entries  ${formatUsdc(totals.entries)} USDC`)
  for (const { check, row, expected, found } of findings)
    print(`BROKEN ${check}: ${row}: expected ${expected}, found ${found}`)
  print(consistent ? 'Every invariant holds.' : `Rows that break an invariant: ${findings.length}.`)
  return consistent
}

try {
  const place = await findPlace(process.env, ['DATABASE_URL', 'CHAIN_RPC_URL', 'VAULT_ADDRESS'], print)
  try {
    if (!report(await checkBooks(place))) process.exitCode = 1
  } finally {
    await place.stop()
  }
} catch (error) {
  process.stderr.write(`The books could not be checked: ${describeFault(error)}\n`)
  process.exitCode = 2
}
