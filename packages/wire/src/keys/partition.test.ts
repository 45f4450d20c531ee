import { expect, test } from 'vitest'
import { ledgerPartitionOf, PARTITIONS, tokenLeadOf } from './partition.ts'

const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`)

test('the partition of an owner is the low four bits of its SHA-256', () => {
  // First bytes computed with coreutils: printf %s 0x... | sha256sum
  const known: [string, number, string][] = [
    ['0x0000000000000000000000000000000000000000', 15, 'F'], // 0f
    ['0x52908400098527886e0f7030069857d2e4169ee7', 3, '3'], // d3
    ['0xde709f2102306220921060314715629080e2fb77', 4, '4'], // b4
    ['0x27b1fdb04752bbc536007a920d24acb045561c26', 3, '3'], // f3
    ['0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb', 8, '8'], // a8
  ]
  for (const [owner, partition, lead] of known) {
    expect(ledgerPartitionOf(owner)).toBe(partition)
    expect(tokenLeadOf(owner)).toBe(lead)
  }
})

test('spreads owners evenly over 16 partitions', () => {
  const partitions = addresses(16_000).map(ledgerPartitionOf)
  expect(PARTITIONS).toBe(16)
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const owners = partitions.filter(of => of === partition).length
    // Expected are 1,000 in each; 6 standard deviations are 184.
    expect(Math.abs(owners - 1_000)).toBeLessThan(184)
  }
})
