import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTITIONS, tokenLeadOf } from '@farebox/wire/partition'
import { writeToken } from '@farebox/wire/tokens'
import { describe, expect, test } from 'vitest'

/** `scripts/balancers/main.ts` runs these configurations; here is what can be held against them without the programs. */
const read = (file: string) => readFileSync(join(import.meta.dirname, '../../../../deploy', file), 'utf8')

type Configuration = {
  readonly name: string
  readonly text: string
  /** Matches a token, and takes the partition out of it. */
  readonly token: RegExp
  /** Lines that say which partitions a gateway has. */
  readonly shares: RegExp
}

const configurations: readonly Configuration[] = [
  {
    name: 'nginx/farebox.conf',
    text: read('nginx/farebox.conf'),
    token: /"~(.*agt_.*)" \$farebox_lead;/,
    shares: /"~\[([0-9A-F]+)\]" farebox_(\d);/g,
  },
  {
    name: 'haproxy/gateways.cfg',
    text: read('haproxy/gateways.cfg'),
    token: /-m reg (\^agt_\S+) \}/,
    shares: /use-server gateway(\d) if \{ var\(txn\.partition\) -m str ([0-9A-F ]+) \}/g,
  },
  {
    name: 'compose/Caddyfile',
    text: read('compose/Caddyfile'),
    token: /"~(.*agt_.*)" "\$\{1\}"/,
    shares: /vars \{partition\} ([0-9A-F ]+)\n\treverse_proxy @\w+ gateway-(\d)/g,
  },
]

describe.each(configurations)('deploy/$name', ({ text, token: pattern, shares }) => {
  const token = new RegExp(pattern.exec(text)?.[1] ?? 'none is found')
  const owners = Array.from({ length: 200 }, () => `0x${randomBytes(20).toString('hex')}`)

  test('recognizes every token that an owner is issued', () => {
    for (const owner of owners) expect(writeToken('agt', randomBytes(32), tokenLeadOf(owner))).toMatch(token)
  })

  test('assigns no partition to old tokens, provider secrets and sessions', () => {
    for (const lead of ['G', 'Z', 'a', 'f', 'z'])
      expect(writeToken('agt', randomBytes(32), lead)).not.toMatch(token)
    expect(writeToken('psk', randomBytes(32), 'A')).not.toMatch(token)
    expect('Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl').not.toMatch(token)
  })

  test('assigns each of the 16 partitions to one gateway, equally many to each', () => {
    const lines = [...text.matchAll(shares)].map(([, ...parts]) => {
      const [gateway = '', digits = ''] = parts.toSorted((a = '', b = '') => a.length - b.length)
      return { gateway, digits: digits.replaceAll(' ', '') }
    })
    expect(new Set(lines.map(({ gateway }) => gateway)).size).toBe(lines.length)
    expect(lines.length).toBeGreaterThan(1)
    for (const { digits } of lines) expect(digits).toHaveLength(PARTITIONS / lines.length)
    const all = lines.flatMap(({ digits }) => [...digits])
    expect(all.toSorted().join('')).toBe('0123456789ABCDEF')
  })

  test('reads every header that may contain a token', () => {
    for (const header of [
      /x[-_]credential/i,
      /x[-_]agent[-_]credential/i,
      /authorization/i,
      /x[-_]api[-_]key/i,
    ])
      expect(text).toMatch(header)
  })
})
