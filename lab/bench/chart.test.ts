import { expect, test } from 'vitest'
import { type ChartPanel, drawChart } from './chart.ts'

const value = (median: number) => ({ median, least: median * 0.9, most: median * 1.1 })
const panel: ChartPanel = {
  title: 'Calls per second <at 256>',
  subtitle: '"R&D"',
  digits: 0,
  unit: '/s',
  bars: [
    { name: 'plain proxy', value: value(16_000), note: '', isOurs: false },
    { name: 'Farebox', value: value(9_600), note: '0.60 × plain proxy', isOurs: true },
    { name: 'nothing', value: value(0), note: '', isOurs: false },
  ],
}

/** Tags that do not match, and characters that XML does not allow as they are. */
function faultsOf(xml: string): string[] {
  const open: string[] = []
  const faults: string[] = []
  for (const [, close, name = '', attributes = '', self] of xml.matchAll(
    /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/gi,
  )) {
    if (/&(?!amp;|lt;|gt;|quot;)/.test(attributes)) faults.push(attributes)
    if (close === '/' && open.pop() !== name) faults.push(`</${name}>`)
    if (close === '' && self === '') open.push(name)
  }
  const content = xml.replace(/<\/?[a-z]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/gi, '')
  return [...faults, ...open, ...(/[<]|&(?!amp;|lt;|gt;|quot;)/.exec(content) ?? [])]
}

test('a chart is well-formed XML, whatever the names in it', () => {
  expect(faultsOf('<a b="c"><d/></a>')).toEqual([])
  expect(faultsOf('<a><b></a>')).not.toEqual([])
  expect(faultsOf('<a>1 < 2</a>')).not.toEqual([])
  expect(faultsOf(drawChart([panel], ['a & b']))).toEqual([])
})

test('bars are as long as their figures are large, and none is invisible or not a number', () => {
  const svg = drawChart([panel], [])
  const widths = [...svg.matchAll(/class="bar[^"]*" x="\d+" y="[\d.]+" width="([^"]+)"/g)].map(([, width]) =>
    Number(width),
  )
  expect(widths).toHaveLength(3)
  expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(0.6, 1)
  expect(widths[2]).toBeGreaterThan(0)
  expect(svg).toContain('9,600/s')
  expect(svg).toContain('0.60 × plain proxy')
  expect(svg).not.toContain('NaN')
})

test('it can be read in a light and in a dark page', () => {
  expect(drawChart([panel], [])).toContain('prefers-color-scheme: dark')
})
