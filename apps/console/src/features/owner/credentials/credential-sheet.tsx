import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, RotateCw, ShieldOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { RecordAction, RecordSheet } from '../../../ui/dialogs/record-sheet.tsx'
import { RotateDialog } from '../../../ui/dialogs/rotate-dialog.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Facts } from '../../../ui/layout/page.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { usePages } from '../../../ui/tables/use-pages.ts'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { formatTime } from '../../../ui/values/format-time.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { useServices } from '../first-call.ts'
import { describeAct } from './audit-labels.ts'
import { fieldsOf } from './credential-fields.ts'
import { CredentialForm } from './credential-form.tsx'
import { type Credential, isoOf, stateOf } from './credential-labels.ts'
import { LastCall, Trend, useTrends } from './credential-trend.tsx'
import { CallsUsed, Spent } from './credential-usage.tsx'
import type { IssuedToken } from './issued-token.ts'

type Asked = 'edit' | 'rotate' | 'revoke' | 'delete' | null

const refresh = () => queryClient.invalidateQueries({ queryKey: ['credentials'] })

/** A credential: limits, use, audit trail and actions. */
export function CredentialSheet(props: {
  credential: Credential
  onClose: () => void
  onIssued: (issued: IssuedToken) => void
}) {
  const { credential, onClose, onIssued } = props
  const [asked, ask] = useState<Asked>(null)
  const isLive = credential.status === 'active'
  return (
    <RecordSheet
      name={credential.name}
      state={stateOf(credential)}
      id={credential.id}
      onClose={onClose}
      actions={
        <>
          <RecordAction icon={<Pencil />} onClick={() => ask('edit')}>
            Edit limits
          </RecordAction>
          {isLive && (
            <>
              <RecordAction icon={<RotateCw />} onClick={() => ask('rotate')}>
                Rotate token
              </RecordAction>
              <RecordAction icon={<ShieldOff />} onClick={() => ask('revoke')} isDanger>
                Revoke
              </RecordAction>
            </>
          )}
          <RecordAction icon={<Trash2 />} onClick={() => ask('delete')} isDanger>
            Delete
          </RecordAction>
        </>
      }
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <Spent credential={credential} />
        <CallsUsed credential={credential} />
      </div>
      <Use id={credential.id} />
      <Limits credential={credential} />
      <Trail credentialId={credential.id} />
      {asked === 'edit' && <Edit credential={credential} onClose={() => ask(null)} />}
      {asked === 'rotate' && <Rotate credential={credential} onClose={() => ask(null)} onIssued={onIssued} />}
      {(asked === 'revoke' || asked === 'delete') && (
        <End credential={credential} way={asked} onClose={() => ask(null)} onGone={onClose} />
      )}
    </RecordSheet>
  )
}

/** The spend of a credential by day, when it was last used, and the way to its calls. */
function Use({ id }: { id: string }) {
  const trends = useTrends()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
      <LastCall id={id} spending={trends} />
      <Trend id={id} spending={trends} isInline />
      <Link
        to="/app/calls"
        search={{ credential: id }}
        className="text-sm text-accent underline-offset-2 hover:underline"
      >
        Its calls
      </Link>
    </div>
  )
}

function Limits({ credential }: { credential: Credential }) {
  const { data } = useServices()
  const { allowedServices, rpm, expiresAt, createdAt, heldUsdc, maxCostPerCallUsdc } = credential
  const nameOf = (id: string) =>
    data?.find(({ serviceId, agentToolName }) => serviceId === id || agentToolName === id)?.serviceName ?? id
  return (
    <Facts
      items={[
        ['On hold', <Amount key="held" usdc={heldUsdc} />],
        [
          'Maximum per call',
          maxCostPerCallUsdc === null ? 'No limit' : <Amount key="call" usdc={maxCostPerCallUsdc} />,
        ],
        ['Rate', `${formatCount(rpm)} calls per minute`],
        ['Services', allowedServices === null ? 'All' : allowedServices.map(nameOf).join(', ') || 'None'],
        ['Expires', expiresAt === null ? 'Never' : <TimeAgo key="expires" iso={isoOf(expiresAt)} />],
        ['Created', <TimeAgo key="made" iso={createdAt} />],
      ]}
    />
  )
}

/**
 * The audit trail of a credential, newest first. The gateway lists all credentials in one trail; others are filtered
 * out.
 */
function Trail({ credentialId }: { credentialId: string }) {
  const trail = usePages(
    ['credentials', 'trail'],
    (query, signal) => api.listCredentialAuditLogs({ query, signal }),
    { limit: 100 },
  )
  const acts = trail.data?.pages.flatMap(({ logs }) => logs).filter(act => act.credentialId === credentialId)
  return (
    <section aria-label="History" className="flex flex-col gap-3">
      <h3 className="font-medium">History</h3>
      {trail.error !== null && acts === undefined && (
        <ErrorState error={trail.error} onRetry={trail.refetch} />
      )}
      {acts === undefined && trail.error === null && <Skeleton className="h-24" />}
      <ol className="flex flex-col gap-3 text-sm">
        {acts?.map(act => {
          const { title, lines } = describeAct(act)
          return (
            <li key={act.id} className="border-l-2 pl-3">
              <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                <span className="font-medium">{title}</span>
                <span className="text-faint">
                  <TimeAgo iso={act.at} />
                </span>
              </p>
              {lines.map(line => (
                <p key={line} className="text-muted">
                  {line}
                </p>
              ))}
            </li>
          )
        })}
      </ol>
      {acts?.length === 0 && !trail.hasNextPage && <p className="text-sm text-faint">No changes yet.</p>}
      <LoadMore list={trail} />
    </section>
  )
}

function Edit({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const saving = useMutation({
    mutationFn: (body: Parameters<React.ComponentProps<typeof CredentialForm>['onSubmit']>[0]) =>
      api.updateCredential({ path: { id: credential.id }, body }),
    async onSuccess() {
      await refresh()
      toast.done('Limits saved. They apply from the next call.')
      onClose()
    },
  })
  const { expiresAt } = credential
  return (
    <CredentialForm
      title={`Edit ${credential.name}`}
      description="Earlier usage still counts."
      initial={fieldsOf(credential)}
      action="Save"
      error={saving.error}
      isBusy={saving.isPending}
      onClose={onClose}
      onSubmit={body => saving.mutate(body)}
      expiresNow={expiresAt === null ? 'Never (unchanged)' : `${formatTime(isoOf(expiresAt))} (unchanged)`}
    />
  )
}

function Rotate(props: {
  credential: Credential
  onClose: () => void
  onIssued: (issued: IssuedToken) => void
}) {
  const { credential, onClose, onIssued } = props
  const rotating = useMutation({
    mutationFn: (overlapSeconds: number) =>
      api.rotateCredential({ path: { id: credential.id }, body: { overlapSeconds } }),
    async onSuccess({ token }) {
      onClose()
      onIssued({ credentialId: credential.id, name: credential.name, token })
      await refresh()
    },
  })
  return (
    <RotateDialog
      noun="token"
      description="Creates a new token. Limits and usage stay the same."
      hint="Leave enough time to update your agents. A client connected by OAuth must then sign in again."
      initial="3600"
      rotating={rotating}
      onClose={onClose}
    />
  )
}

function End(props: {
  credential: Credential
  way: 'revoke' | 'delete'
  onClose: () => void
  onGone: () => void
}) {
  const { credential, way, onClose, onGone } = props
  const path = { id: credential.id }
  const ending = useMutation({
    mutationFn: () => (way === 'revoke' ? api.revokeCredential({ path }) : api.deleteCredential({ path })),
    async onSuccess() {
      if (way === 'delete') onGone()
      await refresh()
      toast.done(way === 'revoke' ? `${credential.name} is revoked.` : `${credential.name} is deleted.`)
      onClose()
    },
  })
  return (
    <Confirm
      open
      onClose={onClose}
      title={way === 'revoke' ? `Revoke ${credential.name}?` : `Delete ${credential.name}?`}
      action={way === 'revoke' ? 'Revoke' : 'Delete'}
      isBusy={ending.isPending}
      onConfirm={() => ending.mutate()}
    >
      <p>
        {way === 'revoke'
          ? 'Calls with it are refused immediately and permanently. Calls in flight finish normally.'
          : 'It is revoked immediately and hidden from the list. Its calls and history are kept.'}
      </p>
      <Failed error={ending.error} className="mt-3" />
    </Confirm>
  )
}
