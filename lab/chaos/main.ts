import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readOptions } from './options.ts'
import { jsonOf, lineOf, markdownOf, summarise, totalsOf } from './report.ts'
import type { RoundResult } from './round.ts'
import { runRounds } from './run.ts'

/**
 * `npm run chaos`: real gateways under load on one real database with fsync, one real chain and real providers, with a
 * line of ours between any two of them, while processes are killed and frozen, lines fail, clocks jump and the chain is
 * killed, rolled back and forked. After each round everything is healed, and every promise is checked: see
 * docs/reliability.md.
 *
 * Flags: `--rounds 200 --seed <text> --out <folder>`; `--round <number> --seed <text>` runs one of them alone. A seed
 * gives the same load and the same faults at the same times again; how the machine schedules what happens at once it
 * does not. Ends with 1 at the first broken round, and tells where its evidence lies.
 */
const say = (line: string) => process.stdout.write(`${line}\n`)

const options = readOptions(process.argv.slice(2))
const { seed, rounds, out } = options
const startedAt = new Date()
const results: RoundResult[] = []

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isStopping) process.exit(1)
    isStopping = true
    say('Stopping after this round; once more to stop at once.')
  })
}

await runRounds(seed, rounds, {
  onRound(result) {
    results.push(result)
    say(lineOf(result))
    for (const violation of result.violations) say(`    ${violation}`)
  },
  onBroken(directory) {
    const round = (results.at(-1)?.round ?? 0) + (results.at(-1)?.violations.length === 0 ? 1 : 0)
    say(`Logs, database and what was asked lie in ${directory}.`)
    say(`Again: npm run chaos -- --seed ${seed} --round ${round || rounds[0]}`)
    process.exitCode = 1
  },
  isToStop: () => isStopping,
})

const minutes = (Date.now() - startedAt.getTime()) / 60_000
const summary = summarise(seed, startedAt, results, minutes)
say('')
for (const line of totalsOf(summary)) say(line)
if (out !== null) {
  const folder = resolve(out)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'latest.json'), jsonOf(summary, results))
  await writeFile(join(folder, 'latest.md'), markdownOf(summary, results))
  say(`Written to ${folder}.`)
}
