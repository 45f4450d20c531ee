import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { markdownTable } from '../kit/tables.ts'
import { FAULTS } from './faults.ts'
import { TIMES } from './node.ts'
import type { Round } from './round.ts'

const execute = promisify(execFile)
/** Writes are to resume within this, in ms. */
export const RESUME_MS_MAX = 30_000

/** Returns what is wrong with a round. */
export const wrongWith = ({ findings, resumedMs }: Round): readonly string[] => [
  ...findings,
  ...(resumedMs <= RESUME_MS_MAX ? [] : [`writes resumed after ${seconds(resumedMs)} s only`]),
]

/** The rounds as a Markdown document. */
export async function reportOf(
  rounds: readonly Round[],
  run: { command: string; isStrict: boolean },
): Promise<string> {
  const rows = FAULTS.flatMap(({ name, what }) => {
    const own = rounds.filter(({ fault }) => fault === name)
    if (own.length === 0) return []
    const numbers = (pick: (round: Round) => number) => own.map(pick).sort((a, b) => a - b)
    const sum = (pick: (round: Round) => number) => String(numbers(pick).reduce((all, one) => all + one, 0))
    return [
      [
        ...[what, String(own.length), spread(numbers(({ resumedMs }) => resumedMs))],
        ...[spread(numbers(({ everywhereMs }) => everywhereMs)), sum(({ acknowledged }) => acknowledged)],
        ...[sum(({ interrupted }) => interrupted), sum(({ deposits }) => deposits)],
        sum(round => wrongWith(round).length),
      ],
    ]
  })
  const heading = [
    ...['what befell the primary', 'rounds', 'first paid call after, s', 'at all three gateways, s'],
    ...['final answers', 'of them interrupted', 'deposits credited', 'findings'],
  ]
  return `# The database on three machines

Written by \`${run.command}\`; what is done and checked stands at the top of \`lab/cluster/main.ts\`. Times are least,
median and most.

${markdownTable([heading, ...rows])}

Each time, every call that was answered in the round was asked for again: its answer is the same, byte for byte. The
calls that the new primary has as charged are exactly those whose charge was acknowledged; every balance follows from
them and from the acknowledged deposits; no provider was asked twice for one key; every invariant of the books holds.
After the last round all ${rounds.reduce((all, { acknowledged }) => all + acknowledged, 0)} answers were asked for once more.

- PostgreSQL ${await versionOf('/usr/bin/psql')}, Patroni ${await versionOf('patroni')}, etcd ${await versionOf('etcd')}, haproxy ${await versionOf('haproxy', '-v')}
- Patroni: ttl ${TIMES.ttl} s, loop_wait ${TIMES.loop_wait} s, retry_timeout ${TIMES.retry_timeout} s, synchronous_mode${run.isStrict ? ', strict' : ''}; haproxy looks every second
- ${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores for three machines, three gateways, callers, provider and chain
- ${new Date().toISOString()}
`
}

/** Writes it where results are kept. */
export async function writeReport(folder: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'latest.md')
  await writeFile(file, text)
  return file
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1)

const spread = (sorted: readonly number[]) =>
  [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)]
    .map(ms => seconds(ms ?? Number.NaN))
    .join(' / ')

async function versionOf(program: string, flag = '--version'): Promise<string> {
  const { stdout } = await execute(program, [flag])
  return /\d+\.\d[\w.]*/.exec(stdout)?.[0] ?? 'unknown'
}
