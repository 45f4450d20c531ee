import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRootMaker, hexOf, leafHash } from './merkle-rules.ts'
import { entryText, faultsOfSeal, NO_SEAL, type SealBody, type SealedEntry, sealHash } from './seal-rules.ts'

/** RFC 9162, 2.1.1, as it is written there. */
function treeHash(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return hash('sha256', '', 'buffer')
  if (leaves.length === 1) return hash('sha256', Buffer.from(`\0${leaves[0]}`), 'buffer')
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  const [left, right] = [treeHash(leaves.slice(0, half)), treeHash(leaves.slice(half))]
  return hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer')
}

const rootOf = (leaves: readonly string[]): Buffer => {
  const maker = createRootMaker()
  for (const leaf of leaves) maker.add(leafHash(leaf))
  return maker.root()
}

describe('the root of streamed leaves', () => {
  test('matches RFC 9162', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 70 }), leaves =>
        rootOf(leaves).equals(treeHash(leaves)),
      ),
    )
  })

  test('changes when a leaf is changed, missing, added or moved', () => {
    const distinct = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 30 })
    fc.assert(
      fc.property(distinct, fc.nat(), fc.string({ minLength: 31 }), (leaves, index, other) => {
        const at = index % leaves.length
        const changed = [
          leaves.with(at, other),
          leaves.toSpliced(at, 1),
          leaves.toSpliced(at, 0, other),
          [...leaves.slice(1), leaves[0] ?? ''],
        ]
        return changed.every(each => !rootOf(each).equals(rootOf(leaves)))
      }),
    )
  })
})

const word = fc.stringMatching(/^[a-z:0-9x-]{1,20}$/)
const entry: fc.Arbitrary<SealedEntry> = fc.record({
  id: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  kind: word,
  account: word,
  amount: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  createdAt: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999') })
    .map(date => date.toISOString()),
  reference: fc.string(),
})

test('distinct entries have distinct texts, whatever their references', () => {
  fc.assert(
    fc.property(entry, entry, (one, other) => {
      const isSame = JSON.stringify(one, asText) === JSON.stringify(other, asText)
      return isSame === (entryText(one) === entryText(other))
    }),
  )
  const [one] = fc.sample(entry, 1)
  if (one === undefined) throw new Error('There is no entry.')
  expect(entryText({ ...one })).toBe(entryText(one))
})
const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

describe('a seal', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(array => Buffer.from(array))
  const body: fc.Arbitrary<SealBody> = fc.record({
    number: fc.bigInt({ min: 1n, max: 2n ** 40n }),
    afterEntry: fc.bigInt({ min: 0n, max: 2n ** 40n }),
    lastEntry: fc.bigInt({ min: 2n ** 40n + 1n, max: 2n ** 50n }),
    entries: fc.integer({ min: 1, max: 8_192 }),
    root: bytes,
    previous: bytes,
    sealedAt: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999') }),
    heads: fc.option(
      fc
        .array(fc.tuple(fc.bigInt({ min: 1n, max: 2n ** 40n }), bytes), { minLength: 16, maxLength: 16 })
        .map(rows =>
          rows.map(([head, hash], partition) => ({ partition, head: `${head}`, hash: hexOf(hash) })),
        ),
    ),
  })
  const before = ({ number, previous, afterEntry }: SealBody) => ({
    number: number - 1n,
    hash: previous,
    lastEntry: afterEntry,
    heads: null,
  })

  test('that is intact over its entries has no fault', () => {
    fc.assert(
      fc.property(body, made => {
        const seal = { ...made, hash: sealHash(made) }
        return faultsOfSeal(seal, before(made), made).length === 0
      }),
    )
  })

  test('that was changed is found, even with a recomputed hash', () => {
    fc.assert(
      fc.property(
        body,
        body,
        fc.constantFrom(...(Object.keys(NO_CHANGE) as (keyof SealBody)[])),
        (made, other, name) => {
          const changed = { ...made, [name]: other[name] }
          fc.pre(JSON.stringify(changed, asText) !== JSON.stringify(made, asText))
          expect(faultsOfSeal({ ...changed, hash: sealHash(made) }, before(made), made)).not.toEqual([])
          const faults = faultsOfSeal({ ...changed, hash: sealHash(changed) }, before(made), made)
          // Its time, end and heads are covered only by its hash, which the next seal contains.
          expect(faults.length > 0 || name === 'sealedAt' || name === 'lastEntry' || name === 'heads').toBe(
            true,
          )
          expect(sealHash(changed)).not.toEqual(sealHash(made))
        },
      ),
    )
  })
  const NO_CHANGE: Record<keyof SealBody, true> = {
    number: true,
    afterEntry: true,
    lastEntry: true,
    entries: true,
    root: true,
    previous: true,
    sealedAt: true,
    heads: true,
  }

  test('whose heads are behind those of the previous seal, or missing, is found', () => {
    const heads = (of: readonly bigint[]) =>
      of.map((head, partition) => ({
        partition,
        head: `${head}`,
        hash: hexOf(Buffer.alloc(32, Number(head))),
      }))
    const [made] = fc.sample(body, 1)
    if (made === undefined) throw new Error('There is no seal.')
    const seal = (now: SealBody['heads']) => ({
      ...made,
      heads: now,
      hash: sealHash({ ...made, heads: now }),
    })
    const after = { ...before(made), heads: heads([5n, 7n]) }
    const reported = (now: SealBody['heads']) =>
      faultsOfSeal(seal(now), after, made).map(({ found }) => found)
    expect(reported(heads([5n, 7n]))).toEqual([])
    expect(reported(heads([6n, 9n]))).toEqual([])
    expect(reported(heads([6n, 6n]))).toEqual(['partitions 1'])
    expect(reported(heads([6n]))).toEqual(['partitions 1'])
    expect(
      reported([{ partition: 0, head: '5', hash: hexOf(Buffer.alloc(32)) }, ...heads([5n, 7n]).slice(1)]),
    ).toEqual(['partitions 0'])
    expect(reported(null)).toEqual(['no heads'])
  })

  test('that is the first continues from an empty chain', () => {
    const [made] = fc.sample(body, 1)
    if (made === undefined) throw new Error('There is no seal.')
    const first = { ...made, number: 1n, afterEntry: 0n, previous: Buffer.alloc(32) }
    expect(faultsOfSeal({ ...first, hash: sealHash(first) }, NO_SEAL, first)).toEqual([])
  })
})
