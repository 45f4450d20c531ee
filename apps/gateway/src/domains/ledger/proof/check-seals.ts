import type { Tx } from '../../../ports.ts'
import type { Finding } from '../reconcile/reconcile-store.ts'
import { hexOf } from './merkle-rules.ts'
import { faultsOfSeal, NO_SEAL, type Seal, type SealBefore, type SealMark } from './seal-rules.ts'
import { hashEntries, keepSealMark, readHeadFaults, readSealMark, readSealsFrom } from './seal-store.ts'

/** Seals compared per step of a full check: 131,072 entries, some tenths of a second. */
const SEALS_PER_STEP = 16
/** Maximum seals per regular check; the next check continues. */
const SEALS_PER_CHECK_MAX = 96

/** Findings and progress of a comparison of seals. */
type Look = { readonly findings: readonly Finding[]; readonly mark: SealMark; readonly isAll: boolean }

/**
 * Compares the seals made since a checkpoint with their entries, hashed again, and with the log rows that they name;
 * and checks that the last compared seal is unchanged.
 *
 * @returns the findings, and the mark to store if there are none
 */
export async function compareNewSeals(tx: Tx, checkpoint: bigint): Promise<Look> {
  return lookFrom(tx, await readSealMark(tx, checkpoint), SEALS_PER_CHECK_MAX)
}

/**
 * Compares the next seals for a checkpoint over everything.
 *
 * @param keep stores the findings
 * @returns true if all seals were compared
 */
export async function compareNextSeals(
  tx: Tx,
  checkpoint: bigint,
  keep: (findings: readonly Finding[]) => Promise<void>,
): Promise<boolean> {
  const { findings, mark, isAll } = await lookFrom(tx, await readSealMark(tx, checkpoint), SEALS_PER_STEP)
  if (findings.length > 0) await keep(findings)
  await keepSealMark(tx, checkpoint, mark)
  return isAll
}

/** Checks that the seal last compared by the regular checks is unchanged: all seals may have been made again. */
export async function compareMark(tx: Tx, live: bigint): Promise<Finding[]> {
  const mark = await readSealMark(tx, live)
  return markFaults(mark, await sealAt(tx, mark.number))
}

async function lookFrom(tx: Tx, from: SealMark, limit: number): Promise<Look> {
  const marked = await sealAt(tx, from.number)
  const findings = markFaults(from, marked)
  const seals = await readSealsFrom(tx, from.number + 1n, limit)
  let before: SealBefore = marked ?? { ...NO_SEAL, ...from }
  for (const seal of seals) {
    const { number, afterEntry, lastEntry } = seal
    // One at a time: sent together, the last would wait for all and might time out.
    const now = await hashEntries(tx, { after: number === 1n ? 0n : afterEntry, upTo: lastEntry })
    const faults = faultsOfSeal(seal, before, now)
    findings.push(...faults.map(fault => ({ row: nameOf(seal), ...fault })))
    before = seal
  }
  findings.push(...(await readHeadFaults(tx, { from: from.number + 1n, to: before.number })))
  const { number, hash } = before
  return { findings, mark: { number, hash }, isAll: seals.length < limit }
}

/** Returns the seal with a number; undefined if it is missing. */
async function sealAt(tx: Tx, number: bigint): Promise<SealBefore | undefined> {
  if (number === NO_SEAL.number) return NO_SEAL
  const [seal] = await readSealsFrom(tx, number, 1)
  return seal?.number === number ? seal : undefined
}

function markFaults(mark: SealMark, found: SealMark | undefined): Finding[] {
  if (found?.hash.equals(mark.hash)) return []
  const reported = found === undefined ? 'missing' : hexOf(found.hash)
  return [
    {
      check: 'a-seal-stays-as-it-was',
      row: `seal ${mark.number}`,
      expected: hexOf(mark.hash),
      found: reported,
    },
  ]
}

const nameOf = ({ number, afterEntry, lastEntry }: Seal): string =>
  `seal ${number}, entries ${afterEntry + 1n} to ${lastEntry}`
