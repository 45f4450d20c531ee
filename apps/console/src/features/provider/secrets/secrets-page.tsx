import type { AnswerOf } from '@farebox/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Meter } from '../../../ui/feedback/steps.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { usePages } from '../../../ui/tables/use-pages.ts'
import { Id } from '../../../ui/values/address.tsx'
import { Amount, formatAmount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { intervalLabel } from '../../../ui/values/intervals.ts'
import { shareOf } from '../../../ui/values/shares.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { type IssuedSecret, SecretDialog } from './secret-form.tsx'
import { SecretShown } from './secret-shown.tsx'
import { SigningCard } from './signing-card.tsx'
import { storeTabSecret } from './tab-secret.ts'

type Secret = AnswerOf<'listProviderSecrets'>['secrets'][number]
type Act = AnswerOf<'listProviderSecretAuditLogs'>['logs'][number]

/** Secrets for the provider's servers, with their limits and audit log. */
export function SecretsPage() {
  const [isMaking, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedSecret | null>(null)
  const [doomed, setDoomed] = useState<Secret | null>(null)
  const list = useQuery({
    queryKey: ['secrets', 'list'],
    queryFn: ({ signal }) => api.listProviderSecrets({ signal }),
  })
  const make = (
    <Button variant="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setMaking(true)}>
      New secret
    </Button>
  )
  return (
    <>
      <PageHead
        title="Secrets"
        description="Keys that your servers use to list calls, read service health and report usage later, and the secret that signs calls to them."
        actions={make}
      />
      <div className="flex flex-col gap-5">
        <Card isFlush className="list-first">
          <Table
            label="Provider secrets"
            columns={columnsFor(setDoomed)}
            rows={list.data?.secrets}
            rowKey={({ id }) => id}
            error={list.error}
            onRetry={list.refetch}
            empty={
              <EmptyState icon={<KeyRound />} title="No secrets yet">
                You only need a secret if your servers call this gateway, for example to report the usage of
                streams that ended without it.
              </EmptyState>
            }
          />
        </Card>
        <div className="below-list flex flex-col gap-5">
          <SigningCard />
          <AuditLog secrets={list.data?.secrets ?? []} />
        </div>
      </div>
      {isMaking && (
        <SecretDialog
          onClose={() => setMaking(false)}
          onIssued={secret => {
            storeTabSecret({ id: secret.id, name: secret.name, secretKey: secret.secretKey })
            setIssued(secret)
          }}
        />
      )}
      {issued !== null && <SecretShown secret={issued} onClose={() => setIssued(null)} />}
      {doomed !== null && <Revoke secret={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function columnsFor(revoke: (secret: Secret) => void): readonly Column<Secret>[] {
  return [
    {
      id: 'name',
      head: 'Name',
      isName: true,
      cell: ({ name, maskedKey, status }) => (
        <span className="flex flex-col">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{name}</span>
            {status === 'deleted' && <Badge>Revoked</Badge>}
            {status === 'expired' && <Badge>Expired</Badge>}
          </span>
          <code className="font-mono text-xs text-faint">{maskedKey}</code>
        </span>
      ),
    },
    {
      id: 'charged',
      head: 'Charged by late reports',
      className: 'w-56',
      cell: secret => <Charged secret={secret} />,
    },
    { id: 'rpm', head: 'Per minute', isNumber: true, isExtra: true, cell: ({ rpm }) => formatCount(rpm) },
    {
      id: 'used',
      head: 'Last used',
      isExtra: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="text-faint">Never</span> : <TimeAgo iso={lastUsedAt} />,
    },
    { id: 'made', head: 'Created', isExtra: true, cell: ({ createdAt }) => <TimeAgo iso={createdAt} /> },
    {
      id: 'revoke',
      head: <span className="sr-only">Revoke</span>,
      className: 'w-12',
      cell: secret =>
        secret.status !== 'deleted' && (
          <IconButton label={`Revoke ${secret.name}`} onClick={() => revoke(secret)}>
            <Trash2 />
          </IconButton>
        ),
    },
  ]
}

function Charged({ secret }: { secret: Secret }) {
  const { capturedUsdc, creditLimit, resetInterval } = secret
  if (creditLimit === null)
    return (
      <span>
        <Amount usdc={capturedUsdc} /> <span className="text-faint">no limit</span>
      </span>
    )
  return (
    <span className="flex flex-col gap-1">
      <span className="whitespace-nowrap">
        <Amount usdc={capturedUsdc} />{' '}
        <span className="text-faint">
          of {formatAmount(creditLimit)} {intervalLabel(resetInterval)}
        </span>
      </span>
      <Meter value={shareOf(capturedUsdc, creditLimit)} label={`Charged with ${secret.name}`} />
    </span>
  )
}

function Revoke({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const revoking = useMutation({
    mutationFn: () => api.deleteProviderSecret({ path: { id: secret.id } }),
    async onSuccess() {
      onClose()
      toast.done(`${secret.name} is revoked.`)
      await queryClient.invalidateQueries({ queryKey: ['secrets'] })
    },
  })
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => revoking.mutate()}
      isBusy={revoking.isPending}
      title={`Revoke ${secret.name}?`}
      action="Revoke secret"
    >
      <p>Servers that use it are refused immediately. Calls to your services are not affected.</p>
      <Failed error={revoking.error} className="mt-3" />
    </Confirm>
  )
}

/** Deleted provider secrets are called revoked on this page. */
const ACTS = { issued: 'Created', rotated: 'Rotated', deleted: 'Revoked' } as const

function AuditLog({ secrets }: { secrets: readonly Secret[] }) {
  const log = usePages(
    ['secrets', 'log'],
    (query, signal) => api.listProviderSecretAuditLogs({ query, signal }),
    { limit: 20 },
  )
  const names = new Map(secrets.map(({ id, name }) => [id, name]))
  return (
    <Card title="Audit log" isFlush>
      <Table
        label="Audit log"
        rows={log.data?.pages.flatMap(({ logs }) => logs)}
        rowKey={({ id }) => id}
        error={log.error}
        onRetry={log.refetch}
        columns={[
          {
            id: 'what',
            head: 'Action',
            cell: ({ action, secretId }: Act) => (
              <span>
                {ACTS[action]}{' '}
                {secretId.startsWith('sig_') ? (
                  'signing secret'
                ) : (
                  <span className="font-medium">{names.get(secretId)}</span>
                )}
              </span>
            ),
          },
          { id: 'secret', head: 'Secret', isExtra: true, cell: ({ secretId }) => <Id value={secretId} /> },
          { id: 'at', head: 'When', cell: ({ at }) => <TimeAgo iso={at} /> },
        ]}
        empty="No changes yet."
      />
      <LoadMore list={log} />
    </Card>
  )
}
