import { expect, test } from 'vitest'
import { blocksOf, partsOf } from '../src/features/playground/markdown-blocks.ts'

test('distinguishes headings, lists, quotes, rules and paragraphs', () => {
  const text = ['# Fare', 'One', 'two', '', '- a', '- b', '3. c', '4) d', '> said', '---', 'end'].join('\n')
  expect(blocksOf(text)).toEqual([
    { kind: 'heading', text: 'Fare' },
    { kind: 'paragraph', text: 'One\ntwo' },
    { kind: 'list', isOrdered: false, start: 1, items: ['a', 'b'] },
    { kind: 'list', isOrdered: true, start: 3, items: ['c', 'd'] },
    { kind: 'quote', text: 'said' },
    { kind: 'rule' },
    { kind: 'paragraph', text: 'end' },
  ])
})

test('extends an open fence to the end and parses nothing within it', () => {
  const code = { kind: 'code', language: 'ts', text: '# no heading\n- no item' }
  expect(blocksOf('```ts\n# no heading\n- no item')).toEqual([code])
  expect(blocksOf('```ts\n# no heading\n- no item\n```\nafter')).toEqual([
    code,
    { kind: 'paragraph', text: 'after' },
  ])
})

test('parses emphasis and code in a line, but not names with underscores or products with stars', () => {
  expect(partsOf('an **obol** for `Charon *`, _paid_ *before*')).toEqual([
    { kind: 'text', text: 'an ' },
    { kind: 'strong', text: 'obol' },
    { kind: 'text', text: ' for ' },
    { kind: 'code', text: 'Charon *' },
    { kind: 'text', text: ', ' },
    { kind: 'emphasis', text: 'paid' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'before' },
  ])
  for (const plain of ['snake_case_name', '2 * 3 * 4', '**', '`open', '<b onclick=alert(1)>x</b>'])
    expect(partsOf(plain)).toEqual([{ kind: 'text', text: plain }])
})

test('links http and https addresses only', () => {
  expect(partsOf('[docs](https://farebox.example/a?b=1)')).toEqual([
    { kind: 'link', text: 'docs', address: 'https://farebox.example/a?b=1' },
  ])
  for (const plain of ['[x](javascript:alert(1))', '[x](data:text/html,hi)', '[x](/app)'])
    expect(partsOf(plain)).toEqual([{ kind: 'text', text: plain }])
})

test('parses a long text of unclosed marks quickly', () => {
  const text = '*_`[('.repeat(4_000)
  const started = performance.now()
  partsOf(text)
  expect(performance.now() - started).toBeLessThan(5_000)
})
