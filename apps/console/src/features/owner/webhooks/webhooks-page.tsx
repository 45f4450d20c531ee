import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { RecordSheet } from '../../../ui/dialogs/record-sheet.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { type WebhookFields, WebhookForm } from './webhook-form.tsx'
import { stateOfWebhook, type Webhook } from './webhook-labels.ts'
import { type IssuedSecret, SecretDialog } from './webhook-secret.tsx'
import { WebhookSheet } from './webhook-sheet.tsx'
import { WebhookSwitch } from './webhook-switch.tsx'

const POLL_INTERVAL_MS = 5_000
/** Preselected events. */
const usual: WebhookFields['events'] = ['balance.low', 'credential.exhausted', 'invocation.failed']

/** The webhooks of a wallet. */
export function WebhooksPage() {
  const search = useSearch({ from: '/app/webhooks' })
  const navigate = useNavigate()
  const go = (next: { open?: string; new?: true }) =>
    navigate({
      to: '/app/webhooks',
      search: next,
      replace: Object.keys(next).length === 0,
      resetScroll: false,
    })
  const [issued, setIssued] = useState<IssuedSecret | null>(null)
  const list = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: ({ signal }) => api.listWebhooks({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const webhooks = list.data?.webhooks
  const opened = webhooks?.find(({ id }) => id === search.open)
  const make = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => go({ new: true })}
    >
      New webhook
    </Button>
  )
  return (
    <>
      <PageHead
        title="Webhooks"
        description="Send the events of this wallet to your server. Deliveries are signed, retried for 3 days and kept for 30."
        actions={
          <>
            <Link to="/app/alerts" className={buttonClass()}>
              Alerts
            </Link>
            {make}
          </>
        }
      />
      <Card isFlush>
        <Table
          label="Webhooks"
          columns={columnsFor(id => go({ open: id }))}
          rows={webhooks}
          rowKey={({ id }) => id}
          onRow={({ id }) => go({ open: id })}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState icon={<WebhookIcon />} title="No webhooks yet" action={make}>
              Get notified of credited deposits, a low balance, failed calls and unhealthy services.
            </EmptyState>
          }
        />
      </Card>
      {search.new === true && <Make onClose={() => go({})} onIssued={setIssued} />}
      {opened !== undefined && <WebhookSheet webhook={opened} onClose={() => go({})} onIssued={setIssued} />}
      {search.open !== undefined && webhooks !== undefined && opened === undefined && (
        <RecordSheet name="Webhook" state={undefined} id={search.open} onClose={() => go({})}>
          <EmptyState icon={<WebhookIcon />} title="Unknown webhook">
            It may have been deleted or belong to another wallet.
          </EmptyState>
        </RecordSheet>
      )}
      {issued !== null && <SecretDialog issued={issued} onClose={() => setIssued(null)} />}
    </>
  )
}

function columnsFor(open: (id: string) => void): readonly Column<Webhook>[] {
  return [
    {
      id: 'url',
      head: 'Address',
      cell: webhook => <Name webhook={webhook} onOpen={() => open(webhook.id)} />,
    },
    {
      id: 'events',
      head: 'Events',
      isExtra: true,
      cell: ({ events }) => (
        <span title={events.join(', ')} className="text-muted">
          {events.length <= 2 ? events.join(', ') : `${events[0]} and ${events.length - 1} more`}
        </span>
      ),
    },
    {
      id: 'last',
      head: 'Last delivered',
      isExtra: true,
      className: 'w-32',
      cell: ({ lastSuccessAt }) =>
        lastSuccessAt === null ? <span className="text-faint">Never</span> : <TimeAgo iso={lastSuccessAt} />,
    },
    {
      id: 'switch',
      head: <span className="sr-only">Switch</span>,
      isNumber: true,
      className: 'w-28',
      cell: webhook => <WebhookSwitch webhook={webhook} />,
    },
  ]
}

function Name({ webhook, onOpen }: { webhook: Webhook; onOpen: () => void }) {
  const { label, tone } = stateOfWebhook(webhook)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <button
        type="button"
        className="rounded text-left font-medium break-all hover:underline"
        onClick={event => {
          event.stopPropagation()
          onOpen()
        }}
      >
        {webhook.url.replace(/^https:\/\//, '')}
      </button>
      <Badge tone={tone}>{label}</Badge>
    </span>
  )
}

function Make({ onClose, onIssued }: { onClose: () => void; onIssued: (issued: IssuedSecret) => void }) {
  const making = useMutation({
    mutationFn: (body: WebhookFields) => api.createWebhook({ body }),
    async onSuccess({ webhook, secret }) {
      onClose()
      onIssued({ url: webhook.url, secret, isRotated: false })
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  return (
    <WebhookForm
      title="New webhook"
      description="Up to 10 per wallet. Selected alert events are turned on."
      initial={{ url: '', events: usual }}
      action="Create webhook"
      error={making.error}
      isBusy={making.isPending}
      onClose={onClose}
      onSubmit={fields => making.mutate(fields)}
    />
  )
}
