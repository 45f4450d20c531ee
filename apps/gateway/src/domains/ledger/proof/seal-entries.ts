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

/** Ids of entries that one seal is over at most. */
export const ENTRIES_PER_SEAL_MAX = 8_192n
/** Seals of one run at most: half a million entries. The next run goes on. */
const SEALS_PER_RUN_MAX = 64

/**
 * Job: seals the entries that have come since the last seal, in the order of their ids, up to where no entry can come
 * any more (`settledEntryId`). Nobody who writes entries waits for it, and no entry leaves the database.
 *
 * Safe beside itself in other gateways: one seals at a time, each seal in a transaction of its own that goes on from the
 * newest one; whoever finds another sealing leaves it to them.
 *
 * @returns how many seals were made
 */
export async function sealEntries({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<number> {
  const settled = await settledEntryId(db)
  if (settled === null) return 0
  for (let made = 0; made < SEALS_PER_RUN_MAX; made += 1) {
    if (signal.aborted || !(await db.transaction(tx => sealNext(tx, settled)))) return made
  }
  return SEALS_PER_RUN_MAX
}

/** Makes the next seal; false when there is nothing left to seal, or somebody else is sealing. */
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

/** The next entries that are to be sealed; ids that were given out in vain are passed over. */
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
