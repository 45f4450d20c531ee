import { useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import {
  memo,
  type ReactNode,
  type Ref,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
} from 'react'
import { ErrorState, Skeleton } from '../feedback/states.tsx'
import { Amount, ColumnDecimals, mostDecimals } from '../values/amount.tsx'

export type Column<Row> = {
  readonly id: string
  readonly head: ReactNode
  /** By default the amount. */
  readonly cell?: (row: Row) => ReactNode
  /** Aligned to the right, as amounts are. */
  readonly isNumber?: boolean
  /** The wire amount that a cell shows: the column aligns at the decimal point, and its head has the unit. */
  readonly amount?: (row: Row) => string
  /** Names that people chose: a word longer than a line breaks, or else it would push the other columns out of sight. */
  readonly isName?: boolean
  /** Hidden on narrow screens. */
  readonly isExtra?: boolean
  readonly className?: string
}

const ROW_HEIGHT = 41
/** Closer on phones, so that three columns fit one of 320 px. */
const PADDING =
  'px-4 max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4 max-[22rem]:px-1 max-[22rem]:first:pl-2.5 max-[22rem]:last:pr-2.5'
/** Longer tables are virtualised. */
const VIRTUAL_FROM = 100
const SKELETON_ROWS = 6
/** `onEnd` is called when this many rows or fewer are below the visible ones. */
const NEAR_END_ROWS = 20

type Props<Row> = {
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined while the first rows load. */
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** Opens a row on click; the first cell should contain a link or button for the keyboard. */
  onRow?: (row: Row) => void
  /** Shown instead of the table when there are no rows: a sentence, or an empty state. */
  empty?: ReactNode
  error?: unknown
  onRetry?: () => void
  /** Called near the end of a virtualised table, to load more. Must be a stable function. */
  onEnd?: () => void
  /** Sets the maximum height of the scrolling part, which a virtualised table needs. */
  className?: string
}

/** A table with a sticky header. Renders only visible rows once there are many. */
export function Table<Row>(props: Props<Row>) {
  // Rows are rendered in small steps, at each refetch too: all at once, they would block the page.
  return <Drawn table={useDeferredValue(props)} />
}

/** Rendered again only for another table: what the page renders at once leaves it as it is. */
const Drawn = memo(DrawnTable) as typeof DrawnTable

function DrawnTable<Row>({ table }: { table: Props<Row> }) {
  const { columns, rows, error, onRetry, empty } = table
  if (error !== undefined && error !== null && rows === undefined) {
    return <ErrorState error={error} {...(onRetry && { onRetry })} />
  }
  if (rows?.length === 0 && empty !== undefined) {
    return typeof empty === 'string' ? (
      <p className="px-4 py-8 text-center text-sm text-muted">{empty}</p>
    ) : (
      empty
    )
  }
  return <Rows {...table} key={rows !== undefined && rows.length >= VIRTUAL_FROM ? 'many' : columns.length} />
}

/** Returns the rows to draw: of many, only those in view of the box, with the height of the others around them. */
function useVisibleRows<Row>(rows: readonly Row[] | undefined, box: RefObject<HTMLElement | null>) {
  const count = rows?.length ?? 0
  const isVirtual = count >= VIRTUAL_FROM
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    enabled: isVirtual,
  })
  const seen = isVirtual ? virtualizer.getVirtualItems() : null
  return {
    seen,
    measureElement: virtualizer.measureElement,
    before: seen?.[0]?.start ?? 0,
    after: seen === null ? 0 : virtualizer.getTotalSize() - (seen.at(-1)?.end ?? 0),
    shown: seen === null ? (rows ?? []) : seen.flatMap(({ index }) => rows?.[index] ?? []),
  }
}

function Rows<Row>({ label, columns, rows, rowKey, onRow, onEnd, className }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const count = rows?.length ?? 0
  const { seen, shown, before, after, measureElement } = useVisibleRows(rows, box)
  const isNearEnd = seen !== null && (seen.at(-1)?.index ?? 0) >= count - NEAR_END_ROWS
  useEffect(() => {
    if (isNearEnd && count > 0) onEnd?.()
  }, [isNearEnd, count, onEnd])
  const decimals = useMemo(
    () => columns.map(({ amount }) => (amount === undefined ? null : mostDecimals((rows ?? []).map(amount)))),
    [columns, rows],
  )

  return (
    <section
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      data-scroll-restoration-id={label}
      className={clsx('overflow-auto', seen !== null && 'max-h-[70vh]', className)}
    >
      <table
        aria-label={label}
        aria-rowcount={seen === null ? undefined : count + 1}
        aria-busy={rows === undefined}
        className="w-full border-separate border-spacing-0 text-sm"
      >
        <Head columns={columns} />
        <tbody className={clsx(onRow !== undefined && '[&>tr]:cursor-pointer')}>
          {before > 0 && <Spacer height={before} />}
          {rows === undefined && <SkeletonRows columns={columns} />}
          {shown.map((row, index) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              index={seen?.[index]?.index}
              measure={seen === null ? undefined : measureElement}
              columns={columns}
              decimals={decimals}
              onRow={onRow}
            />
          ))}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
    </section>
  )
}

type RowProps<Row> = Pick<Props<Row>, 'columns'> & {
  row: Row
  /** Among all rows, of which some are drawn; undefined if all are. */
  index: number | undefined
  measure: Ref<HTMLTableRowElement> | undefined
  decimals: readonly (number | null)[]
  onRow: ((row: Row) => void) | undefined
}

/** Scrolling renders the rows that come into view, not those that are. */
const TableRow = memo(DrawnRow) as typeof DrawnRow

function DrawnRow<Row>({ row, index, measure, columns, decimals, onRow }: RowProps<Row>) {
  return (
    <tr
      aria-rowindex={index === undefined ? undefined : index + 2}
      ref={measure}
      data-index={index}
      onClick={onRow && (() => onRow(row))}
      className="h-[41px] transition-colors hover:bg-hover [&:last-child>td]:border-b-0"
    >
      {columns.map((column, at) => (
        <td
          key={column.id}
          className={clsx(
            'border-b py-2',
            PADDING,
            isRight(column) && 'text-right tabular',
            column.isName === true && 'min-w-28 wrap-anywhere',
            column.isExtra === true && 'max-md:hidden',
            column.className,
          )}
        >
          <ColumnDecimals value={decimals[at] ?? null}>{contentOf(column, row)}</ColumnDecimals>
        </td>
      ))}
    </tr>
  )
}

function contentOf<Row>({ cell, amount }: Column<Row>, row: Row): ReactNode {
  if (cell !== undefined) return cell(row)
  return amount !== undefined && <Amount usdc={amount(row)} />
}

function isRight<Row>({ isNumber, amount }: Column<Row>): boolean {
  return isNumber === true || amount !== undefined
}

function Head<Row>({ columns }: Pick<Props<Row>, 'columns'>) {
  return (
    <thead>
      <tr>
        {columns.map(column => (
          <th
            key={column.id}
            scope="col"
            className={clsx(
              'sticky top-0 z-10 h-9 border-b bg-subtle text-left text-xs font-medium whitespace-nowrap text-muted',
              PADDING,
              isRight(column) && 'text-right',
              column.isExtra === true && 'max-md:hidden',
            )}
          >
            {column.head}
            {column.amount !== undefined && <span className="ml-1 font-normal text-faint">USDC</span>}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function SkeletonRows<Row>({ columns }: Pick<Props<Row>, 'columns'>) {
  return Array.from({ length: SKELETON_ROWS }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <tr key={index} className="h-[41px]">
      {columns.map(column => (
        <td key={column.id} className={clsx('border-b', PADDING, column.isExtra === true && 'max-md:hidden')}>
          <Skeleton className="h-3.5 w-3/4" />
        </td>
      ))}
    </tr>
  ))
}

/** Takes the height of the rows that are not rendered. */
function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  )
}
