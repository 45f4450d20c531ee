import { markdownTable } from '../kit/tables.ts'
import type { RoundResult } from './round.ts'

/** Sums of all rounds of a run. */
export type Summary = {
  readonly seed: string
  readonly startedAt: string
  readonly rounds: number
  readonly cleanRounds: number
  /** Faults that came about. */
  readonly faults: number
  /** Likewise, by kind. */
  readonly byKind: Readonly<Record<string, number>>
  readonly calls: number
  readonly acknowledged: number
  readonly replayed: number
  readonly deposits: number
  readonly withdrawals: number
  /** Longest time from the last fault to the last open call, in ms. */
  readonly slowestSettleMs: number
  readonly minutes: number
}

/** Adds rounds up. */
export function summarise(
  seed: string,
  startedAt: Date,
  rounds: readonly RoundResult[],
  minutes: number,
): Summary {
  const sum = (read: (round: RoundResult) => number) =>
    rounds.reduce((total, round) => total + read(round), 0)
  const happened = rounds.flatMap(({ happened: kinds }) => kinds)
  const byKind: Record<string, number> = {}
  for (const kind of happened.toSorted()) byKind[kind] = (byKind[kind] ?? 0) + 1
  return {
    seed,
    startedAt: startedAt.toISOString(),
    rounds: rounds.length,
    cleanRounds: rounds.filter(({ violations }) => violations.length === 0).length,
    faults: happened.length,
    byKind,
    calls: sum(({ calls }) => calls),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    replayed: sum(({ replayed }) => replayed),
    deposits: sum(({ deposits }) => deposits),
    withdrawals: sum(({ withdrawals }) => withdrawals),
    slowestSettleMs: Math.max(0, ...rounds.map(({ settledMs }) => settledMs)),
    minutes: Math.round(minutes * 10) / 10,
  }
}

/** A round as one line. */
export function lineOf(result: RoundResult): string {
  const { round, seed, violations, ms, calls, acknowledged, replayed, deposits, withdrawals } = result
  const verdict = violations.length === 0 ? 'ok    ' : 'BROKEN'
  const idle = new Set(result.idle)
  const faults = result.faults.map(fault => (idle.has(fault) ? `(${fault}: nobody came by)` : fault))
  return (
    `round ${String(round).padStart(4)}  ${verdict}  seed ${seed}  ${(ms / 1_000).toFixed(1).padStart(5)} s  ` +
    `${calls} calls, ${acknowledged} acknowledged, ${replayed} replayed, ${deposits} in, ${withdrawals} out  ` +
    `${faults.join('; ') || 'no fault'}`
  )
}

/** A run in some lines. */
export function totalsOf(summary: Summary): string[] {
  const { rounds, cleanRounds, faults, calls, acknowledged, replayed, deposits, withdrawals, minutes } =
    summary
  return [
    `${cleanRounds} of ${rounds} rounds clean, seed ${summary.seed}, ${minutes} min`,
    `${faults} faults, ${calls} calls, ${acknowledged} acknowledged under faults, ${replayed} asked again and the same`,
    `${deposits} deposits, ${withdrawals} withdrawals, slowest settling ${summary.slowestSettleMs} ms`,
  ]
}

/** Returns a run as Markdown. */
export function markdownOf(summary: Summary, results: readonly RoundResult[]): string {
  const faults = Object.entries(summary.byKind).map(([kind, times]) => [kind, String(times)])
  const rounds = results.map(({ round, violations, calls, acknowledged, replayed, settledMs, faults }) => [
    ...[String(round), violations.length === 0 ? 'yes' : '**no**', String(calls), String(acknowledged)],
    ...[String(replayed), String(settledMs), faults.join('<br>')],
  ])
  const heading = ['round', 'clean', 'calls', 'acknowledged', 'replayed', 'settled ms', 'faults']
  return `# Crash laboratory

\`npm run chaos -- --rounds ${summary.rounds} --seed ${summary.seed}\`, begun ${summary.startedAt}.

${totalsOf(summary)
  .map(line => `- ${line}`)
  .join('\n')}

## Faults that came about

${markdownTable([['fault', 'times'], ...faults])}

## Rounds

${markdownTable([heading, ...rounds])}
`
}
