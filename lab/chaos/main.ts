import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readOptions } from './options.ts'
import { type Lab, startLab } from './parts/lab.ts'
import { planRound } from './plan.ts'
import { lineOf, markdownOf, summarise, totalsOf } from './report.ts'
import { type RoundResult, runRound } from './round.ts'

/**
 * `npm run chaos`: real gateways under load on one real database with fsync, one real chain and real providers, with a
 * line of ours between any two of them, while processes are killed and frozen, lines fail, clocks jump and the chain is
 * killed, rolled back and forked. After each round everything is healed, and every promise is checked: see
 * docs/reliability.md.
 *
 * Flags: `--rounds 200 --seed <text> --out <folder>`; `--round <number> --seed <text>` runs one of them alone. A seed
 * gives the same load and the same faults at the same times again; how the machine schedules what happens at once it
 * does not. Ends with 1 at the first broken round, and prints the folder with its evidence.
 */

/** After so many rounds everything begins anew: what one laboratory remembers stays small. */
const FRESH_EVERY = 50

const print = (line: string) => process.stdout.write(`${line}\n`)

const options = readOptions(process.argv.slice(2))
const startedAt = new Date()
const results: RoundResult[] = []

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isStopping) process.exit(1)
    isStopping = true
    print('Stopping after this round; once more to stop at once.')
  })
}

await runRounds(options.seed, options.rounds)
const minutes = (Date.now() - startedAt.getTime()) / 60_000
const summary = summarise(options.seed, startedAt, results, minutes)
print('')
for (const line of totalsOf(summary)) print(line)
if (options.out !== null) {
  const folder = resolve(options.out)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'latest.json'), `${JSON.stringify({ summary, rounds: results }, null, 2)}\n`)
  await writeFile(join(folder, 'latest.md'), markdownOf(summary, results))
  print(`Written to ${folder}.`)
}

/** Runs rounds on one growing history. Stops after a broken one, or after a signal. */
async function runRounds(seed: string, rounds: readonly number[]): Promise<void> {
  let lab: Lab | null = null
  let isBroken = false
  let current = 0
  try {
    for (const [index, round] of rounds.entries()) {
      if (isStopping || isBroken) break
      if (lab !== null && index % FRESH_EVERY === 0) {
        await lab.stop()
        lab = null
      }
      current = round
      lab ??= await startLab()
      isBroken = await playRound(lab, seed, round)
    }
  } catch (error) {
    isBroken = true
    throw error
  } finally {
    if (isBroken) {
      print(`Logs, database and what was asked lie in ${lab?.directory}.`)
      print(`Again: npm run chaos -- --seed ${seed} --round ${current}`)
      process.exitCode = 1
    }
    await lab?.stop(isBroken)
  }
}

/** Runs a round; returns whether it broke a promise, with its evidence beside logs and database. */
async function playRound(lab: Lab, seed: string, round: number): Promise<boolean> {
  const plan = planRound(seed, round)
  const { history, older, books, ...result } = await runRound(lab, plan)
  results.push(result)
  print(lineOf(result))
  for (const violation of result.violations) print(`    ${violation}`)
  if (result.violations.length === 0) return false
  await writeFile(join(lab.directory, 'broken.json'), `${toText({ plan, result, history, older, books })}\n`)
  return true
}

function toText(value: unknown): string {
  const plain = (_: string, item: unknown) => {
    if (typeof item === 'bigint') return item.toString()
    return item instanceof Map ? Object.fromEntries(item) : item
  }
  return JSON.stringify(value, plain, 2)
}
