import { useMutation } from '@tanstack/react-query'
import { ChevronRight, RotateCw } from 'lucide-react'
import { memo, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { describeError, EmptyState, ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { everyOnFirstPage, usePages } from '../../../ui/tables/use-pages.ts'
import { Id } from '../../../ui/values/address.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { type Delivery, deliveryStates, describeOutcome } from './webhook-labels.ts'

const PAGE = 20
const POLL_INTERVAL_MS = 2_500
const shows = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

/** The deliveries of a webhook, newest first, with an action to send them again. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const [show, setShow] = useState<(typeof shows)[number]['value']>('all')
  const list = usePages(
    ['webhooks', 'deliveries', webhookId, show],
    (query, signal) =>
      api.listWebhookDeliveries({
        path: { id: webhookId },
        query: { ...query, ...(show !== 'all' && { status: show }) },
        signal,
      }),
    {
      limit: PAGE,
      refetchInterval: everyOnFirstPage(POLL_INTERVAL_MS),
    },
  )
  const deliveries = list.data?.pages.flatMap(page => page.deliveries)
  return (
    <section aria-label="Deliveries" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium">Deliveries</h3>
        <Segments label="Show" options={shows} value={show} onChange={setShow} />
      </div>
      {list.error !== null && deliveries === undefined && (
        <ErrorState error={list.error} onRetry={list.refetch} />
      )}
      {list.error === null && deliveries === undefined && <Skeleton className="h-40" />}
      {deliveries?.length === 0 && (
        <div className="rounded-lg border">
          <EmptyState title={show === 'all' ? 'No deliveries yet' : 'No matching deliveries'}>
            {show === 'all'
              ? 'Send a test event. It arrives within a second.'
              : 'No deliveries are in this state.'}
          </EmptyState>
        </div>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <ul className="overflow-hidden rounded-lg border [&>li:last-child]:border-b-0">
          {list.data?.pages.map((page, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pages are only appended
            <Rows key={index} webhookId={webhookId} deliveries={page.deliveries} />
          ))}
        </ul>
      )}
      <LoadMore list={list} />
    </section>
  )
}

type RowsProps = { webhookId: string; deliveries: readonly Delivery[] }

/** A page of deliveries, rendered once: the pages after it leave it as it is. */
const Rows = memo(function Rows({ webhookId, deliveries }: RowsProps) {
  return deliveries.map(delivery => <Row key={delivery.id} webhookId={webhookId} delivery={delivery} />)
})

function Row({ webhookId, delivery }: { webhookId: string; delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false)
  const [label, tone] = deliveryStates[delivery.status]
  const replaying = useMutation({
    mutationFn: () => api.replayWebhookDelivery({ path: { id: webhookId, deliveryId: delivery.id } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['webhooks', 'deliveries', webhookId] })
      toast.done('Resent with the same ID.')
    },
    onError: error => toast.failed(describeError(error)),
  })
  return (
    <li className="border-b">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2.5 px-3 py-2 text-left text-sm transition-colors hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={`size-4 shrink-0 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
        <span className="flex min-w-0 flex-1 flex-col">
          <code className="truncate font-mono">{delivery.type}</code>
          <span className="truncate text-xs text-faint">{describeOutcome(delivery)}</span>
        </span>
        <Badge tone={tone}>{label}</Badge>
        <span className="w-20 text-right text-xs text-faint">
          <TimeAgo iso={delivery.createdAt} />
        </span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t bg-subtle p-3">
          <div className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
            <span className="flex flex-wrap items-center gap-x-3">
              <Id value={delivery.id} />
              {delivery.nextAttemptAt !== null && (
                <span>
                  next attempt <TimeAgo iso={delivery.nextAttemptAt} />
                </span>
              )}
            </span>
            <Button
              size="sm"
              icon={<RotateCw aria-hidden className="size-3.5" />}
              isBusy={replaying.isPending}
              onClick={() => replaying.mutate()}
            >
              Resend
            </Button>
          </div>
          <CodeBlock
            label="Payload"
            snippets={[{ label: 'Payload', code: JSON.stringify(delivery.payload, null, 2) }]}
          />
        </div>
      )}
    </li>
  )
}
