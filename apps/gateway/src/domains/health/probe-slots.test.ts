import { expect, test } from 'vitest'
import { createProbeSlots } from './probe-slots.ts'

const LIMITS = { atOnce: 100, perHost: 8, perOwner: 50 }

test('probes of a provider that hang leave slots of their host to other providers', async () => {
  const slots = createProbeSlots(LIMITS)
  const started: string[] = []
  const { promise: hanging, resolve: end } = Promise.withResolvers<void>()
  const probe = (owner: string) =>
    slots.run({ host: 'shared.test', owner }, async () => {
      started.push(owner)
      await hanging
    })
  const probes = Array.from({ length: 20 }, () => probe('one'))
  expect(started).toHaveLength(4)
  probes.push(probe('two'))
  expect(started.at(-1)).toBe('two')
  end()
  await Promise.all(probes)
  expect(started).toHaveLength(21)
  expect(slots.free()).toBe(LIMITS.atOnce)
})
