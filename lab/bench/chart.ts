import type { Summary } from './summary.ts'

/** A bar of the chart: who, how much, and what is said of it after its figure. */
export type ChartBar = {
  readonly name: string
  readonly value: Summary
  readonly note: string
  /** Bars of Farebox stand out from those of others. */
  readonly isOurs: boolean
}

/** Bars of one kind, with one scale. */
export type ChartPanel = {
  readonly title: string
  readonly subtitle: string
  readonly digits: number
  readonly unit: string
  readonly bars: readonly ChartBar[]
}

/** All distances are in the units of the view box: pixels, when it is shown at its own size. */
const WIDTH = 880
const PADDING = 28
const BARS_X = 296
const BARS_WIDTH = 330
const ROW = 28
const BAR = 16
const HEAD = 62
const PANEL_GAP = 26
const FOOTER = 20
/** A bar of nothing must still be seen. */
const BAR_WIDTH_MIN = 2

/** Both schemes carry a card of their own, so that the chart can be read whatever is behind it. */
const STYLE = `
    text { font-family: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
    .card { fill: #ffffff; stroke: #d0d7de; }
    .title { font-size: 17px; font-weight: 600; fill: #1f2328; }
    .name { font-size: 13px; fill: #1f2328; }
    .ours.name { font-weight: 600; }
    .figure { font-size: 13px; font-weight: 600; fill: #1f2328; font-variant-numeric: tabular-nums; }
    .muted { font-size: 12px; font-weight: 400; fill: #59636e; }
    .bar { fill: #afb8c1; }
    .bar.ours { fill: #0b7d5c; }
    .spread { stroke: #1f2328; stroke-opacity: 0.55; stroke-width: 1.5; }
    .axis { stroke: #d0d7de; }
    @media (prefers-color-scheme: dark) {
      .card { fill: #0d1117; stroke: #30363d; }
      .title, .name, .figure { fill: #e6edf3; }
      .muted { fill: #9198a1; }
      .bar { fill: #545d68; }
      .bar.ours { fill: #2fb98a; }
      .spread { stroke: #e6edf3; }
      .axis { stroke: #30363d; }
    }`

/** Draws the panels below one another, with a line of small print at the end, as a SVG document. */
export function drawChart(panels: readonly ChartPanel[], footer: readonly string[]): string {
  const heights = panels.map(({ bars }) => HEAD + bars.length * ROW)
  const below = heights.reduce((sum, height) => sum + height + PANEL_GAP, PADDING)
  const height = below + footer.length * FOOTER + PADDING / 2
  const tops = heights.map((_, index) =>
    heights.slice(0, index).reduce((sum, each) => sum + each + PANEL_GAP, PADDING),
  )
  const parts = [
    ...panels.map((panel, index) => drawPanel(panel, tops[index] ?? PADDING)),
    ...footer.map((line, index) => text('muted', PADDING, below + index * FOOTER, line)),
  ]
  const label = escaped(panels.map(({ title }) => title).join('; '))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${label}">
  <style>${STYLE}
  </style>
  <rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
${parts.join('\n')}
</svg>
`
}

function drawPanel({ title, subtitle, digits, unit, bars }: ChartPanel, top: number): string {
  const most = Math.max(...bars.map(({ value }) => value.most), Number.MIN_VALUE)
  const first = top + HEAD
  const axis = `  <line class="axis" x1="${BARS_X}" x2="${BARS_X}" y1="${first - 4}" y2="${first + bars.length * ROW - 6}"/>`
  const rows = bars.map((bar, index) => drawBar(bar, { top: first + index * ROW, most, digits, unit }))
  return [
    text('title', PADDING, top + 16, title),
    text('muted', PADDING, top + 37, subtitle),
    axis,
    ...rows,
  ].join('\n')
}

function drawBar(
  { name, value, note, isOurs }: ChartBar,
  on: { top: number; most: number; digits: number; unit: string },
): string {
  const ours = isOurs ? ' ours' : ''
  const at = (figure: number) =>
    BARS_X + Math.max(BAR_WIDTH_MIN, (Math.max(0, figure) / on.most) * BARS_WIDTH)
  const end = at(value.median)
  const [left, right] = [at(value.least), at(value.most)]
  const middle = on.top + BAR / 2
  const figure = value.median.toLocaleString('en-US', {
    minimumFractionDigits: on.digits,
    maximumFractionDigits: on.digits,
  })
  const said = note === '' ? '' : `<tspan class="muted" dx="8">${escaped(note)}</tspan>`
  return [
    text(`name${ours}`, PADDING, middle + 4.5, name),
    `  <rect class="bar${ours}" x="${BARS_X}" y="${on.top}" width="${round(end - BARS_X)}" height="${BAR}" rx="2"/>`,
    `  <line class="spread" x1="${round(left)}" x2="${round(right)}" y1="${middle}" y2="${middle}"/>`,
    `  <text class="figure" x="${round(Math.max(end, right) + 8)}" y="${middle + 4.5}">${figure}${on.unit}${said}</text>`,
  ].join('\n')
}

const text = (classes: string, x: number, y: number, content: string): string =>
  `  <text class="${classes}" x="${x}" y="${y}">${escaped(content)}</text>`

const round = (value: number): number => Math.round(value * 10) / 10

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(content: string): string {
  return content.replace(/[&<>"]/g, character => ENTITIES[character] ?? character)
}
