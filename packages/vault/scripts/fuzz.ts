/** Fuzzes the vault for as long as is asked: `npm run fuzz:vault -- --runs 10000 --depth 200 --seed 0x...`. */
import { parseArgs } from 'node:util'
import { fareboxVaultBytecode } from '../src/contracts.gen.ts'
import { describeOutcome, newSeed, openForge } from '../test/forge.ts'

const DEADLINE_MS = 24 * 3_600_000

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    depth: { type: 'string', default: '100' },
    seed: { type: 'string', default: newSeed() },
  },
})
const campaign = { runs: count('runs'), depth: count('depth'), seed: values.seed }
const forge = await openForge()
try {
  const outcome = await forge.fuzz(fareboxVaultBytecode, campaign, DEADLINE_MS)
  process.stdout.write(`${describeOutcome(outcome, campaign)}\n`)
  process.exitCode = outcome.broken === null ? 0 : 1
} finally {
  await forge.close()
}

function count(name: 'runs' | 'depth'): number {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number > 0) return number
  throw new Error(`--${name} must be a whole number above 0, and is ${values[name]}.`)
}
