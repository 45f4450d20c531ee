import { parseArgs } from 'node:util'
import { runHistory } from './history.ts'

// Runs simulated histories of gateways on one database: `--seeds N` from `--from`, or a single one by `--seed`.

/** Stack traces of expected errors take half of the time. */
Error.stackTraceLimit = 0

const print = (text: string) => process.stdout.write(`${text}\n`)

async function repeat(seed: number): Promise<number> {
  Error.stackTraceLimit = 20
  const { wrong, trace } = await runHistory(seed, { isTraced: true })
  print(trace.join('\n'))
  print(wrong.length === 0 ? `Seed ${seed}: nothing is wrong.` : `Seed ${seed}:\n${wrong.join('\n')}`)
  return wrong.length
}

async function runMany(from: number, seeds: number): Promise<number> {
  const startedAt = performance.now()
  let failed = 0
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { wrong } = await runHistory(seed)
    if (wrong.length > 0) {
      failed += 1
      print(`Seed ${seed}: ${wrong[0]}`)
    }
    if ((seed - from + 1) % 10_000 === 0) print(`${seed - from + 1} histories, ${failed} wrong`)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  print(`${seeds} histories, ${failed} wrong, ${Math.round(seeds / seconds)} a second`)
  return failed
}

const { values } = parseArgs({
  options: { seed: { type: 'string' }, from: { type: 'string' }, seeds: { type: 'string' } },
})
/** @throws RangeError */
function numberOf(name: keyof typeof values, otherwise: number): number {
  const value = Number(values[name] ?? otherwise)
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`--${name} needs a whole number.`)
  return value
}

const failed =
  values.seed === undefined
    ? await runMany(numberOf('from', 1), numberOf('seeds', 10_000))
    : await repeat(numberOf('seed', 0))
process.exitCode = failed > 0 ? 1 : 0
