import { clsx } from 'clsx'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { clampTo, indexAfter } from './keys.ts'

/** A part of a bar; `tone` is its background class. */
export type BarPart = { readonly id: string; readonly tone: string; readonly value: number }

/** A bar: `name` is its time in words. */
export type Bar = { readonly id: string; readonly name: string; readonly parts: readonly BarPart[] }

const GRID_LINES = 4
/** Labels of the time axis that fit a phone. */
const LABELS_MAX = 5
/** Of longer labels, such as weeks, phones show every second. */
const SHORT_LABEL = 8
/** So many bars have wide spaces between them, and more than {@link CLOSE_FROM} none. */
const WIDE_TO = 35
const CLOSE_FROM = 100

/** Background colours of series, by position. The last is that of all other series. */
export const seriesTones = [
  'bg-series-1',
  'bg-series-2',
  'bg-series-3',
  'bg-series-4',
  'bg-series-5',
  'bg-series-6',
  'bg-series-7',
  'bg-series-8',
] as const
export const OTHER_TONE = 'bg-line-strong'

type Props = {
  label: string
  bars: readonly Bar[]
  /** In pixels. */
  height: number
  format: (value: number) => string
  /** Returns the content of the note on a bar. */
  describe: (bar: Bar, index: number) => ReactNode
  /** Called with a bar, and the part under the pointer if there is one. */
  onOpen: (index: number, partId?: string) => void
  /** Called with the first and last of several selected bars. */
  onZoom: (first: number, last: number) => void
}

/**
 * Stacked bars over time. Arrow keys move between bars and Enter opens one. Dragging over several zooms in on them, as
 * Shift with arrow keys and Enter does.
 */
export function StackedBars(props: Props) {
  const { label, bars, height, format, describe } = props
  const { active, selected, handlers } = useBars(props)
  const top = topOf(Math.max(0, ...bars.map(totalOf)))
  const bar = active === null ? undefined : bars[active]
  return (
    <div className="flex gap-2 text-2xs text-faint tabular">
      <div aria-hidden className="relative w-14 shrink-0" style={{ height }}>
        {lines.map(share => (
          <span
            key={share}
            className="absolute right-0 translate-y-1/2"
            style={{ bottom: `${share * 100}%` }}
          >
            {format(top * share)}
          </span>
        ))}
      </div>
      <div className="relative min-w-0 flex-1">
        <div
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, bars.length - 1)}
          aria-valuenow={active ?? bars.length - 1}
          aria-valuetext={
            bar === undefined ? label : textOf(bars.slice(selected[0], selected[1] + 1), format)
          }
          className="relative flex cursor-pointer touch-pan-y items-end rounded-sm select-none"
          style={{ height }}
          {...handlers}
        >
          {lines.map(share => (
            <span
              key={share}
              aria-hidden
              className="pointer-events-none absolute inset-x-0 border-t border-line"
              style={{ bottom: `${share * 100}%` }}
            />
          ))}
          <Columns bars={bars} top={top} selected={selected} />
        </div>
        <div aria-hidden className="relative h-5">
          {labelledOf(bars.length).map(index => (
            <span
              key={index}
              className={clsx(
                'absolute top-1.5 -translate-x-1/2 whitespace-nowrap',
                (bars[index]?.name.length ?? 0) > SHORT_LABEL && 'max-sm:even:hidden',
              )}
              style={{ left: `${((index + 0.5) / bars.length) * 100}%` }}
            >
              {bars[index]?.name}
            </span>
          ))}
        </div>
        {bar !== undefined && active !== null && (
          <div
            className="pointer-events-none absolute top-1 z-10 max-w-64 min-w-44 rounded-md border bg-raised p-2.5 text-xs text-text shadow-raised"
            style={besides(active, bars.length)}
          >
            {describe(bar, active)}
          </div>
        )}
      </div>
    </div>
  )
}

function Columns(props: { bars: readonly Bar[]; top: number; selected: readonly [number, number] }) {
  const { bars, top, selected } = props
  return bars.map(({ id, parts }, index) => (
    <span
      key={id}
      className={clsx(
        'relative flex h-full min-w-0 flex-1 flex-col-reverse',
        bars.length <= CLOSE_FROM && 'px-px',
        index >= selected[0] && index <= selected[1] && 'bg-hover',
      )}
    >
      {parts.map(part => (
        <span
          key={part.id}
          data-part={part.id}
          className={clsx('shrink-0', bars.length <= WIDE_TO && 'w-3/4 self-center', part.tone)}
          style={{ height: `${(part.value / top) * 100}%` }}
        />
      ))}
    </span>
  ))
}

/** Returns the bar in focus, the selected ones, and handlers of keys and pointer. */
function useBars({ bars, onOpen, onZoom }: Props) {
  const [active, setActive] = useState<number | null>(null)
  /** Index of the bar where a selection started; null without a selection. */
  const [anchor, setAnchor] = useState<number | null>(null)
  const last = bars.length - 1
  const indexAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return clampTo(bars.length, Math.floor(((clientX - left) / width) * bars.length))
  }
  const from = anchor ?? active ?? -1
  const to = active ?? -1
  const end = (at: number, part?: string) => {
    setAnchor(null)
    if (anchor === null || at === anchor) onOpen(at, part)
    else onZoom(Math.min(at, anchor), Math.max(at, anchor))
  }
  const handlers = {
    onKeyDown(event: KeyboardEvent) {
      const next = indexAfter(event.key, active ?? last, bars.length)
      const ends = active !== null && (event.key === 'Enter' || event.key === ' ')
      if (next === null && !ends) return
      event.preventDefault()
      if (next === null) return end(active ?? last)
      setAnchor(event.shiftKey ? (anchor ?? active ?? last) : null)
      setActive(next)
    },
    onFocus: () => setActive(current => current ?? last),
    onBlur() {
      setActive(null)
      setAnchor(null)
    },
    onPointerDown(event: PointerEvent) {
      if (event.button === 0) setAnchor(indexAt(event))
    },
    onPointerMove(event: PointerEvent) {
      if (event.buttons === 0) setAnchor(null)
      setActive(indexAt(event))
    },
    onPointerUp(event: PointerEvent) {
      if (anchor !== null) end(indexAt(event), (event.target as HTMLElement).dataset.part)
    },
    onPointerLeave() {
      setActive(null)
      setAnchor(null)
    },
  }
  return { active, selected: [Math.min(from, to), Math.max(from, to)] as const, handlers }
}

/** Places the note beside its bar, on the side with more room. */
function besides(index: number, count: number) {
  return index < count / 2
    ? { left: `calc(${((index + 1) / count) * 100}% + 8px)` }
    : { right: `calc(${(1 - index / count) * 100}% + 8px)` }
}

const lines = Array.from({ length: GRID_LINES + 1 }, (_, index) => index / GRID_LINES)

/** Returns a bar, or several that are selected, in words. */
function textOf(selected: readonly Bar[], format: Props['format']): string {
  const names = [...new Set([selected[0]?.name, selected.at(-1)?.name])].join(' to ')
  return `${names}: ${format(selected.reduce((sum, bar) => sum + totalOf(bar), 0))}`
}

const totalOf = ({ parts }: Bar) => parts.reduce((sum, { value }) => sum + value, 0)

/** Returns the top of an axis for a maximum: one, two, four or eight times a power of ten, so that its quarters are round. */
export function topOf(most: number): number {
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 4, 8, 10].find(step => step * power >= most * 0.999_999) ?? 10) * power
}

/** Returns the indexes of at most {@link LABELS_MAX} bars to label, evenly spaced, off the edges. */
function labelledOf(count: number): number[] {
  const step = Math.ceil(count / LABELS_MAX)
  const first = Math.floor((step - 1) / 2)
  return Array.from({ length: Math.ceil((count - first) / step) }, (_, index) => first + index * step)
}
