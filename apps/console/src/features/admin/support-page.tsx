import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { LifeBuoy } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Sheet } from '../../ui/dialogs/dialog.tsx'
import { Failed } from '../../ui/feedback/failed.tsx'
import { EmptyState, ErrorState } from '../../ui/feedback/states.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { useDraft } from '../../ui/forms/draft.ts'
import { Field, Textarea } from '../../ui/forms/field.tsx'
import { Card, Facts, PageHead } from '../../ui/layout/page.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { usePages } from '../../ui/tables/use-pages.ts'
import { Address } from '../../ui/values/address.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import type { SupportSearch } from './admin-search.ts'
import { heads } from './heads.ts'

type Task = AnswerOf<'listSupportTasks'>['tasks'][number]

const NOTE_LENGTH_MAX = 2_000
const kinds: Record<Task['category'], string> = {
  bug: 'Bug',
  billing: 'Billing',
  account: 'Account',
  abuse: 'Abuse',
}
const shown = [
  { value: 'open', label: 'Open' },
  { value: 'closed', label: 'Closed' },
] as const

/** Support tasks made from reports. */
export function SupportPage() {
  const { status = 'open', open } = useSearch({ strict: false }) as Omit<SupportSearch, 'status'> & {
    status?: 'open' | 'closed'
  }
  const navigate = useNavigate()
  const go = (search: { status: 'open' | 'closed'; open?: string }) =>
    navigate({
      to: '/admin/support' as string,
      search: {
        ...(search.status === 'closed' && { status: 'closed' }),
        ...(search.open !== undefined && { open: search.open }),
      } as never,
      replace: search.open === undefined,
      resetScroll: false,
    })
  const list = usePages(['admin', 'support', status], (query, signal) =>
    api.listSupportTasks({
      // Of a queue, the oldest first: nobody waits behind those who came later.
      query: { ...query, status, order: status === 'open' ? 'oldest' : 'newest' },
      signal,
    }),
  )
  const tasks = list.data?.pages.flatMap(page => page.tasks)
  return (
    <>
      <PageHead
        {...heads['/admin/support']}
        actions={
          <Segments label="Show" options={shown} value={status} onChange={value => go({ status: value })} />
        }
      />
      <Card isFlush>
        <Table
          label="Support tasks"
          columns={columnsFor(taskId => go({ status, open: taskId }))}
          rows={tasks}
          rowKey={({ taskId }) => taskId}
          onRow={({ taskId }) => go({ status, open: taskId })}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState icon={<LifeBuoy />} title={status === 'open' ? 'No open tasks' : 'No closed tasks'}>
              {status === 'open'
                ? 'Reports sent with the feedback button appear here.'
                : 'Closed tasks appear here, with their notes.'}
            </EmptyState>
          }
        />
        <LoadMore list={list} />
      </Card>
      {open !== undefined && <Opened id={open} listed={tasks} onClose={() => go({ status })} />}
    </>
  )
}

/** The task of the address; one that is not on the pages read so far is read by itself. */
function Opened(props: {
  id: string
  /** Undefined while they load. */
  listed: readonly Task[] | undefined
  onClose: () => void
}) {
  const { id, listed, onClose } = props
  const shown = listed?.find(({ taskId }) => taskId === id)
  const { data, error, refetch } = useQuery({
    queryKey: ['admin', 'support-task', id],
    queryFn: ({ signal }) => api.readSupportTask({ path: { taskId: id }, signal }),
    enabled: listed !== undefined && shown === undefined,
  })
  const task = shown ?? data?.task
  if (task !== undefined) return <TaskSheet task={task} onClose={onClose} />
  if (error === null) return null
  return (
    <Sheet open onClose={onClose} title="Report">
      {error instanceof GatewayError && error.code === 'SUPPORT_TASK_NOT_FOUND' ? (
        <EmptyState icon={<LifeBuoy />} title="Unknown task">
          The address may be mistyped.
        </EmptyState>
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </Sheet>
  )
}

function columnsFor(open: (taskId: string) => void): readonly Column<Task>[] {
  return [
    {
      id: 'title',
      head: 'Report',
      className: 'max-w-0 w-2/3',
      cell: ({ taskId, message }) => (
        <button
          type="button"
          className="block max-w-full truncate rounded text-left text-base hover:underline"
          onClick={event => {
            event.stopPropagation()
            open(taskId)
          }}
        >
          {message}
        </button>
      ),
    },
    {
      id: 'kind',
      head: 'About',
      cell: ({ category }) => (
        <Badge tone={category === 'abuse' ? 'bad' : category === 'billing' ? 'warn' : 'neutral'}>
          {kinds[category]}
        </Badge>
      ),
    },
    {
      id: 'who',
      head: 'From',
      isExtra: true,
      cell: ({ walletAddress }) =>
        walletAddress === null ? (
          <span className="text-faint">Not signed in</span>
        ) : (
          <Address value={walletAddress} />
        ),
    },
    { id: 'when', head: 'When', isExtra: true, cell: ({ createdAt }) => <TimeAgo iso={createdAt} /> },
  ]
}

function TaskSheet({ task, onClose }: { task: Task; onClose: () => void }) {
  const { message, category, walletAddress, createdAt, report, topicId, status } = task
  return (
    <Sheet open onClose={onClose} title={`Report: ${kinds[category].toLowerCase()}`}>
      <div className="flex flex-col gap-5">
        <p className="break-words whitespace-pre-line">{message}</p>
        <Facts
          items={[
            ['About', kinds[category]],
            [
              'From',
              walletAddress === null ? 'someone not signed in' : <Address key="who" value={walletAddress} />,
            ],
            ['When', <TimeAgo key="when" iso={createdAt} />],
          ]}
        />
        <CodeBlock
          label="Report"
          snippets={[{ label: 'Attached details', code: JSON.stringify(report, null, 2) }]}
        />
        <Link to="/forum/$id" params={{ id: topicId }} className={buttonClass({ className: 'self-start' })}>
          Reply in its topic
        </Link>
        {status === 'open' ? <CloseForm task={task} onDone={onClose} /> : <Closed task={task} />}
      </div>
    </Sheet>
  )
}

function CloseForm({ task: { taskId }, onDone }: { task: Task; onDone: () => void }) {
  const [note, write, drop] = useDraft(`support.${taskId}`)
  const [isMissing, setMissing] = useState(false)
  const closing = useMutation({
    mutationFn: () => api.closeSupportTask({ path: { taskId }, body: { note: note.trim() } }),
    async onSuccess() {
      drop()
      toast.done('The task was closed and its topic locked.')
      onDone()
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (note.trim() === '') setMissing(true)
    else closing.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 border-t pt-4">
      <Field
        label="Resolution"
        hint="Stored with the task. Closing the task locks its topic."
        error={isMissing ? 'Enter a resolution.' : null}
      >
        <Textarea
          maxLength={NOTE_LENGTH_MAX}
          value={note}
          onChange={event => {
            write(event.target.value)
            setMissing(false)
          }}
        />
      </Field>
      <Failed error={closing.error} />
      <Button type="submit" variant="primary" className="self-end" isBusy={closing.isPending}>
        Close task
      </Button>
    </form>
  )
}

function Closed({ task: { note, closedBy, closedAt } }: { task: Task }) {
  return (
    <div className="border-t pt-4">
      <p className="break-words whitespace-pre-line">{note}</p>
      <p className="mt-2 text-sm text-muted">
        Closed {closedAt !== null && <TimeAgo iso={closedAt} />} by{' '}
        {closedBy === null ? 'an admin' : <Address value={closedBy} />}
      </p>
    </div>
  )
}
