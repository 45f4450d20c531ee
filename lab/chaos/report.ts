import type { RoundResult } from './round.ts'

/** What all rounds of a run came to. */
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

/** A run as JSON. Lists of texts are told as one text each. */
export function jsonOf(summary: Summary, results: readonly RoundResult[]): string {
  const rounds = results.map(({ faults, idle, happened, violations, ...figures }) => ({
    ...figures,
    faults: faults.join('; '),
    idle: idle.join('; '),
    happened: happened.join('; '),
    violations: violations.join('; '),
  }))
  return `${JSON.stringify({ summary, rounds }, null, 2)}\n`
}

/** A run as Markdown. */
export function markdownOf(summary: Summary, results: readonly RoundResult[]): string {
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    '# Crash laboratory',
    '',
    `\`npm run chaos -- --rounds ${summary.rounds} --seed ${summary.seed}\`, begun ${summary.startedAt}.`,
    '',
    ...totalsOf(summary).map(line => `- ${line}`),
    '',
    '## Faults that came about',
    '',
    row(['fault', 'times']),
    row(['---', '---']),
    ...Object.entries(summary.byKind).map(([kind, times]) => row([kind, times])),
    '',
    '## Rounds',
    '',
    row(['round', 'clean', 'calls', 'acknowledged', 'replayed', 'settled ms', 'faults']),
    row(Array.from({ length: 7 }, () => '---')),
    ...results.map(result =>
      row([
        ...[result.round, result.violations.length === 0 ? 'yes' : '**no**', result.calls],
        ...[result.acknowledged, result.replayed, result.settledMs, result.faults.join('<br>')],
      ]),
    ),
    '',
  ].join('\n')
}
