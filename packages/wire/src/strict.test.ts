import { expect, test } from 'vitest'
import { z } from 'zod'
import { misreadingsOf, misspeltMembers, nearestName, strict } from './strict.ts'

const KNOWN = ['name', 'maxCalls', 'creditLimit', 'rpm', 'resetInterval', 'expiresInSec', 'expiresAt']

test.each([
  ['creditlimit', 'creditLimit'],
  ['credit_limit', 'creditLimit'],
  ['creditLimt', 'creditLimit'],
  ['limit', 'creditLimit'],
  ['maxCallz', 'maxCalls'],
  ['expires', 'expiresAt'],
  ['colour', null],
  ['', null],
  ['\u0000', null],
])('the known name nearest to %j is %j', (given, nearest) => {
  expect(nearestName(given, KNOWN)).toBe(nearest)
})

test('a strict object names unknown members, even after partial()', () => {
  const body = strict({ amountUsdc: z.string(), pricing: strict({ amount: z.string() }).optional() })
  const messagesOf = (schema: z.ZodType, input: unknown) =>
    schema.safeParse(input).error?.issues.map(({ path, message }) => [path.join('.'), message])
  expect(messagesOf(body, { amountUsdc: '1', amuontUsdc: '1', colour: 1 })).toEqual([
    ['', 'Unknown member "amuontUsdc". Did you mean "amountUsdc"? Unknown member "colour".'],
  ])
  expect(messagesOf(body.partial(), { pricing: { amount: '1', amout: '2' } })).toEqual([
    ['pricing', 'Unknown member "amout". Did you mean "amount"?'],
  ])
  expect(messagesOf(body, { amountUsdc: 1 })).toEqual([['amountUsdc', expect.stringContaining('string')]])
})

test('reports misspelt names of important members, but no other unknown ones', () => {
  const members = { known: ['serviceId', 'maxCostUsdc', 'note'], matters: ['maxCostUsdc'] }
  expect(misspeltMembers({ serviceId: 1, maxCost: 1, max_cost_usdc: 2, colour: 3 }, members)).toBe(
    'Unknown member "maxCost". Did you mean "maxCostUsdc"? Unknown member "max_cost_usdc". Did you mean "maxCostUsdc"?',
  )
  for (const body of [{ serviceId: 1, maxCostUsdc: 1, note: 'x', colour: 3 }, null, 'x', undefined]) {
    expect(misspeltMembers(body, members)).toBeNull()
  }
})

test('compares the first 100 unknown names only', () => {
  const members = { known: ['note'], matters: ['maxCostUsdc'] }
  const body = (unknown: number) => ({
    note: 'x',
    ...Object.fromEntries(Array.from({ length: unknown }, (_, index) => [`colour${index}`, 1])),
    maxCost: 1,
  })
  expect(misspeltMembers(body(99), members)).toContain('maxCost')
  expect(misspeltMembers(body(100), members)).toBeNull()
})

test('truncates and escapes the unknown name that it repeats', () => {
  const { error } = strict({}).safeParse({ [`a\u0000${'b'.repeat(10_000)}`]: 1 })
  expect(error?.issues[0]?.message).toBe(`Unknown member "a\\u0000${'b'.repeat(62)}".`)
})

test('returns the known name for which a lenient reader may take another', () => {
  const meaningOf = misreadingsOf(['max_tokens', 'n', 'id', 'stream'])
  for (const name of ['MAX_TOKENS', 'Max_Tokens', 'maxTokens', 'max-tokens', 'max_to\u212Aens'])
    expect(meaningOf(name)).toBe('max_tokens')
  expect(meaningOf('N')).toBe('n')
  expect(meaningOf('\u017Ftream')).toBe('stream')
  for (const name of ['max_tokens', 'n', 'min_tokens', '_id', 'tokens', 'ids', ''])
    expect(meaningOf(name)).toBeUndefined()
})
