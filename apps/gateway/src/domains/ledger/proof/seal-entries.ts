import type { Deps, Tx } from '../../../ports.ts'
import { settledEntryId } from '../reconcile/checkpoint-store.ts'
import { NO_SEAL, type Seal, sealHash } from './seal-rules.ts'
import {
  databaseTime,
  findEntry,
  hashEntries,
  lockSealing,
  readHeads,
  readNewestSeal,
  writeSeal,
} from './seal-store.ts'

/** Maximum number of entry ids per seal. */
export const ENTRIES_PER_SEAL_MAX = 8_192n
/** Maximum number of seals per run: half a million entries. The next run continues. */
const SEALS_PER_RUN_MAX = 64

/**
 * Job: seals new entries in the order of their ids, up to the id below which no entry can be added any more
 * (`settledEntryId`). Writers of entries do not wait for it, and no entry leaves the database.
 *
 * Safe to run in several gateways: one seals at a time, each seal in its own transaction; the others skip the run.
 *
 * @returns the number of seals made
 */
export async function sealEntries({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<number> {
  const settled = await settledEntryId(db)
  if (settled === null) return 0
  for (let made = 0; made < SEALS_PER_RUN_MAX; made += 1) {
    if (signal.aborted || !(await db.transaction(tx => sealNext(tx, settled)))) return made
  }
  return SEALS_PER_RUN_MAX
}

/** Makes the next seal; returns false if there is nothing to seal or another gateway is sealing. */
async function sealNext(tx: Tx, settled: bigint): Promise<boolean> {
  if (!(await lockSealing(tx))) return false
  const before = (await readNewestSeal(tx)) ?? NO_SEAL
  const part = await nextPart(tx, before.lastEntry, settled)
  if (part === null) return false
  const body = {
    number: before.number + 1n,
    afterEntry: before.lastEntry,
    ...part,
    previous: before.hash,
    sealedAt: await databaseTime(tx),
    heads: await readHeads(tx),
  }
  await writeSeal(tx, { ...body, hash: sealHash(body) })
  return true
}

type Part = Pick<Seal, 'lastEntry' | 'entries' | 'root'>

/** Returns the next entries to seal; skips ids that were drawn but never used. */
async function nextPart(tx: Tx, after: bigint, settled: bigint): Promise<Part | null> {
  const upTo = least(after + ENTRIES_PER_SEAL_MAX, settled)
  if (upTo <= after) return null
  const near = await hashEntries(tx, { after, upTo })
  if (near.entries > 0) return { lastEntry: upTo, ...near }
  const first = await findEntry(tx, { after: upTo, upTo: settled })
  if (first === null) return null
  const lastEntry = least(first + ENTRIES_PER_SEAL_MAX - 1n, settled)
  return { lastEntry, ...(await hashEntries(tx, { after, upTo: lastEntry })) }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
