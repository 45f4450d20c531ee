import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useTheme } from '../theme.ts'
import { gridlinesOf } from './gridlines.ts'
import { indexAfter } from './keys.ts'

export type Series = {
  readonly label: string
  /** One value per time; null for a gap. */
  readonly values: readonly (number | null)[]
  readonly tone?: 'accent' | 'info' | 'warn' | 'danger' | 'muted'
  /** A filled area, as a single series is by default, or a dashed line. */
  readonly look?: 'area' | 'dashed'
}

export type ChartSpan = readonly [number, number]

export type ChartProps = {
  /** Accessible description with the main figures. */
  label: string
  /** Unix seconds, ascending. */
  times: readonly number[]
  /** First and last Unix second of the time axis; by default those of `times`. */
  span?: ChartSpan
  series: readonly Series[]
  /** Bars for buckets (UTC), a line for points in time. */
  kind?: 'line' | 'bars'
  /** Width of the buckets whose middles `times` are, in seconds; by default a day for bars, and none for a line. */
  bucketSeconds?: number
  /** Bars on top of each other: the first series is at the top. */
  isStacked?: boolean
  /** Formats a value with its unit. */
  format?: (value: number) => string
  /** In pixels. */
  height?: number
}

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3_600
/** Width of a label of the time axis, in pixels. */
const TICK_WIDTH = 72
/** Minimum width of the axis of values, and its space beside the labels, in pixels. */
const AXIS_WIDTH_MIN = 72
const AXIS_GAP = 18
/** Position of the cursor beside the plot, in pixels: it is not shown. */
const AWAY = -10
const tonesInTurn = ['accent', 'info', 'warn', 'danger', 'muted'] as const

/** Buckets are of UTC. */
const dayName = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const timeName = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const clockName = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/**
 * Draws {@link ChartProps} with uPlot. Arrow keys move between its times, and Home and End to the first and last. Import
 * it through Chart, which loads it on demand.
 */
export function ChartCanvas({
  label,
  times,
  series,
  kind = 'line',
  format = String,
  height = 220,
  span,
  bucketSeconds = kind === 'bars' ? DAY_SECONDS : 0,
  isStacked = false,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const [at, setAt] = useState<number | null>(null)
  const theme = useTheme()
  const range = span ?? rangeOfTimes(times, kind)
  const drawn = { times, series, kind, format, height, span: range, bucketSeconds, isStacked }
  const last = Math.max(0, times.length - 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const values = isStacked ? stack(series) : series.map(each => each.values)
    const data = [times, ...values] as unknown as UPlot.AlignedData
    // A plot is drawn anew when its data has been polled: it shows the values where the one before did.
    const { left = AWAY, top = AWAY } = plot.current?.cursor ?? {}
    const hooks = { ready: [(ready: UPlot) => ready.setCursor({ left, top })] }
    const made = new UPlot({ ...optionsOf(drawn, element), hooks }, data, element)
    plot.current = made
    const sizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      made.destroy()
    }
  }, [times, series, kind, format, height, span, bucketSeconds, isStacked, theme])
  const moveTo = (index: number | null) => {
    setAt(index)
    const time = index === null ? undefined : times[index]
    const left = time === undefined ? AWAY : plot.current?.valToPos(time, 'x')
    plot.current?.setCursor({ left: left ?? AWAY, top: AWAY })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexAfter(event.key, at ?? last, times.length)
    if (next === null) return
    event.preventDefault()
    moveTo(next)
  }
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={at === null ? label : textAt(drawn, at).join(' · ')}
      onKeyDown={onKeyDown}
      onFocus={event => event.currentTarget.matches(':focus-visible') && moveTo(at ?? last)}
      onBlur={() => moveTo(null)}
      className="w-full overflow-hidden rounded-sm"
      style={{ minHeight: height }}
    />
  )
}

type Drawn = Required<Omit<ChartProps, 'label'>>

function optionsOf(drawn: Drawn, element: HTMLElement): UPlot.Options {
  const { times, series, kind, format, height, span, bucketSeconds } = drawn
  const isWhole = areWhole(series)
  const colour = (name: string) => readColour(element, name)
  const font = `11px ${getComputedStyle(element).fontFamily}`
  const axis = {
    stroke: colour('faint'),
    font,
    ticks: { show: false },
    grid: { stroke: colour('line'), width: 1 },
  }
  return {
    width: element.clientWidth,
    height,
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    legend: { show: series.length > 1, live: false },
    plugins: [readout(drawn)],
    scales: {
      x: { range: () => [span[0], span[1]] },
      y: {
        range: (_, low, high) => {
          const lines = gridlinesOf(low ?? 0, high ?? 0, isWhole)
          return [lines[0] ?? 0, lines.at(-1) ?? 1]
        },
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        ...(bucketSeconds > 0 && { splits: (plot: UPlot) => spreadOut(times, plot.width / TICK_WIDTH) }),
        values: (_, ticks) =>
          eachOnce(
            ticks.map(tick =>
              bucketSeconds > 0 ? formatBucket(tick, span, bucketSeconds) : formatTick(tick, span),
            ),
          ),
      },
      {
        ...axis,
        size: (plot, labels) => axisWidth(plot, labels, font),
        splits: (_, _axis, low, high) => gridlinesOf(low, high, isWhole),
        values: (_, ticks) => ticks.map(tick => format(tick)),
      },
    ],
    series: [
      {},
      ...series.map(({ label: name, tone, look, values }, index) => {
        const stroke = colour(tone ?? tonesInTurn[index % tonesInTurn.length] ?? 'accent')
        return {
          label: name,
          stroke,
          width: 1.5,
          spanGaps: false,
          points: { show: hasLonePoint(values), size: 4 },
          ...(look === 'dashed' && { dash: [5, 4], width: 2 }),
          ...(kind === 'bars'
            ? { paths: barsOf(), fill: stroke, width: 0 }
            : (look === 'area' || series.length === 1) && {
                fill: `color-mix(in srgb, ${stroke} 12%, transparent)`,
              }),
        }
      }),
    ],
  }
}

/** Returns the width that the labels of an axis need. They are null before the first layout. */
function axisWidth({ ctx }: UPlot, labels: readonly string[] | null, font: string): number {
  ctx.save()
  ctx.font = font
  const widths = (labels ?? []).map(label => ctx.measureText(label).width)
  ctx.restore()
  return Math.ceil(Math.max(AXIS_WIDTH_MIN, ...widths.map(width => width + AXIS_GAP)))
}

function barsOf(): NonNullable<UPlot.Series['paths']> {
  return UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 }) ?? (() => null)
}

/** Returns the range of the time axis. Bars get half a day on both sides, a single point gets some room. */
function rangeOfTimes(times: readonly number[], kind: ChartProps['kind']): [number, number] {
  const [first = 0, second = first + (kind === 'bars' ? DAY_SECONDS : HOUR_SECONDS)] = times
  const beside = kind === 'bars' || times.length < 2 ? (second - first) / 2 : 0
  return [first - beside, (times.at(-1) ?? first) + beside]
}

/** Returns at most `most` of the times, evenly spaced, including the last. */
function spreadOut(times: readonly number[], most: number): number[] {
  const step = Math.max(1, Math.ceil(times.length / Math.max(1, Math.floor(most))))
  return times.filter((_, index) => (times.length - 1 - index) % step === 0)
}

/** Formats a tick: the day, or the time when the range is at most two days. */
function formatTick(seconds: number, [first, last]: ChartSpan): string {
  const isLong = last - first > 2 * DAY_SECONDS
  return new Date(seconds * 1_000).toLocaleString(
    'en',
    isLong ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hour12: false },
  )
}

/** Formats the start of a bucket in UTC: the time of day if buckets are narrow and the range is at most two days. */
function formatBucket(middle: number, [first, last]: ChartSpan, bucketSeconds: number): string {
  const isShort = bucketSeconds < DAY_SECONDS && last - first <= 2 * DAY_SECONDS
  return (isShort ? clockName : dayName).format((middle - bucketSeconds / 2) * 1_000)
}

/** Returns the heights of stacked bars, each from the axis: later series are drawn over earlier ones. */
function stack(series: readonly Series[]): readonly (readonly number[])[] {
  return series.map(({ values }, index) =>
    values.map((_, at) => series.slice(index).reduce((sum, each) => sum + (each.values[at] ?? 0), 0)),
  )
}

/** Returns true if a value has no neighbour to draw a line to. */
function hasLonePoint(values: Series['values']): boolean {
  return values.some(
    (value, at) => value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null,
  )
}

/** Replaces repeated labels with null. */
function eachOnce(labels: readonly string[]): (string | null)[] {
  return labels.map((label, index) => (label === labels[index - 1] ? null : label))
}

function areWhole(series: readonly Series[]): boolean {
  return series.every(({ values }) => values.every(value => value === null || Number.isInteger(value)))
}

/** Returns the time of an index, and what each series has there. */
function textAt({ times, series, format, span, bucketSeconds, isStacked }: Drawn, index: number): string[] {
  const time = times[index] ?? 0
  const bucketName = bucketSeconds < DAY_SECONDS ? timeName : dayName
  const moment =
    bucketSeconds > 0 ? bucketName.format((time - bucketSeconds / 2) * 1_000) : formatTick(time, span)
  const values = series.flatMap(({ label, values: all }) => {
    const value = all[index]
    if (value == null || (isStacked && value === 0)) return []
    return series.length === 1 ? [format(value)] : [`${label} ${format(value)}`]
  })
  return [moment, ...values]
}

/** Shows the values at the cursor. */
function readout(drawn: Drawn): UPlot.Plugin {
  const tooltip = document.createElement('div')
  tooltip.className =
    'pointer-events-none absolute top-1 z-10 rounded-md bg-text px-2 py-1 text-xs whitespace-nowrap text-page tabular'
  tooltip.hidden = true
  return {
    hooks: {
      init: plot => plot.over.append(tooltip),
      setCursor(plot) {
        const { idx, left = 0 } = plot.cursor
        const parts = idx == null ? [] : textAt(drawn, idx)
        tooltip.hidden = parts.length < 2
        if (tooltip.hidden) return
        tooltip.textContent = parts.join(' · ')
        const room = plot.over.clientWidth - tooltip.clientWidth
        tooltip.style.left = `${Math.max(0, Math.min(room, left - tooltip.clientWidth / 2))}px`
      },
    },
  }
}

/** Resolves a CSS colour token: a canvas cannot use custom properties. */
function readColour(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
