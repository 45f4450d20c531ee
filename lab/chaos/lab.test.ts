import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lab, startLab } from './parts/lab.ts'
import type { Fault } from './plan.ts'
import { runRound } from './round.ts'

/** Rounds of some seconds, on a machine that has other tests to run. */
const TIMEOUT_MS = 180_000

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
}, TIMEOUT_MS)
afterAll(() => lab?.stop(), TIMEOUT_MS)

const families: readonly (readonly [string, readonly Fault[]])[] = [
  [
    'gateways killed, at a point and at random',
    [
      { kind: 'kill gateway at', gateway: 0, point: 'settlement committed, not answered', atMs: 50 },
      { kind: 'kill gateway', gateway: 1, atMs: 900 },
      { kind: 'jump clock', gateway: 1, byMs: -3_600_000, atMs: 100, forMs: 1_000 },
    ],
  ],
  [
    'database killed, chain rolled back',
    [
      { kind: 'kill database', atMs: 400, forMs: 200 },
      { kind: 'roll chain back', atMs: 600, blocks: 3 },
    ],
  ],
  [
    'connections cut and black-holed, a gateway frozen past its lease',
    [
      {
        kind: 'line',
        atMs: 200,
        forMs: 500,
        mode: { kind: 'black hole' },
        line: { between: 'gateway and database', gateway: 1 },
      },
      {
        kind: 'line',
        atMs: 300,
        forMs: 800,
        mode: { kind: 'cut', afterBytes: 500, way: 'down' },
        line: { between: 'gateways and provider', provider: 'model' },
      },
      { kind: 'freeze gateway', gateway: 0, atMs: 900, forMs: 1_800 },
    ],
  ],
]

let replayed = 0
test.each(families.map(([name, faults], index) => [name, faults, index] as const))(
  'failures 18 to 28 at random: %s: nothing acknowledged is lost, nothing is done twice, the books are exact',
  async (_, faults, index) => {
    const isLast = index === families.length - 1
    const result = await runRound(lab, { seed: 'short', round: index + 1, faults, expires: isLast })
    expect(result.violations).toEqual([])
    expect(result.calls).toBeGreaterThan(0)
    // On a busy machine the faults may come before the first answer of a round.
    replayed += result.replayed
    if (isLast) expect(replayed).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

test(
  'reports books that were tampered with: the lab can fail',
  async () => {
    const { sql, world } = { ...lab, sql: lab.database.sql }
    const [provider] = world.providers
    await sql('update accounts set posted = posted - 1 where id = $1', [
      `provider:${provider?.wallet.toLowerCase()}`,
    ])
    await sql(`update invocation_answers set body = replace(body, '"receipt"', '"tampered"')`)
    const { violations } = await runRound(lab, { seed: 'short', round: 4, faults: [], expires: false })
    const found = violations.join('\n')
    expect(found).toMatch(/^account provider:/m)
    expect(found).toMatch(/^reconciliation: /m)
    expect(found).toMatch(/^call .*: was answered .* and then /m)
  },
  TIMEOUT_MS,
)
