import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { RecordSheet } from '../../../ui/dialogs/record-sheet.tsx'
import { EmptyState, ErrorState } from '../../../ui/feedback/states.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { everyOnFirstPage, usePages } from '../../../ui/tables/use-pages.ts'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { newFields } from './credential-fields.ts'
import { CredentialForm } from './credential-form.tsx'
import { type Credential, isoOf, stateOf } from './credential-labels.ts'
import { CredentialSheet } from './credential-sheet.tsx'
import { TokenDialog } from './credential-token.tsx'
import { LastCall, TREND_DAYS, Trend, useTrends } from './credential-trend.tsx'
import { CallsUsed, Spent } from './credential-usage.tsx'
import { type IssuedToken, rememberToken } from './issued-token.ts'
import { isWithoutBalance, NothingToSpend } from './nothing-to-spend.tsx'

const POLL_INTERVAL_MS = 5_000

/** The credentials of a wallet with their limits and use. */
export function CredentialsPage() {
  const search = useSearch({ from: '/app/credentials' })
  const navigate = useNavigate()
  const go = (next: { open?: string; new?: true }) =>
    navigate({
      to: '/app/credentials',
      search: next,
      replace: Object.keys(next).length === 0,
      resetScroll: false,
    })
  const [issued, setIssued] = useState<IssuedToken | null>(null)
  const show = (token: IssuedToken) => {
    rememberToken(token)
    setIssued(token)
  }
  const list = usePages(['credentials', 'list'], (query, signal) => api.listCredentials({ query, signal }), {
    refetchInterval: everyOnFirstPage(POLL_INTERVAL_MS),
  })
  const credentials = list.data?.pages.flatMap(page => page.credentials)
  const trends = useTrends()
  const columns = columnsFor(id => go({ open: id }), trends)
  const make = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => go({ new: true })}
    >
      New credential
    </Button>
  )
  return (
    <>
      <PageHead
        title="Credentials"
        description="Create one token per agent. It spends from your balance within the limits you set."
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
          label="Credentials"
          columns={columns}
          rows={credentials}
          rowKey={({ id }) => id}
          onRow={({ id }) => go({ open: id })}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState icon={<KeyRound />} title="No credentials yet" action={make}>
              An agent calls services with a credential. You set its budget, rate and expiry.
            </EmptyState>
          }
        />
        <LoadMore list={list} />
      </Card>
      {search.new === true && <Make onClose={() => go({})} onIssued={show} />}
      {search.open !== undefined && (
        <Opened id={search.open} listed={credentials} onClose={() => go({})} onIssued={show} />
      )}
      {issued !== null && <TokenDialog issued={issued} onClose={() => setIssued(null)} />}
    </>
  )
}

/** The credential of the address; one that is not on the pages read so far is read by itself. */
function Opened(props: {
  id: string
  /** Undefined while they load. */
  listed: readonly Credential[] | undefined
  onClose: () => void
  onIssued: (issued: IssuedToken) => void
}) {
  const { id, listed, onClose, onIssued } = props
  const shown = listed?.find(credential => credential.id === id)
  const { data, error, refetch } = useQuery({
    queryKey: ['credentials', 'one', id],
    queryFn: ({ signal }) => api.listCredentials({ query: { id }, signal }),
    enabled: listed !== undefined && shown === undefined,
    refetchInterval: POLL_INTERVAL_MS,
  })
  const credential = shown ?? data?.credentials[0]
  if (credential !== undefined)
    return <CredentialSheet credential={credential} onClose={onClose} onIssued={onIssued} />
  if (data === undefined && error === null) return null
  return (
    <RecordSheet name="Credential" state={undefined} id={id} onClose={onClose}>
      {error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <EmptyState icon={<KeyRound />} title="Unknown credential">
          It may have been deleted or belong to another wallet.
        </EmptyState>
      )}
    </RecordSheet>
  )
}

function columnsFor(
  open: (id: string) => void,
  trends: ReturnType<typeof useTrends>,
): readonly Column<Credential>[] {
  return [
    {
      id: 'name',
      head: 'Name',
      isName: true,
      cell: credential => (
        <>
          <Name credential={credential} onOpen={() => open(credential.id)} />
          <LastCall id={credential.id} spending={trends} />
        </>
      ),
    },
    {
      id: 'spent',
      head: 'Spent',
      className: 'w-56',
      cell: credential => (
        <>
          <Spent credential={credential} />
          <span className="block md:hidden">
            <Trend id={credential.id} spending={trends} isInline />
          </span>
        </>
      ),
    },
    {
      id: 'trend',
      head: `Last ${TREND_DAYS} days`,
      className: 'w-44 whitespace-nowrap',
      isExtra: true,
      cell: ({ id }) => <Trend id={id} spending={trends} />,
    },
    {
      id: 'calls',
      head: 'Calls',
      className: 'w-44',
      isExtra: true,
      cell: credential => <CallsUsed credential={credential} />,
    },
    { id: 'rpm', head: 'Per minute', isNumber: true, isExtra: true, cell: ({ rpm }) => formatCount(rpm) },
    {
      id: 'expires',
      head: 'Expires',
      isExtra: true,
      cell: ({ expiresAt }) =>
        expiresAt === null ? <span className="text-faint">Never</span> : <TimeAgo iso={isoOf(expiresAt)} />,
    },
  ]
}

function Name({ credential, onOpen }: { credential: Credential; onOpen: () => void }) {
  const { label, tone } = stateOf(credential)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <button
        type="button"
        className="rounded text-left font-medium hover:underline"
        onClick={event => {
          event.stopPropagation()
          onOpen()
        }}
      >
        {credential.name}
      </button>
      <Badge tone={tone}>{label}</Badge>
    </span>
  )
}

function Make({ onClose, onIssued }: { onClose: () => void; onIssued: (issued: IssuedToken) => void }) {
  const making = useMutation({
    mutationFn: (body: Parameters<React.ComponentProps<typeof CredentialForm>['onSubmit']>[0]) =>
      api.issueCredential({ body }),
    async onSuccess({ token, credential }) {
      onClose()
      onIssued({ credentialId: credential.id, name: credential.name, token })
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
    },
  })
  const isBroke = isWithoutBalance(making.error)
  return (
    <CredentialForm
      title="New credential"
      description="You can change these settings later."
      initial={newFields}
      action="Create credential"
      error={isBroke ? null : making.error}
      isBusy={making.isPending}
      onClose={onClose}
      onSubmit={body => making.mutate(body)}
      notice={isBroke && <NothingToSpend />}
    />
  )
}
