import type { AnswerOf } from '@farebox/client'
import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { Field, Input } from '../../ui/forms/field.tsx'
import { Card, PageHead } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { usePages } from '../../ui/tables/use-pages.ts'
import { ADDRESS, ADDRESS_FAULT, Address, Id } from '../../ui/values/address.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { ActDialog } from './act-dialog.tsx'
import { heads } from './heads.ts'

type Act = AnswerOf<'listAdminActs'>['entries'][number]
type Kind = 'service' | 'wallet'
/** The action to confirm; `confirmText` must be typed first. */
type Asked = {
  readonly kind: Kind
  readonly how: 'suspend' | 'resume'
  readonly target: string
  readonly confirmText: string
}

/** Number of characters of an address to type. */
const ADDRESS_TAIL = 6
const SERVICE = /^[a-z0-9_-]{1,64}$/

const confirmTextOf = (kind: Kind, target: string) =>
  kind === 'wallet' ? target.slice(-ADDRESS_TAIL) : target

/** Suspends and resumes services and wallets. */
export function SuspensionPage() {
  const [asked, ask] = useState<Asked | null>(null)
  // The suspensions in the audit log, which also has the reasons.
  const suspended = usePages(['admin', 'suspended'], (query, signal) =>
    api.listAdminActs({ query: { ...query, inForce: 'true' }, signal }),
  )
  return (
    <>
      <PageHead {...heads['/admin/suspension']} />
      <div className="mb-6 grid gap-6 md:grid-cols-2">
        <SuspendForm
          kind="service"
          label="Tool name or id of the service"
          placeholder="weather"
          shape={SERVICE}
          fault="A tool name or an id, such as weather or svc_01…"
          meaning="It is hidden from the market, its owner cannot change it, and it is not probed."
          onAsk={ask}
        />
        <SuspendForm
          kind="wallet"
          label="Address of the wallet"
          placeholder="0x…"
          shape={ADDRESS}
          fault={ADDRESS_FAULT}
          meaning="Its sessions, credentials and secrets are refused, its services are hidden, and it cannot withdraw."
          onAsk={ask}
        />
      </div>
      <Card title="Suspended now" isFlush>
        <Table
          label="Suspended now"
          columns={columnsFor(ask)}
          rows={suspended.data?.pages.flatMap(({ entries }) => entries)}
          rowKey={({ target }) => target}
          error={suspended.error}
          onRetry={suspended.refetch}
          empty={
            <EmptyState icon={<ShieldCheck />} title="Nothing is suspended">
              Suspended services and wallets appear here.
            </EmptyState>
          }
        />
        <LoadMore list={suspended} />
      </Card>
      {asked !== null && <Carry asked={asked} onClose={() => ask(null)} />}
    </>
  )
}

function SuspendForm(props: {
  kind: Kind
  label: string
  placeholder: string
  shape: RegExp
  fault: string
  meaning: string
  onAsk: (asked: Asked) => void
}) {
  const { kind, label, placeholder, shape, fault, meaning, onAsk } = props
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const target = typed.trim()
    setWrong(!shape.test(target))
    if (shape.test(target)) onAsk({ kind, how: 'suspend', target, confirmText: confirmTextOf(kind, target) })
  }
  return (
    <Card title={kind === 'service' ? 'Suspend a service' : 'Suspend a wallet'}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={label} hint={meaning} error={isWrong ? fault : null}>
          <Input
            spellCheck={false}
            autoComplete="off"
            placeholder={placeholder}
            className="font-mono"
            value={typed}
            onChange={event => {
              setTyped(event.target.value)
              setWrong(false)
            }}
          />
        </Field>
        <Button type="submit" variant="danger" className="self-start" disabled={typed.trim() === ''}>
          Suspend…
        </Button>
      </form>
    </Card>
  )
}

function nameOf({ after, target }: Act): string {
  const { serviceName, agentToolName } = (after ?? {}) as { serviceName?: string; agentToolName?: string }
  return serviceName ?? agentToolName ?? target
}

function columnsFor(ask: (asked: Asked) => void): readonly Column<Act>[] {
  const kindOf = ({ action }: Act): Kind => (action.startsWith('wallet') ? 'wallet' : 'service')
  return [
    {
      id: 'what',
      head: 'Target',
      cell: act => (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Badge>{kindOf(act) === 'wallet' ? 'Wallet' : 'Service'}</Badge>
          {kindOf(act) === 'wallet' ? (
            <Address value={act.target} />
          ) : (
            <>
              <span className="font-medium">{nameOf(act)}</span>
              <span className="max-sm:hidden">
                <Id value={act.target} />
              </span>
            </>
          )}
        </span>
      ),
    },
    {
      id: 'reason',
      head: 'Reason',
      isExtra: true,
      cell: ({ reason }) => reason ?? <span className="text-faint">None given</span>,
    },
    { id: 'by', head: 'By', isExtra: true, cell: ({ actor }) => <Address value={actor} hasCopy={false} /> },
    { id: 'when', head: 'When', isExtra: true, cell: ({ at }) => <TimeAgo iso={at} /> },
    {
      id: 'act',
      head: <span className="sr-only">Act</span>,
      isNumber: true,
      cell: act => (
        <Button
          size="sm"
          onClick={() =>
            ask({
              kind: kindOf(act),
              how: 'resume',
              target: act.target,
              confirmText: kindOf(act) === 'wallet' ? confirmTextOf('wallet', act.target) : nameOf(act),
            })
          }
        >
          Lift
        </Button>
      ),
    },
  ]
}

function Carry({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const { kind, how, target, confirmText } = asked
  const isSuspension = how === 'suspend'
  const acting = useMutation({
    async mutationFn(reason: string | null) {
      const body = reason === null ? null : { reason }
      if (kind === 'wallet') {
        const input = { path: { address: target }, body }
        await (isSuspension ? api.suspendWallet(input) : api.resumeWallet(input))
      } else {
        const input = { path: { id: target }, body }
        await (isSuspension ? api.suspendService(input) : api.resumeService(input))
      }
    },
    async onSuccess() {
      toast.done(isSuspension ? `The ${kind} is suspended.` : `The suspension of the ${kind} was lifted.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  return (
    <ActDialog
      title={isSuspension ? `Suspend this ${kind}?` : `Lift the suspension of this ${kind}?`}
      action={isSuspension ? `Suspend ${kind}` : 'Lift suspension'}
      confirmText={confirmText}
      isDanger={isSuspension}
      reason={{
        isRequired: false,
        label: 'Reason',
        hint: isSuspension ? 'Shown to the owner and stored in the audit log.' : 'Stored in the audit log.',
      }}
      isBusy={acting.isPending}
      error={acting.error}
      onClose={onClose}
      onConfirm={reason => acting.mutate(reason)}
    >
      <p className="break-all">
        <code className="font-mono text-sm text-text">{target}</code>
      </p>
      <p className="mt-2">
        {isSuspension ? 'Every gateway will refuse its calls.' : 'It can be used again as before.'}
      </p>
    </ActDialog>
  )
}
