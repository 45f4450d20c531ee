import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lab, startLab } from './lab.ts'
import { planRound } from './plan.ts'
import { type Evidence, type RoundResult, runRound } from './round.ts'

/** After so many rounds everything begins anew: what one laboratory remembers stays small. */
const FRESH_EVERY = 50

/** What a run is told of as it goes. */
export type Output = {
  readonly onRound: (result: RoundResult) => void
  /** A round is broken; everything about it lies in the folder. */
  readonly onBroken: (directory: string) => void
  /** Asked before each round. */
  readonly isToStop: () => boolean
}

/**
 * Runs rounds one after the other on one history that grows, and stops at the first that is broken, or when told.
 *
 * @param rounds their numbers
 */
export async function runRounds(
  seed: string,
  rounds: readonly number[],
  reported: Output,
): Promise<RoundResult[]> {
  const results: RoundResult[] = []
  let lab: Lab | null = null
  let isBroken = false
  try {
    for (const [index, round] of rounds.entries()) {
      if (reported.isToStop()) break
      if (lab !== null && index % FRESH_EVERY === 0) {
        await lab.stop()
        lab = null
      }
      lab ??= await startLab()
      const { history, older, books, ...result } = await runRound(lab, planRound(seed, round))
      results.push(result)
      reported.onRound(result)
      isBroken = result.violations.length > 0
      if (!isBroken) continue
      await keepEvidence(lab, result, { history, older, books })
      reported.onBroken(lab.directory)
      break
    }
    return results
  } catch (error) {
    isBroken = true
    if (lab !== null) reported.onBroken(lab.directory)
    throw error
  } finally {
    await lab?.stop(isBroken)
  }
}

/** What was asked and answered, what the books say, and what is wrong; logs and database lie beside. */
async function keepEvidence({ directory }: Lab, result: RoundResult, evidence: Evidence): Promise<void> {
  const plan = planRound(result.seed, result.round)
  await writeFile(join(directory, 'broken.json'), `${toText({ plan, result, ...evidence })}\n`)
}

const toText = (value: unknown) =>
  JSON.stringify(
    value,
    (_, item: unknown) => {
      if (typeof item === 'bigint') return item.toString()
      return item instanceof Map ? Object.fromEntries(item) : item
    },
    2,
  )
