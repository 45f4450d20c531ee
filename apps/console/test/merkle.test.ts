import { expect, test } from 'vitest'
import { climb, leafOf, NoProofError, sealHash } from '../src/features/proof/merkle.ts'

// The examples of docs/proof.md.
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const salt = '0x05819e9a3eac8929d86fbe54f63cd551413dd6c041b9bc8b89fec22ce88058e0'
const branch = [
  {
    hash: '0x4d3ce5f9ce345a1ddf8581116fca34986d42794e8275ab624c228764e6354302',
    sumUsdc: '12.400000',
    side: 'right',
  },
  {
    hash: '0x513452316bbad84220710b986831740b2312c10b83923fc73e968e8f5a401f80',
    sumUsdc: '0.000000',
    side: 'right',
  },
] as const

test('computes leaf, path and root of the documented example byte for byte', async () => {
  const leaf = await leafOf(wallet, salt, '24.850000')
  expect(leaf).toEqual({
    hash: '0x693ffbde81a3b7b14b1276ca7d8503a37197608f09e08dfbcea8b3b278cd5fb0',
    sum: 24_850_000n,
  })
  const levels = await climb(leaf, branch)
  expect(levels.at(-1)?.above).toEqual({
    hash: '0xb03ea27409615df74ef0ce9ef038819a9945310f26cd1afc7e375a6f559d2f78',
    sum: 37_250_000n,
  })
})

test('computes the documented hash of the example seal, in both versions', async () => {
  const seal = {
    number: 1,
    afterEntryId: '0',
    lastEntryId: '3',
    entries: 3,
    hash: '',
    root: '0xe6243a1ec945ff2c57865d691b1c27fcb36372c9bba9e74f4d7c51d857b7f858',
    previousHash: `0x${'0'.repeat(64)}`,
    sealedAt: '2026-11-21T09:30:10.731Z',
  }
  expect(await sealHash({ ...seal, heads: null })).toBe(
    '0x166155a3c73d0e21479e0bcdab16bc0925f3783b752a3167bd0db32a18f958cb',
  )
  const heads = Array.from({ length: 16 }, (_, partition) => ({
    partition,
    head: '0',
    hash: `0x${'0'.repeat(64)}`,
    ...(partition === 3 && {
      head: '2',
      hash: '0xc5cbe0d9f6196dd88dd67f3af3d13acd9209d1497df902f8af6f4d0f6ea0d4b3',
    }),
    ...(partition === 12 && {
      head: '1',
      hash: '0xe3ee04123182c949ecae77521f9e44114d48b93bd42cb637a63025b20f33f556',
    }),
  }))
  expect(await sealHash({ ...seal, heads })).toBe(
    '0x1e3a7b7b530451817c4640d6be029a21f4ea4561fa5a4d15252017bc56671859',
  )
})

test.each([
  ['a negative sum', { ...branch[0], sumUsdc: '-12.400000' }],
  ['a total beyond eight bytes', { ...branch[0], sumUsdc: '9223372036854.775807' }],
  ['a malformed hash', { ...branch[0], hash: '0x12' }],
])('rejects %s', async (_, step) => {
  const leaf = await leafOf(wallet, salt, '24.850000')
  await expect(climb(leaf, [step])).rejects.toThrow(NoProofError)
})
