import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../adapters/postgres.ts'
import { bigints, booleans, byteStrings, smallints, texts, times } from './pg-arrays.ts'

const RUNS = 60
let db: ClosableDb

beforeAll(async () => {
  db = await openTestDatabase(1)
})
afterAll(async () => {
  await db.close()
})

/** Values of a column as PostgreSQL prints them. */
async function elements(type: string, column: Buffer): Promise<(string | null)[]> {
  const rows = await db.query<{ element: string | null }>({
    text: `select element::text from unnest($1::${type}[]) with ordinality as of_column (element, place) order by place`,
    values: [column],
  })
  return rows.map(row => row.element)
}

const INT8 = 2n ** 63n
const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.array(fc.option(values), { maxLength: 40 })
// PostgreSQL keeps no NUL in a text, and no lone half of a surrogate pair in UTF-8.
const text = fc.string({ unit: 'grapheme', maxLength: 300 }).map(value => value.replaceAll('\0', ''))

describe('a column arrives in the database with its original values', () => {
  const same = (value: unknown) => value
  const cases: [string, fc.Arbitrary<unknown>, (rows: unknown[]) => Buffer, (value: never) => string][] = [
    ['text', text, rows => texts(rows as string[], same as never), String],
    [
      'bigint',
      fc.bigInt({ min: -INT8, max: INT8 - 1n }),
      rows => bigints(rows as bigint[], same as never),
      String,
    ],
    [
      'smallint',
      fc.integer({ min: -32_768, max: 32_767 }),
      rows => smallints(rows as number[], same as never),
      String,
    ],
    ['boolean', fc.boolean(), rows => booleans(rows as boolean[], same as never), String],
    [
      'bytea',
      fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
      rows => byteStrings(rows as Buffer[], same as never),
      (value: Buffer) => `\\x${value.toString('hex')}`,
    ],
  ]
  test.each(cases)('%s', async (type, values, column, reported) => {
    await fc.assert(
      fc.asyncProperty(nullable(values), async rows => {
        const expected = rows.map(row => (row === null ? null : reported(row as never)))
        expect(await elements(type, column(rows))).toEqual(expected)
      }),
      { numRuns: RUNS },
    )
  })

  test('timestamptz, to the millisecond, before and after the year 2000', async () => {
    const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    await fc.assert(
      fc.asyncProperty(nullable(dates), async rows => {
        const found = await db.query<{ at: Date | null }>({
          text: 'select at from unnest($1::timestamptz[]) with ordinality as of_column (at, place) order by place',
          values: [times(rows, row => row)],
        })
        expect(found.map(row => row.at)).toEqual(rows)
      }),
      { numRuns: RUNS },
    )
  })

  test('a text longer than all previous ones', async () => {
    const rows = ['a', 'é'.repeat(70_000), 'b']
    expect(
      await elements(
        'text',
        texts(rows, row => row),
      ),
    ).toEqual(rows)
  })
})
