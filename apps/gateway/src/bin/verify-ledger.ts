import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { formatUsdc, usdc } from '@farebox/money'
import { createAudit, type Verdict } from '../domains/ledger/proof/audit-rules.ts'

// Verifies an exported ledger: needs only the file, no gateway and no database.

const USAGE = 'npm run verify-ledger -- FILE [--anchor NUMBER:HASH]...'
const print = (text: string) => process.stdout.write(`${text}\n`)

/** Seals kept elsewhere, as `12:0x...`, by number. */
function readAnchors(texts: readonly string[]): Map<bigint, string> {
  return new Map(
    texts.map(text => {
      const [, number, hash] = /^(\d{1,18}):(0x[0-9a-f]{64})$/.exec(text) ?? []
      if (number === undefined || hash === undefined)
        throw new Error(`An anchor is NUMBER:HASH, not ${text}.`)
      return [BigInt(number), hash] as const
    }),
  )
}

async function audit(file: string, anchors: ReadonlyMap<bigint, string>): Promise<Verdict> {
  const handle = await open(file)
  try {
    const auditor = createAudit(anchors)
    let number = 0
    for await (const line of handle.readLines()) {
      number += 1
      auditor.take(line, number)
    }
    return auditor.verdict()
  } finally {
    await handle.close()
  }
}

/** Prints the verdict; returns true if nothing is wrong. */
function report({ totals, lastSeal, faults, faultCount, ...verdict }: Verdict, anchors: number): boolean {
  print(`exported            ${verdict.exportedAt ?? 'unknown'}`)
  print(`entries             ${verdict.entries}, of which ${verdict.unsealed} are not sealed yet`)
  print(`accounts            ${verdict.accounts}`)
  print(`wallets are owed    ${formatUsdc(usdc(totals.wallets))} USDC`)
  print(`fees and promotions ${formatUsdc(usdc(totals.platform))} USDC`)
  print(`the vault must hold ${formatUsdc(usdc(-totals.vault))} USDC`)
  print(`seals               ${verdict.seals}`)
  if (lastSeal !== null) print(`newest seal         ${lastSeal.number}:${lastSeal.hash}`)
  if (anchors > 0) print(`seals kept by you   ${anchors}`)
  for (const { check, row, expected, found } of faults)
    print(`BROKEN ${check}: ${row}: expected ${expected}, found ${found}`)
  if (faultCount > faults.length) print(`... and ${faultCount - faults.length} more`)
  print(
    faultCount === 0
      ? 'The ledger is valid: every movement adds up to zero, every balance is explained, every seal matches.'
      : `The ledger is not valid. Faults: ${faultCount}.`,
  )
  return faultCount === 0
}

try {
  const { values, positionals } = parseArgs({
    options: { anchor: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  })
  const [file] = positionals
  if (file === undefined) throw new Error(`Usage: ${USAGE}`)
  const anchors = readAnchors(values.anchor)
  if (!report(await audit(file, anchors), anchors.size)) process.exitCode = 1
} catch (error) {
  process.stderr.write(
    `The ledger could not be checked: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 2
}
