import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as examples from '../examples.ts'
import { above, branchWithin, isIncluded, leafOf, rootOf, type Sibling } from './liability-rules.ts'
import { bytesOf } from './merkle-rules.ts'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(array => Buffer.from(array))
const address = fc.stringMatching(/^0x[0-9a-f]{40}$/)
const balance = fc.bigInt({ min: 0n, max: 10n ** 15n })
const wallets = fc.array(fc.record({ wallet: address, salt: bytes, balance }), {
  minLength: 1,
  maxLength: 40,
})

/** A tree with the proof of one of its wallets. */
const proof = fc.tuple(wallets, fc.nat()).map(([all, index]) => {
  const leaves = all.map(({ wallet, salt, balance: of }) => leafOf(wallet, salt, of))
  const at = index % all.length
  const branch = branchWithin(leaves, at)
  const [owner, leaf] = [all[at], leaves[at]]
  if (owner === undefined || leaf === undefined) throw new Error('There is no such wallet.')
  const root = rootOf(leaf, branch)
  const reported = { ...owner, balance: usdc(owner.balance), branch, root: root.hash, owed: usdc(root.sum) }
  return { all, reported }
})

describe('the branch of any wallet', () => {
  test('verifies, and the sum at the root is the total owed', () => {
    fc.assert(
      fc.property(proof, ({ all, reported }) => {
        expect(isIncluded(reported)).toBe(true)
        expect(reported.owed).toBe(all.reduce((sum, { balance: of }) => sum + of, 0n))
        expect(reported.branch.length).toBeLessThanOrEqual(Math.ceil(Math.log2(all.length)))
      }),
    )
  })

  test('leads to one root for all wallets of a tree', () => {
    fc.assert(
      fc.property(wallets, all => {
        const leaves = all.map(({ wallet, salt, balance: of }) => leafOf(wallet, salt, of))
        const roots = leaves.map((leaf, at) => rootOf(leaf, branchWithin(leaves, at)).hash.toString('hex'))
        expect(new Set(roots).size).toBe(1)
      }),
    )
  })

  test('does not verify for another balance, wallet, salt, root or sum at the root', () => {
    fc.assert(
      fc.property(
        proof,
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        address,
        bytes,
        ({ reported }, more, wallet, other) => {
          fc.pre(wallet !== reported.wallet && !other.equals(reported.salt) && !other.equals(reported.root))
          const [balanceMore, owedMore] = [usdc(reported.balance + more), usdc(reported.owed + more)]
          expect(isIncluded({ ...reported, balance: balanceMore })).toBe(false)
          expect(isIncluded({ ...reported, balance: balanceMore, owed: owedMore })).toBe(false)
          expect(isIncluded({ ...reported, owed: owedMore })).toBe(false)
          expect(isIncluded({ ...reported, wallet })).toBe(false)
          expect(isIncluded({ ...reported, salt: other })).toBe(false)
          expect(isIncluded({ ...reported, root: other })).toBe(false)
        },
      ),
    )
  })

  test('does not verify with a changed, missing, extra or reordered node', () => {
    const changes: ((branch: readonly Sibling[], at: number, more: bigint, other: Buffer) => Sibling[])[] = [
      (branch, at, _, other) => branch.map((node, index) => (index === at ? { ...node, hash: other } : node)),
      (branch, at, more) =>
        branch.map((node, index) => (index === at ? { ...node, sum: node.sum + more } : node)),
      (branch, at) =>
        branch.map((node, index) =>
          index === at ? { ...node, side: node.side === 'left' ? 'right' : 'left' } : node,
        ),
      (branch, at) => branch.toSpliced(at, 1),
      (branch, at, more, other) => branch.toSpliced(at, 0, { hash: other, sum: more, side: 'left' }),
      (branch, at) => [...branch.slice(at + 1), ...branch.slice(0, at + 1)],
    ]
    fc.assert(
      fc.property(
        proof,
        fc.nat(),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        bytes,
        fc.constantFrom(...changes),
        ({ reported }, index, more, other, change) => {
          fc.pre(reported.branch.length > 0)
          const branch = change(reported.branch, index % reported.branch.length, more, other)
          fc.pre(JSON.stringify(branch, asText) !== JSON.stringify(reported.branch, asText))
          expect(isIncluded({ ...reported, branch })).toBe(false)
          // Nor for the sum that this branch would make.
          const owed = usdc(branch.reduce((sum, node) => sum + node.sum, reported.balance as bigint))
          expect(isIncluded({ ...reported, branch, owed })).toBe(false)
        },
      ),
    )
  })
})

const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

describe('the amount owed to others', () => {
  test('cannot be hidden by a negative sum', () => {
    const [mine, others] = [leafOf('0xa', Buffer.alloc(32), 5n), leafOf('0xb', Buffer.alloc(32, 1), -3n)]
    expect(() => above(mine, others)).toThrow(RangeError)
    expect(() => above(others, mine)).toThrow(RangeError)
    const branch: Sibling[] = [{ ...others, side: 'right' }]
    const reported = { wallet: '0xa', salt: Buffer.alloc(32), balance: usdc(5n), branch }
    expect(isIncluded({ ...reported, root: mine.hash, owed: usdc(2n) })).toBe(false)
    expect(
      isIncluded({
        ...reported,
        balance: usdc(-5n),
        branch: [],
        root: leafOf('0xa', reported.salt, -5n).hash,
        owed: usdc(-5n),
      }),
    ).toBe(false)
  })

  test('cannot be hidden by an overflowing sum', () => {
    const half = { hash: Buffer.alloc(32), sum: 2n ** 62n }
    expect(() => above(half, half)).toThrow(RangeError)
    expect(above(half, { ...half, sum: 2n ** 62n - 1n }).sum).toBe(2n ** 63n - 1n)
  })
})

test('the example of the contract verifies as docs/proof.md describes', () => {
  const { walletAddress, balanceUsdc, salt, leafHash, branch, merkleRoot, walletsUsdc } = examples.inclusion
  const micros = (text: string) => usdc(BigInt(text.replace('.', '')))
  const reported = {
    wallet: walletAddress.toLowerCase(),
    balance: micros(balanceUsdc),
    salt: bytesOf(salt),
    root: bytesOf(merkleRoot),
    owed: micros(walletsUsdc),
    branch: branch.map(({ hash, sumUsdc, side }) => ({
      hash: bytesOf(hash),
      sum: micros(sumUsdc),
      side: side === 'left' ? ('left' as const) : ('right' as const),
    })),
  }
  expect(isIncluded(reported)).toBe(true)
  expect(leafOf(reported.wallet, reported.salt, reported.balance).hash).toEqual(bytesOf(leafHash))
  expect(examples.reserves.tree.merkleRoot).toBe(merkleRoot)
})
