import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/layout/page.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { useNames } from '../use-names.ts'
import type { Activity } from './activity-search.ts'

export type Refusal = Activity['refusals'][number]

/** Link to the page that raises a limit. */
type Remedy = { readonly to: string; readonly action: string; readonly isOfCredential?: true }

const ofCredential: Remedy = { to: '/app/credentials', action: 'Raise the limit', isOfCredential: true }
const ofPolicy: Remedy = { to: '/app/policy', action: 'Raise the limit' }

const limits: Readonly<Record<string, readonly [label: string, remedy?: Remedy]>> = {
  rpm: ['Calls per minute of the credential', ofCredential],
  credential_calls: ['Total calls of the credential', ofCredential],
  credential_credit: ['Credit limit of the credential', ofCredential],
  credential_per_call: ['Cost per call of the credential', ofCredential],
  policy_per_call: ['Spending policy, per call', ofPolicy],
  policy_daily: ['Spending policy, per day', ofPolicy],
  policy_monthly: ['Spending policy, per month', ofPolicy],
  owner_balance: ['Balance', { to: '/app/deposit', action: 'Deposit' }],
  calls_in_flight: ['Concurrent calls'],
  open_streams: ['Concurrent streams'],
}
const codes: Readonly<Record<string, readonly [label: string, remedy?: Remedy]>> = {
  SERVICE_NOT_ALLOWED: ['Service not allowed', { ...ofCredential, action: 'Change services' }],
  SERVICE_NOT_FOUND: ['Service not found', { to: '/market', action: 'Find services' }],
  IDEMPOTENCY_CONFLICT: ['Key used with another request'],
  PRICE_MISMATCH: ['Price mismatch'],
  LLM_AUTO_HOLD_LIMIT_EXCEEDED: ['Automatic hold limit of the model'],
  LIMIT_EXCEEDED: ['Maximum cost set by the call'],
  INVALID_REQUEST: ['Invalid request'],
  INVALID_PAYLOAD: ['Invalid payload'],
}

/** Calls that were refused in the period: by which limit, of which credential, and where it is raised. */
export function RefusalsCard({ refusals }: { refusals: readonly Refusal[] }) {
  const names = useNames()
  const columns: readonly Column<Refusal>[] = [
    {
      id: 'limit',
      head: 'Refused by',
      cell: refusal => (
        <span className="flex min-w-0 flex-col items-start">
          <span className="font-medium">{reasonOf(refusal)[0]}</span>
          <span className="font-mono text-2xs break-all text-faint">{refusal.code}</span>
          <Raise refusal={refusal} />
        </span>
      ),
    },
    {
      id: 'credential',
      head: 'Credential',
      isExtra: true,
      cell: ({ credentialId }) => names.credential(credentialId),
    },
    { id: 'calls', head: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
    { id: 'last', head: 'Last', isExtra: true, cell: ({ lastAt }) => <TimeAgo iso={lastAt} /> },
  ]
  return (
    <Card isFlush title="Refused calls">
      <Table
        label="Refused calls"
        columns={columns}
        rows={refusals}
        rowKey={({ credentialId, code, limit }) => `${credentialId} ${code} ${limit}`}
        empty="No calls were refused in this period."
      />
    </Card>
  )
}

/** Returns which limit refused calls, and where it is raised. */
export function reasonOf({ code, limit }: Refusal): readonly [label: string, remedy?: Remedy] {
  return limits[limit ?? ''] ?? codes[code] ?? [code]
}

function Raise({ refusal }: { refusal: Refusal }) {
  const [, remedy] = reasonOf(refusal)
  if (remedy === undefined) return null
  return (
    <Link
      to={remedy.to}
      {...(remedy.isOfCredential && { search: { open: refusal.credentialId } as never })}
      className="rounded font-medium whitespace-nowrap text-accent hover:underline"
    >
      {remedy.action}
    </Link>
  )
}
