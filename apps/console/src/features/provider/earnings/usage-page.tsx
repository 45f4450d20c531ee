import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { EmptyState, ErrorState } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { Id } from '../../../ui/values/address.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { useOwnServices } from '../queries.ts'
import { storeTabSecret, type TabSecret, useTabSecret } from '../secrets/tab-secret.ts'
import { ReportDialog } from './report-dialog.tsx'

type Call = AnswerOf<'listProviderInvocations'>['invocations'][number]

const POLL_INTERVAL_MS = 5_000
const LISTED = 50

/** Calls waiting for usage, which can be reported here before the hold is released. */
export function UsagePage() {
  const secret = useTabSecret()
  return (
    <>
      <PageHead
        title="Late usage"
        description="A call of a model that ended without usage data, streamed or not, waits 15 minutes for your report. Without a report, its hold is released to the caller."
        actions={
          secret !== null && (
            <Button variant="ghost" onClick={() => storeTabSecret(null)}>
              Remove {secret.name}
            </Button>
          )
        }
      />
      {secret === null ? <AskForSecret /> : <Waiting key={secret.secretKey} secret={secret} />}
    </>
  )
}

const SHAPE = /^psk_[0-9A-Za-z]{49}$/

/** Asks for the provider secret that lists these calls: creates one for this tab, or takes an existing one. */
function AskForSecret() {
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const making = useMutation({
    mutationFn: () => api.issueProviderSecret({ body: { name: 'Console' } }),
    async onSuccess({ secret }) {
      storeTabSecret({ id: secret.id, name: secret.name, secretKey: secret.secretKey })
      await queryClient.invalidateQueries({ queryKey: ['secrets'] })
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    const secretKey = typed.trim()
    if (!SHAPE.test(secretKey)) setFault('A provider secret starts with psk_ and has 53 characters.')
    else storeTabSecret({ id: null, name: `${secretKey.slice(0, 8)}…`, secretKey })
  }
  return (
    <Card>
      <div className="mx-auto flex max-w-md flex-col items-center gap-2 py-8 text-center">
        <KeyRound aria-hidden className="mb-1 size-7 text-faint" />
        <p className="text-lg font-medium">Enter a provider secret</p>
        <p className="text-muted">
          Reports charge callers and therefore require a secret. It is kept in this tab until you close it.
        </p>
        <Button variant="primary" className="mt-3" isBusy={making.isPending} onClick={() => making.mutate()}>
          Create one for this tab
        </Button>
        <Failed error={making.error} className="w-full" />
        <form
          noValidate
          onSubmit={submit}
          className="mt-6 flex w-full flex-col gap-3 border-t pt-6 text-left"
        >
          <Field label="Or use an existing one" error={fault}>
            <Input
              type="password"
              value={typed}
              placeholder="psk_…"
              autoComplete="off"
              onChange={({ target }) => {
                setTyped(target.value)
                setFault(undefined)
              }}
            />
          </Field>
          <Button type="submit" className="self-end" disabled={typed.trim() === ''}>
            Use secret
          </Button>
        </form>
      </div>
    </Card>
  )
}

function Waiting({ secret }: { secret: TabSecret }) {
  const { secretKey } = secret
  const [chosen, choose] = useState<Call | null>(null)
  const { waiting, recent } = useInvocations(secretKey)
  const nameOf = useServiceNames()
  const isRefused =
    waiting.error instanceof GatewayError && /PROVIDER_SECRET_INVALID|UNAUTHORIZED/.test(waiting.error.code)
  if (isRefused)
    return (
      <Card>
        <ErrorState
          error={waiting.error}
          title="This secret was rejected"
          onRetry={() => storeTabSecret(null)}
        />
      </Card>
    )
  return (
    <div className="flex flex-col gap-5">
      <Card title="Waiting for your report" isFlush>
        <Table
          label="Calls waiting for usage"
          columns={waitingColumns(nameOf, choose)}
          rows={waiting.data?.invocations}
          rowKey={({ invocationId }) => invocationId}
          error={waiting.error}
          onRetry={waiting.refetch}
          empty={
            <EmptyState icon={<CircleCheck />} title="No calls are waiting">
              Every call of your services has reported its usage.
            </EmptyState>
          }
        />
      </Card>
      <Card title="Recent calls" isFlush>
        <Table
          label="Recent calls"
          columns={recentColumns(nameOf)}
          rows={recent.data?.invocations}
          rowKey={({ invocationId }) => invocationId}
          error={recent.error}
          onRetry={recent.refetch}
          empty="No calls yet."
        />
      </Card>
      {chosen !== null && (
        <ReportDialog
          call={chosen}
          serviceName={nameOf(chosen.serviceId)}
          secretKey={secretKey}
          onClose={() => choose(null)}
          onReported={async charged => {
            choose(null)
            toast.done(`Reported: ${charged} USDC charged.`)
            await queryClient.invalidateQueries({ queryKey: ['late-usage'] })
            await queryClient.invalidateQueries({ queryKey: ['earnings'] })
          }}
        />
      )}
    </div>
  )
}

/** The calls that wait for their usage, and the newest ones. */
function useInvocations(secretKey: string) {
  const waiting = useQuery({
    queryKey: ['late-usage', secretKey, 'waiting'],
    queryFn: ({ signal }) =>
      api.listProviderInvocations({
        query: { status: 'PROCESSING', limit: LISTED },
        providerSecret: secretKey,
        signal,
      }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const recent = useQuery({
    queryKey: ['late-usage', secretKey, 'recent'],
    queryFn: ({ signal }) =>
      api.listProviderInvocations({ query: { limit: LISTED }, providerSecret: secretKey, signal }),
    refetchInterval: POLL_INTERVAL_MS * 2,
  })
  return { waiting, recent }
}

function useServiceNames(): (id: string) => string {
  const list = useOwnServices()
  const services = list.data?.pages.flatMap(page => page.services) ?? []
  const names = new Map(services.map(({ serviceId, serviceName }) => [serviceId, serviceName]))
  return id => names.get(id) ?? id
}

const reasons: Readonly<Record<string, string>> = {
  usage_missing: 'Ended without usage',
  stream_cut: 'Stream cut off',
  timeout: 'Timed out',
  too_large: 'Response too large',
  reset: 'Connection closed',
}

function waitingColumns(
  nameOf: (id: string) => string,
  report: (call: Call) => void,
): readonly Column<Call>[] {
  return [
    {
      id: 'call',
      head: 'Call',
      isName: true,
      cell: ({ invocationId, serviceId }) => (
        <span className="flex flex-col">
          <span className="font-medium">{nameOf(serviceId)}</span>
          <Id value={invocationId} />
        </span>
      ),
    },
    {
      id: 'why',
      head: 'Cause',
      isExtra: true,
      cell: ({ processingReason }) =>
        processingReason === null ? '' : (reasons[processingReason] ?? processingReason.replaceAll('_', ' ')),
    },
    {
      id: 'held',
      head: 'Maximum',
      isExtra: true,
      amount: ({ holdUsdc }) => holdUsdc,
    },
    {
      id: 'until',
      head: 'Due',
      cell: ({ reportUsageBy }) => reportUsageBy !== null && <TimeAgo iso={reportUsageBy} />,
    },
    {
      id: 'report',
      head: <span className="sr-only">Report</span>,
      isNumber: true,
      cell: call => (
        <Button size="sm" onClick={() => report(call)}>
          Report usage
        </Button>
      ),
    },
  ]
}

const statusLabels: Readonly<Record<Call['status'], string>> = {
  PENDING: 'Running',
  SUCCEEDED: 'Paid',
  FAILED_RETRYABLE: 'Failed',
  FAILED_FINAL: 'Failed',
  PROCESSING: 'Awaiting usage',
}

function recentColumns(nameOf: (id: string) => string): readonly Column<Call>[] {
  return [
    {
      id: 'call',
      head: 'Call',
      isName: true,
      cell: ({ invocationId, serviceId }) => (
        <span className="flex flex-col">
          <span>{nameOf(serviceId)}</span>
          <Id value={invocationId} />
        </span>
      ),
    },
    { id: 'status', head: 'Status', cell: ({ status }) => statusLabels[status] },
    {
      id: 'usage',
      head: 'Tokens in, out',
      isNumber: true,
      isExtra: true,
      cell: ({ usage }) =>
        usage === null ? '–' : `${formatCount(usage.inputTokens)}, ${formatCount(usage.outputTokens)}`,
    },
    {
      id: 'charged',
      head: 'Charged',
      amount: ({ chargedUsdc }) => chargedUsdc,
    },
    {
      id: 'fee',
      head: 'Fee',
      isExtra: true,
      amount: ({ feeUsdc }) => feeUsdc,
    },
    { id: 'at', head: 'When', isExtra: true, cell: ({ startedAt }) => <TimeAgo iso={startedAt} /> },
  ]
}
