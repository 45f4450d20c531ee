import { open, rename } from 'node:fs/promises'
import { systemClock } from '../adapters/clock.ts'
import { connectPostgres } from '../adapters/postgres.ts'
import { exportLedger } from '../domains/ledger/proof/export-ledger.ts'
import type { LedgerCounts } from '../domains/ledger/proof/ledger-file-rules.ts'
import type { Log } from '../ports.ts'
import { describeFault } from './describe-fault.ts'
import { findPlace } from './find-place.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Writes the books to a file, which gets its name once it is complete. */
async function writeBooks(databaseUrl: string, file: string): Promise<LedgerCounts> {
  const silent = () => undefined
  const log: Log = { debug: silent, info: silent, warn: silent, error: silent }
  const db = connectPostgres({ connectionString: databaseUrl, connectionsMax: 1, log })
  try {
    const unfinished = `${file}.part`
    // The file shows every wallet's balance.
    const handle = await open(unfinished, 'w', 0o600)
    try {
      const counts = await exportLedger({ db, clock: systemClock }, text => handle.appendFile(text))
      await handle.sync()
      await rename(unfinished, file)
      return counts
    } finally {
      await handle.close()
    }
  } finally {
    await db.close()
  }
}

const [file] = process.argv.slice(2)
try {
  if (file === undefined) throw new Error('Usage: npm run export-ledger -- ledger.ndjson')
  const place = await findPlace(process.env, ['DATABASE_URL'], print)
  try {
    const { accounts, entries, seals } = await writeBooks(place.config.DATABASE_URL ?? '', file)
    print(`Wrote ${entries} entries, ${seals} seals and ${accounts} accounts to ${file}.`)
    print(`Verify it on any machine: npm run verify-ledger -- ${file}`)
  } finally {
    await place.stop()
  }
} catch (error) {
  process.stderr.write(`The ledger could not be exported: ${describeFault(error)}\n`)
  process.exitCode = 2
}
