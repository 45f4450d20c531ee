import { useMutation } from '@tanstack/react-query'
import { Pencil, Power, RotateCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { RecordAction, RecordSheet } from '../../../ui/dialogs/record-sheet.tsx'
import { RotateDialog } from '../../../ui/dialogs/rotate-dialog.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { Notice } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Facts } from '../../../ui/layout/page.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { Deliveries } from './webhook-deliveries.tsx'
import { type WebhookFields, WebhookForm } from './webhook-form.tsx'
import { stateOfWebhook, type Webhook } from './webhook-labels.ts'
import type { IssuedSecret } from './webhook-secret.tsx'
import { announceSwitched, switchWebhook } from './webhook-switch.tsx'

type Asked = 'edit' | 'rotate' | 'delete' | null
type Act = 'test' | 'switch' | 'delete'

const refresh = () => queryClient.invalidateQueries({ queryKey: ['webhooks'] })

/** A webhook: state, deliveries and actions. */
export function WebhookSheet(props: {
  webhook: Webhook
  onClose: () => void
  onIssued: (issued: IssuedSecret) => void
}) {
  const { webhook, onClose, onIssued } = props
  const [asked, ask] = useState<Asked>(null)
  const { why, ...state } = stateOfWebhook(webhook)
  const isOn = webhook.status === 'active'
  const acting = useActs(webhook, act => {
    ask(null)
    if (act === 'delete') onClose()
  })
  const isUnder = (act: Act) => acting.isPending && acting.variables === act
  const failure = <Failed error={acting.error} />
  return (
    <RecordSheet
      name={webhook.url}
      state={state}
      id={webhook.id}
      onClose={onClose}
      actions={<Actions isOn={isOn} isUnder={isUnder} onAct={acting.mutate} onAsk={ask} />}
    >
      {asked === null && failure}
      {why !== null && <Notice tone={state.tone === 'neutral' ? 'info' : state.tone}>{why}</Notice>}
      {webhook.suppressedLastDay > 0 && (
        <Notice tone="warn">
          {formatCount(webhook.suppressedLastDay)} events were dropped in the last day because too many
          occurred at once.
        </Notice>
      )}
      <About webhook={webhook} />
      <Deliveries webhookId={webhook.id} />
      {asked === 'edit' && <Edit webhook={webhook} onClose={() => ask(null)} />}
      {asked === 'rotate' && <Rotate webhook={webhook} onClose={() => ask(null)} onIssued={onIssued} />}
      <Confirm
        open={asked === 'delete'}
        onClose={() => ask(null)}
        title="Delete this webhook?"
        action="Delete"
        isBusy={isUnder('delete')}
        onConfirm={() => acting.mutate('delete')}
      >
        <p>Pending deliveries will not be sent, and its deliveries are hidden from the list.</p>
        {failure}
      </Confirm>
    </RecordSheet>
  )
}

function useActs(webhook: Webhook, onDone: (act: Act) => void) {
  const path = { id: webhook.id }
  return useMutation({
    async mutationFn(act: Act) {
      if (act === 'test') await api.testWebhook({ path })
      if (act === 'switch') await switchWebhook(webhook)
      if (act === 'delete') await api.deleteWebhook({ path })
    },
    async onSuccess(_, act) {
      onDone(act)
      await refresh()
      if (act === 'test') toast.done('Test sent. See the result under Deliveries.')
      if (act === 'switch') announceSwitched(webhook)
      if (act === 'delete') toast.done('Webhook deleted.')
    },
  })
}

function Actions(props: {
  isOn: boolean
  isUnder: (act: Act) => boolean
  onAct: (act: Act) => void
  onAsk: (asked: Asked) => void
}) {
  const { isOn, isUnder, onAct, onAsk } = props
  return (
    <>
      <RecordAction icon={<Send />} isBusy={isUnder('test')} onClick={() => onAct('test')}>
        Send a test
      </RecordAction>
      <RecordAction icon={<Pencil />} onClick={() => onAsk('edit')}>
        Edit
      </RecordAction>
      <RecordAction icon={<Power />} isBusy={isUnder('switch')} onClick={() => onAct('switch')}>
        {isOn ? 'Switch off' : 'Switch on'}
      </RecordAction>
      <RecordAction icon={<RotateCw />} onClick={() => onAsk('rotate')}>
        Rotate secret
      </RecordAction>
      <RecordAction icon={<Trash2 />} isDanger onClick={() => onAsk('delete')}>
        Delete
      </RecordAction>
    </>
  )
}

function About({ webhook }: { webhook: Webhook }) {
  const { events, lastSuccessAt, failingSince, previousSecretUntil, createdAt } = webhook
  return (
    <Facts
      items={[
        [
          'Events',
          <span key="events" className="flex flex-wrap gap-1">
            {events.map(event => (
              <Badge key={event}>{event}</Badge>
            ))}
          </span>,
        ],
        ['Last delivered', lastSuccessAt === null ? 'Never' : <TimeAgo key="last" iso={lastSuccessAt} />],
        ...(failingSince === null
          ? []
          : [['Failing since', <TimeAgo key="failing" iso={failingSince} />] as const]),
        ...(previousSecretUntil === null
          ? []
          : [
              [
                'Old secret',
                <span key="previous">
                  also signs, expires <TimeAgo iso={previousSecretUntil} />
                </span>,
              ] as const,
            ]),
        ['Created', <TimeAgo key="made" iso={createdAt} />],
      ]}
    />
  )
}

function Edit({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const saving = useMutation({
    mutationFn: (body: WebhookFields) => api.updateWebhook({ path: { id: webhook.id }, body }),
    async onSuccess() {
      await refresh()
      toast.done('Webhook saved. Pending deliveries use the new URL.')
      onClose()
    },
  })
  return (
    <WebhookForm
      title="Edit webhook"
      description="Its secret stays the same."
      initial={{ url: webhook.url, events: [...webhook.events] }}
      action="Save"
      error={saving.error}
      isBusy={saving.isPending}
      onClose={onClose}
      onSubmit={fields => saving.mutate(fields)}
    />
  )
}

function Rotate(props: { webhook: Webhook; onClose: () => void; onIssued: (issued: IssuedSecret) => void }) {
  const { webhook, onClose, onIssued } = props
  const rotating = useMutation({
    mutationFn: (overlapSeconds: number) =>
      api.rotateWebhookSecret({ path: { id: webhook.id }, body: { overlapSeconds } }),
    async onSuccess({ secret }) {
      onClose()
      onIssued({ url: webhook.url, secret, isRotated: true })
      await refresh()
    },
  })
  return (
    <RotateDialog
      noun="secret"
      description="Creates a new secret. Deliveries are signed with both as long as the current one works."
      hint="Leave enough time to update your receiver, but none if the secret was stolen."
      initial="86400"
      rotating={rotating}
      onClose={onClose}
    />
  )
}
