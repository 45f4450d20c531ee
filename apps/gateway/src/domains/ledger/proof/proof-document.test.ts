import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as examples from '../examples.ts'
import { leafOf, type Sibling } from './liability-rules.ts'
import { bytesOf, createRootMaker, hexOf, leafHash } from './merkle-rules.ts'
import { entryText, headsHash, sealHash } from './seal-rules.ts'

const text = readFileSync(join(import.meta.dirname, '../../../../../../docs/proof.md'), 'utf8')
/** A text as it is shown that is hashed. */
const block = (of: string) => `\`\`\`\n${of}\n\`\`\``

const paidIn = {
  id: '1',
  kind: 'deposit',
  account: 'consumer:0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  amount: '25000000',
  createdAt: '2026-11-21T09:29:58.204117Z',
  reference: 'dep_01kahd5tq0c6x8m4n2b7v9r3e5',
}
const entries = [
  paidIn,
  { ...paidIn, id: '2', account: 'vault', amount: '-25000000' },
  {
    ...paidIn,
    id: '3',
    kind: 'capture',
    amount: '-150000',
    createdAt: '2026-11-21T09:30:02.114009Z',
    reference: 'inv_01kahd5w3xqv7m2c9z4n8r6t0e',
  },
]

describe('docs/proof.md', () => {
  test('shows the correct texts, leaves, nodes and root of entries', () => {
    const maker = createRootMaker()
    expect(text).toContain(block(entryText(paidIn)))
    for (const [index, entry] of entries.entries()) {
      expect(text).toContain(hexOf(leafHash(entryText(entry))))
      maker.add(leafHash(entryText(entry)))
      if (index > 0) expect(text).toContain(hexOf(maker.root()))
    }
  })

  test('shows the seal over them, which is the example of the contract', () => {
    const [seal] = examples.seals.seals
    if (seal === undefined) throw new Error('There is no example.')
    const {
      number,
      afterEntryId,
      lastEntryId,
      entries: count,
      root,
      previousHash,
      hash,
      sealedAt,
      heads,
    } = seal
    const body = {
      number: BigInt(number),
      afterEntry: BigInt(afterEntryId),
      lastEntry: BigInt(lastEntryId),
      entries: count,
      root: bytesOf(root),
      previous: bytesOf(previousHash),
      sealedAt: new Date(sealedAt),
    }
    expect(hexOf(sealHash({ ...body, heads }))).toBe(hash)
    expect(text).toContain(hash)
    const headLines = heads.map(one => `${one.partition} ${one.head} ${one.hash}`)
    expect(text).toContain(block(headLines.join('\n')))
    const lines = [number, afterEntryId, lastEntryId, count, root, previousHash, sealedAt]
    expect(text).toContain(block(['farebox-seal-v2', ...lines, hexOf(headsHash(heads))].join('\n')))
    // The first version, which seals of before have.
    expect(text).toContain(block(['farebox-seal-v1', ...lines].join('\n')))
    expect(text).toContain(hexOf(sealHash({ ...body, heads: null })))
  })

  test('shows the branch of a wallet to the root, which is the example of the contract', () => {
    const { walletAddress, salt, leafHash: leaf, branch, merkleRoot, balanceUsdc } = examples.inclusion
    const balance = BigInt(balanceUsdc.replace('.', ''))
    const wallet = walletAddress.toLowerCase()
    expect(text).toContain(block([wallet, salt, balance].join('\n')))
    expect(hexOf(leafOf(wallet, bytesOf(salt), balance).hash)).toBe(leaf)
    const sums: Pick<Sibling, 'sum'>[] = [{ sum: balance }, { sum: 12_400_000n }]
    for (const { sum } of sums) expect(text).toContain(`${sum} (\`${sum.toString(16).padStart(16, '0')}\`)`)
    for (const hash of [leaf, merkleRoot, ...branch.map(node => node.hash)]) expect(text).toContain(hash)
  })

  test('names every finding of an audit', () => {
    const source = ['audit-rules.ts', 'seal-rules.ts']
      .map(file => readFileSync(join(import.meta.dirname, file), 'utf8'))
      .join('')
    const checks = new Set(
      [...source.matchAll(/(?:note\(|\| |\[)'([a-z]+(?:-[a-z]+){2,})'/g)].map(([, check]) => check ?? ''),
    )
    expect(checks.size).toBeGreaterThan(10)
    for (const check of checks) expect(text).toContain(`\`${check}\``)
  })
})
