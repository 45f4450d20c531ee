import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../button.tsx'

/** Leads through numbered pages. */
export function Pagination(props: {
  page: number
  pageSize: number
  total: number
  onChange: (page: number) => void
  /** What is counted, in the plural: `services`. */
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
        {total === 0
          ? `0 ${props.noun}`
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

/** What tells of a list whether there is more of it, and brings that: an infinite query is one. */
type Listed = {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

/** Brings the next part of a list that is told with a cursor. */
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
