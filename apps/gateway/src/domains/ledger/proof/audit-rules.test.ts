import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAudit } from './audit-rules.ts'
import { lineText, sealLine } from './ledger-file-rules.ts'
import { createRootMaker, hexOf, leafHash } from './merkle-rules.ts'
import { entryText, type SealedEntry, sealHash } from './seal-rules.ts'

type Line = { readonly type: string; readonly [name: string]: unknown }

const sample: Line[] = readFileSync(
  join(import.meta.dirname, '../../../../test/proof/ledger-v1.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map(text => JSON.parse(text))
const lines = asVersion2(sample)

/** Returns the sample with one seal of version 2 over all its entries. */
function asVersion2(all: readonly Line[]): Line[] {
  const entries = all.filter(({ type }) => type === 'entry') as (Line & SealedEntry)[]
  const root = createRootMaker()
  for (const entry of entries) root.add(leafHash(entryText(entry)))
  const body = {
    number: 1n,
    afterEntry: 0n,
    lastEntry: BigInt(entries.at(-1)?.id ?? 0),
    entries: entries.length,
    root: root.root(),
    previous: Buffer.alloc(32),
    sealedAt: new Date('2026-11-21T09:31:00.120Z'),
    heads: Array.from({ length: 16 }, (_, partition) => {
      return { partition, head: String(3 * partition), hash: hexOf(Buffer.alloc(32, partition)) }
    }),
  }
  const seal = JSON.parse(lineText(sealLine({ ...body, hash: sealHash(body) })))
  const others = all.filter(({ type }) => type === 'account' || type === 'entry')
  const end = { type: 'end', accounts: others.length - entries.length, entries: entries.length, seals: 1 }
  const exportedAt = '2026-11-21T09:32:00.000Z'
  return [{ type: 'ledger', version: 2, exportedAt }, ...others, seal, end]
}

function faultsIn(texts: readonly string[]): number {
  const audit = createAudit()
  for (const [index, text] of texts.entries()) audit.take(text, index + 1)
  return audit.verdict().faultCount
}

const textsWith = (at: number, text: string) =>
  lines.map((line, index) => (index === at ? text : JSON.stringify(line)))

/** Returns a value written in other ways, and other values. */
function othersOf(value: unknown): string[] {
  const text = String(value)
  const changed = text.replace(/\d(?=\D*$)/, digit => String((Number(digit) + 1) % 10))
  const strings = [
    ` ${text}`,
    `${text} `,
    `0${text}`,
    `+${text}`,
    `${text}z`,
    text.slice(0, -1),
    text.toUpperCase(),
    text.replace(/^0x/, '1x'),
    text.replace('0Z', 'Z'),
    changed,
    '',
  ]
  const others = [text, Number(text), Number(text) + 0.5, -Number(text) - 1, null, [value], {}]
  return [...strings, ...others]
    .map(other => JSON.stringify(other))
    .filter(one => one !== JSON.stringify(value))
}

/** Values that are in no seal and in no sum: another one of the right form is not detected. */
const isFree = (member: string): boolean =>
  /^"exportedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$|^"reserved":"\d"$/.test(member)

describe('an exported ledger of which one value is written differently', () => {
  test('verifies as it was written', () => {
    expect(faultsIn(lines.map(line => JSON.stringify(line)))).toBe(0)
  })

  test.each(lines.map((line, at) => ({ type: line.type, at, text: JSON.stringify(line) })))(
    'is broken in line $at, $type',
    ({ at, text }) => {
      const members = [...text.matchAll(/"(\w+)":("[^"]*"|-?\d+)/g)]
      const undetected = members.flatMap(({ index, 0: member, 1: name, 2: value = '' }) =>
        othersOf(JSON.parse(value))
          .map(other => [member, `"${name}":${other}`] as const)
          .filter(([, now]) => {
            const changed = text.slice(0, index) + now + text.slice(index + member.length)
            return faultsIn(textsWith(at, changed)) === 0
          }),
      )
      expect(undetected.filter(([, now]) => !isFree(now))).toEqual([])
    },
  )

  test.each(lines.map((line, at) => ({ type: line.type, at, text: JSON.stringify(line) })))(
    'is broken with a member or a line more than line $at, $type, has',
    ({ at, text }) => {
      const written = [
        `${text.slice(0, -1)},"more":1}`,
        `${text.slice(0, -1)},"type":"${lines[at]?.type}"}`,
        `${text} `,
        text.replace(':', ': '),
        `${text.slice(0, -1)},"__proto__":{}}`,
      ]
      for (const each of written) expect(faultsIn(textsWith(at, each)), each).toBeGreaterThan(0)
      expect(faultsIn(textsWith(at, text).toSpliced(at, 0, text))).toBeGreaterThan(0)
      expect(faultsIn(textsWith(at, text).toSpliced(at, 1))).toBeGreaterThan(0)
    },
  )
})
