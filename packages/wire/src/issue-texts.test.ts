import { expect, test } from 'vitest'
import { z } from 'zod'
import { aboutMember } from './issue-texts.ts'

const schema = z.object({
  amount: z.union([z.string(), z.number()]),
  name: z.string().min(1).max(3),
  seconds: z.int().min(1).max(604_800),
  tags: z.array(z.string()).max(1),
  mode: z.enum(['sync', 'stream']),
  query: z.union([z.union([z.string(), z.number()]), z.array(z.string())]),
  members: z.record(z.string(), z.unknown()),
  at: z.iso.datetime({ offset: true }),
  day: z.iso.date(),
  kind: z.literal('code'),
  weight: z.number().positive(),
})
const good = {
  amount: 1,
  name: 'a',
  seconds: 1,
  tags: [],
  mode: 'sync',
  query: '',
  members: {},
  at: '2026-11-21T09:30:00+01:00',
  day: '2026-11-21',
  kind: 'code',
  weight: 1,
}

test.each<[object, string]>([
  [{ amount: undefined }, 'amount is required.'],
  [{ mode: undefined }, 'mode is required.'],
  [{ amount: true }, 'amount: Must be of type string or number.'],
  [{ name: 1 }, 'name: Must be of type string.'],
  [{ name: ['a', 'b'] }, 'name: Must be one value of type string, not a list.'],
  [{ tags: 'a' }, 'tags: Must be of type array.'],
  [{ members: 'a' }, 'members: Must be of type object.'],
  [{ mode: 'push' }, 'mode: Must be one of sync, stream.'],
  [{ kind: 'token' }, 'kind: Must be code.'],
  [{ at: '2026-11-21T09:30:00 01:00' }, 'at: Must be a time with its zone, such as 2026-11-21T09:30:00Z.'],
  [{ day: '2026-11-21T09:30:00Z' }, 'day: Must be a date, such as 2026-11-21.'],
  [{ amount: null }, 'amount: Must be of type string or number.'],
  [{ query: { a: 1 } }, 'query: Must be of type string or number or array.'],
  [{ query: ['a', 1] }, 'query: item 1: Must be of type string.'],
  [{ weight: 0 }, 'weight: Must be more than 0.'],
  [{ name: '' }, 'name must not be empty.'],
  [{ name: 'abcd' }, 'name: Must have at most 3 characters.'],
  [{ seconds: 604_801 }, 'seconds: Must be at most 604800.'],
  [{ seconds: 1.5 }, 'seconds: Must be a whole number.'],
  [{ seconds: 0 }, 'seconds: Must be at least 1.'],
  [{ tags: ['a', 'b'] }, 'tags: Must have at most 1 item.'],
])('says of %j: %s', (change, text) => {
  const [issue] = schema.safeParse({ ...good, ...change }).error?.issues ?? []
  expect(aboutMember(issue?.path.join('.') ?? '', issue?.message ?? '')).toBe(text)
})

test('keeps the messages of schemas', () => {
  const own = z.string().min(1, 'Name it.').safeParse('')
  expect(own.error?.issues[0]?.message).toBe('Name it.')
})
