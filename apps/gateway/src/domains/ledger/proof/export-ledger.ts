import type { Deps, Tx } from '../../../ports.ts'
import { lastEntryId, readAccountsAfter, readEntriesBetween } from './export-store.ts'
import { LEDGER_VERSION, type LedgerCounts, lineText, sealLine } from './ledger-file-rules.ts'
import { seeOneSnapshot } from './liability-store.ts'
import { readSealsFrom } from './seal-store.ts'

/** Maximum rows of each kind in memory; for entries, a range of ids. */
const ACCOUNTS_PER_PAGE = 2_000
const SEALS_PER_PAGE = 200
const ENTRIES_PER_PAGE = 5_000n

type Write = (text: string) => Promise<void>

/**
 * Exports the whole ledger as lines of JSON (ledger-file-rules.ts) in one snapshot, page by page, while the gateway
 * runs. The snapshot delays vacuum until it ends.
 *
 * @param write takes lines; the next ones are read when it is done
 */
export async function exportLedger(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  write: Write,
): Promise<LedgerCounts> {
  return db.transaction(async tx => {
    await seeOneSnapshot(tx)
    const exportedAt = new Date(clock.now()).toISOString()
    await write(lineText({ type: 'ledger', version: LEDGER_VERSION, exportedAt }))
    const accounts = await writeAccounts(tx, write)
    const counts = { accounts, ...(await writeSealedEntries(tx, write)) }
    await write(lineText({ type: 'end', ...counts }))
    return counts
  })
}

async function writeAccounts(tx: Tx, write: Write): Promise<number> {
  let count = 0
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: { id: string; posted: bigint; reserved: bigint }[] = await readAccountsAfter(
      ...([tx, last, ACCOUNTS_PER_PAGE] as const),
    )
    await write(
      page
        .map(({ id, posted, reserved }) =>
          lineText({ type: 'account', id, posted: `${posted}`, reserved: `${reserved}` }),
        )
        .join(''),
    )
    count += page.length
    last = page.at(-1)?.id
  }
  return count
}

/** Yields entries by id, and each seal after the last entry that it covers. */
async function writeSealedEntries(tx: Tx, write: Write): Promise<Omit<LedgerCounts, 'accounts'>> {
  let [entries, seals, next] = [0, 0, 1n]
  let after: bigint | null = null
  for (let isLast = false; !isLast; ) {
    const due = await readSealsFrom(tx, next, SEALS_PER_PAGE)
    isLast = due.length < SEALS_PER_PAGE
    seals += due.length
    next = (due.at(-1)?.number ?? next) + 1n
    const upTo: bigint | null = isLast ? null : (due.at(-1)?.lastEntry ?? null)
    for await (const rows of entryPages(tx, { after, upTo })) {
      const lines: string[] = []
      for (const row of rows) {
        for (let seal = due[0]; seal !== undefined && seal.lastEntry < row.id; seal = due[0]) {
          lines.push(lineText(sealLine(seal)))
          due.shift()
        }
        lines.push(lineText({ type: 'entry', ...row }))
      }
      entries += rows.length
      await write(lines.join(''))
    }
    await write(due.map(seal => lineText(sealLine(seal))).join(''))
    if (upTo !== null && (after === null || upTo > after)) after = upTo
  }
  return { entries, seals }
}

/** Yields the entries between two ids, page by page; null: from the first, or to the last. */
async function* entryPages(tx: Tx, { after, upTo }: { after: bigint | null; upTo: bigint | null }) {
  const end = upTo ?? (await lastEntryId(tx))
  let from = after
  for (let to = (from ?? 0n) + ENTRIES_PER_PAGE; to < end; to += ENTRIES_PER_PAGE) {
    yield await readEntriesBetween(tx, { after: from, upTo: to })
    from = to
  }
  yield await readEntriesBetween(tx, { after: from, upTo })
}
