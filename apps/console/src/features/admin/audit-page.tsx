import type { AnswerOf } from '@farebox/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Sheet } from '../../ui/dialogs/dialog.tsx'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { SearchBox } from '../../ui/forms/search-box.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Card, Facts, PageHead } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { usePages } from '../../ui/tables/use-pages.ts'
import { ADDRESS, Address, ExplorerLink, shorten, WholeAddress } from '../../ui/values/address.tsx'
import { formatTime } from '../../ui/values/format-time.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import type { AuditSearch } from './admin-search.ts'
import { heads } from './heads.ts'

type Act = AnswerOf<'listAdminActs'>['entries'][number]

const acts: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'all', label: 'All actions' },
  { value: 'withdrawal.approve', label: 'Withdrawal approved' },
  { value: 'withdrawal.reject', label: 'Withdrawal rejected' },
  { value: 'service.suspend', label: 'Service suspended' },
  { value: 'service.resume', label: 'Service resumed' },
  { value: 'wallet.suspend', label: 'Wallet suspended' },
  { value: 'wallet.resume', label: 'Wallet resumed' },
  { value: 'support-task.close', label: 'Support task closed' },
  { value: 'vouchers.create', label: 'Vouchers created' },
  { value: 'books.reconcile', label: 'Books checked' },
  { value: 'finding.adopt', label: 'Payment adopted' },
  { value: 'finding.reverse', label: 'Credit reversed' },
  { value: 'fees.withdraw', label: 'Fees withdrawn' },
  { value: 'vault.rebind', label: 'Vault replaced' },
  { value: 'topic.pin', label: 'Topic pinned' },
  { value: 'topic.unpin', label: 'Topic unpinned' },
  { value: 'topic.lock', label: 'Topic locked' },
  { value: 'topic.unlock', label: 'Topic unlocked' },
  { value: 'topic.remove', label: 'Topic removed' },
  { value: 'reply.remove', label: 'Reply removed' },
]
const nameOf = (action: string) => acts.find(({ value }) => value === action)?.label ?? action

/** The log of admin actions, each with the record before and after it. */
export function AuditPage() {
  const search = useSearch({ strict: false }) as AuditSearch
  const { action, target, open } = search
  const navigate = useNavigate()
  const go = (part: {
    action?: string | undefined
    target?: string | undefined
    open?: string | undefined
  }) =>
    navigate({
      to: '/admin/audit' as string,
      search: { ...search, ...part } as never,
      replace: part.open === undefined,
      resetScroll: false,
    })
  const filter = { ...(action !== undefined && { action }), ...(target !== undefined && { target }) }
  const list = usePages(['admin', 'audit', filter], (query, signal) =>
    api.listAdminActs({ query: { ...query, ...filter }, signal }),
  )
  const entries = list.data?.pages.flatMap(page => page.entries)
  const opened = entries?.find(({ id }) => id === open)
  const isNarrowed = action !== undefined || target !== undefined
  return (
    <>
      <PageHead {...heads['/admin/audit']} />
      <Filters search={search} onChange={part => go({ ...part, open: undefined })} />
      <Card isFlush>
        <Table
          label="Audit log"
          columns={columnsFor(id => go({ open: id }))}
          rows={entries}
          rowKey={({ id }) => id}
          onRow={({ id }) => go({ open: id })}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState
              icon={<ScrollText />}
              title={isNarrowed ? 'No matches' : 'No actions yet'}
              action={
                isNarrowed && (
                  <Button onClick={() => go({ action: undefined, target: undefined })}>
                    Show everything
                  </Button>
                )
              }
            >
              {isNarrowed ? 'Enter the complete ID or address.' : 'Every admin action is recorded here.'}
            </EmptyState>
          }
        />
        <LoadMore list={list} />
      </Card>
      {opened !== undefined && <ActSheet act={opened} onClose={() => go({ open: undefined })} />}
    </>
  )
}

function Filters(props: {
  search: AuditSearch
  onChange: (part: { action?: string | undefined; target?: string | undefined }) => void
}) {
  const { search, onChange } = props
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchBox
        label="ID or address of the target"
        placeholder="ID or address"
        value={search.target ?? ''}
        onChange={text => onChange({ target: text.trim() === '' ? undefined : text.trim() })}
      />
      <Select
        label="Act"
        className="w-52"
        options={acts}
        value={search.action ?? 'all'}
        onChange={value => onChange({ action: value === 'all' ? undefined : value })}
      />
    </div>
  )
}

function columnsFor(open: (id: string) => void): readonly Column<Act>[] {
  return [
    {
      id: 'action',
      head: 'Act',
      cell: ({ id, action, at }) => (
        <span className="flex flex-col">
          <button
            type="button"
            className="w-fit rounded text-left font-medium hover:underline"
            onClick={event => {
              event.stopPropagation()
              open(id)
            }}
          >
            {nameOf(action)}
          </button>
          <span className="text-xs text-faint md:hidden">
            <TimeAgo iso={at} />
          </span>
        </span>
      ),
    },
    {
      id: 'target',
      head: 'To',
      cell: ({ target }) => (
        <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
          <code className="font-mono text-xs" title={target}>
            {shorten(target, 10, 6)}
          </code>
          <ExplorerLink value={target} />
        </span>
      ),
    },
    { id: 'by', head: 'By', isExtra: true, cell: ({ actor }) => <Address value={actor} hasCopy={false} /> },
    {
      id: 'reason',
      head: 'Reason',
      isExtra: true,
      className: 'max-w-64',
      cell: ({ reason }) =>
        reason === null ? (
          <span className="text-faint">–</span>
        ) : (
          <span className="line-clamp-2 break-words">{reason}</span>
        ),
    },
    { id: 'when', head: 'When', isExtra: true, cell: ({ at }) => <TimeAgo iso={at} /> },
  ]
}

function ActSheet({ act, onClose }: { act: Act; onClose: () => void }) {
  const { action, target, actor, at, reason, before, after } = act
  const records = [
    { label: 'After', code: after },
    { label: 'Before', code: before },
  ].filter(({ code }) => code !== null && code !== undefined)
  return (
    <Sheet open onClose={onClose} title={nameOf(action)}>
      <div className="flex flex-col gap-5">
        <Facts
          items={[
            [
              'To',
              ADDRESS.test(target) ? (
                <WholeAddress key="to" value={target} />
              ) : (
                <code key="to" className="font-mono text-sm break-all">
                  {target}
                </code>
              ),
            ],
            ['By', <Address key="by" value={actor} />],
            ['When', formatTime(at)],
            ['Reason', reason ?? '–'],
          ]}
        />
        {records.length > 0 && (
          <CodeBlock
            label="The record"
            snippets={records.map(({ label, code }) => ({ label, code: JSON.stringify(code, null, 2) }))}
          />
        )}
      </div>
    </Sheet>
  )
}
