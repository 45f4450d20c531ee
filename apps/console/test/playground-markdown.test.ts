import { expect, test } from 'vitest'
import { blocksOf, partsOf } from '../src/features/playground/markdown-blocks.ts'

test('headings, lists, quotes, rules and paragraphs are told apart', () => {
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

test('a fence that is still open goes to the end, and nothing within it is taken for something else', () => {
  const code = { kind: 'code', language: 'ts', text: '# no heading\n- no item' }
  expect(blocksOf('```ts\n# no heading\n- no item')).toEqual([code])
  expect(blocksOf('```ts\n# no heading\n- no item\n```\nafter')).toEqual([
    code,
    { kind: 'paragraph', text: 'after' },
  ])
})

test('emphasis and code within a line are found; names with underscores and sums with stars are left alone', () => {
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

test('links lead to http and https only; others stay text', () => {
  expect(partsOf('[docs](https://farebox.example/a?b=1)')).toEqual([
    { kind: 'link', text: 'docs', address: 'https://farebox.example/a?b=1' },
  ])
  for (const plain of ['[x](javascript:alert(1))', '[x](data:text/html,hi)', '[x](/app)'])
    expect(partsOf(plain)).toEqual([{ kind: 'text', text: plain }])
})

test('a long text of marks that never close is read in no time', () => {
  const text = '*_`[('.repeat(4_000)
  const started = performance.now()
  partsOf(text)
  expect(performance.now() - started).toBeLessThan(5_000)
})
