import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFECTS, type DefectCase } from './defects.ts'
import { runHistory } from './history.ts'

/** Histories that are looked through for one that a defect breaks. */
const SEEDS_MAX = 3_000

const stackLimit = Error.stackTraceLimit
beforeAll(() => {
  Error.stackTraceLimit = 0
})
afterAll(() => {
  Error.stackTraceLimit = stackLimit
})

/** Faults of the first history that a defect breaks; empty if none. */
async function firstBroken({ defects, trouble = {}, from = 1 }: DefectCase): Promise<string> {
  for (let seed = from; seed < from + SEEDS_MAX; seed += 1) {
    const { wrong } = await runHistory(seed, { defects, trouble })
    if (wrong.length > 0) return wrong.join('\n')
  }
  return ''
}

test.each(DEFECTS)('$title breaks a promise that is checked', { timeout: 600_000 }, async defect => {
  expect(await firstBroken(defect)).toMatch(defect.symptom)
})
