import { expect, test } from 'vitest'
import { describeFault, type FaultKind, GATEWAYS, LOAD_MS, planRound } from './plan.ts'
import { createRandom } from './random.ts'

const rounds = (seed: string, count: number) =>
  Array.from({ length: count }, (_, index) => planRound(seed, index + 1))

test('plans the same round for the same seed and number, whatever was planned before', () => {
  const [, , third] = rounds('one', 3)
  expect(planRound('one', 3)).toEqual(third)
  expect(planRound('two', 3)).not.toEqual(third)
})

test('starts one of the first 16 rounds with each kind of fault', () => {
  const kinds = new Set(rounds('any', 16).flatMap(({ faults }) => faults.map(({ kind }) => kind)))
  const all: FaultKind[] = [
    ...(['kill gateway', 'kill gateway at', 'freeze gateway', 'restart gateway'] as const),
    ...(['kill database', 'freeze database', 'kill chain', 'roll chain back', 'fork chain'] as const),
    ...(['line', 'jump clock'] as const),
  ]
  expect([...kinds].toSorted()).toEqual(all.toSorted())
})

test('plans one to three distinct faults a round, in order of time, while the load runs', () => {
  for (const { faults } of rounds('many', 300)) {
    expect(faults.length).toBeGreaterThanOrEqual(1)
    expect(faults.length).toBeLessThanOrEqual(3)
    const times = faults.map(({ atMs }) => atMs)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect(Math.max(...times)).toBeLessThan(LOAD_MS)
    expect(new Set(faults.map(describeFault)).size).toBe(faults.length)
    const reorganisations = faults.filter(({ kind }) => kind === 'roll chain back' || kind === 'fork chain')
    expect(reorganisations.length).toBeLessThanOrEqual(1)
    for (const fault of faults) if ('gateway' in fault) expect(fault.gateway).toBeLessThan(GATEWAYS)
  }
})

test('random numbers stay within bounds, and a fork does not depend on earlier draws', () => {
  const random = createRandom('bounds')
  const drawn = Array.from({ length: 1_000 }, () => random.int(3, 7))
  expect(new Set(drawn)).toEqual(new Set([3, 4, 5, 6, 7]))
  expect(random.fork('a').next()).toBe(createRandom('bounds').fork('a').next())
  expect(random.shuffle([1, 2, 3, 4]).toSorted()).toEqual([1, 2, 3, 4])
})
