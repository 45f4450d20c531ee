import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../button.tsx'

/** Navigation between numbered pages. */
export function Pagination(props: {
  page: number
  pageSize: number
  total: number
  onChange: (page: number) => void
  /** Plural of the counted thing: `services`. */
  noun: string
}) {
  const { page, pageSize, total } = props
  const last = Math.max(1, Math.ceil(total / pageSize))
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-3 py-3 text-sm text-muted"
    >
      <span className="tabular">
        {page > last || total === 0
          ? `${total} ${props.noun}`
          : `${(page - 1) * pageSize + 1}–${Math.min(total, page * pageSize)} of ${total} ${props.noun}`}
      </span>
      <span className="flex gap-2">
        <Button size="sm" disabled={page <= 1} onClick={() => props.onChange(page - 1)}>
          <ChevronLeft aria-hidden className="size-4" /> Previous
        </Button>
        <Button size="sm" disabled={page >= last} onClick={() => props.onChange(page + 1)}>
          Next <ChevronRight aria-hidden className="size-4" />
        </Button>
      </span>
    </nav>
  )
}

/** The part of an infinite query that this needs. */
type Listed = {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

/** A button that loads the next page of a list with a cursor. */
export function LoadMore({ list }: { list: Listed }) {
  if (!list.hasNextPage) return null
  return (
    <div className="flex justify-center py-3">
      <Button size="sm" isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        Show more
      </Button>
    </div>
  )
}
