import type { AnswerOf } from '@farebox/client'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Ellipsis, Lock, LockOpen, MessagesSquare, Pin, PinOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialogs/dialog.tsx'
import { describeError, EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { SearchBox } from '../../ui/forms/search-box.tsx'
import { Card, PageHead } from '../../ui/layout/page.tsx'
import { Menu } from '../../ui/menu.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { AuthorName } from '../../ui/values/author-name.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { ActDialog } from './act-dialog.tsx'
import type { TopicsSearch } from './admin-search.ts'
import { heads } from './heads.ts'

type Topic = AnswerOf<'listTopics'>['topics'][number]
type Reply = AnswerOf<'readTopic'>['replies'][number]
type Removed = { readonly kind: 'topic' | 'reply'; readonly id: string; readonly title: string }

const SHOWN = 50
const REPLIES_SHOWN = 100
const REMOVE_TEXT = 'remove'

/** Moderation of the forum. */
export function ModerationPage() {
  const search = useSearch({ strict: false }) as TopicsSearch
  const { q, open } = search
  const navigate = useNavigate()
  const go = (part: { q?: string | undefined; open?: string | undefined }) =>
    navigate({
      to: '/admin/forum' as string,
      search: { ...search, ...part } as never,
      replace: part.open === undefined,
      resetScroll: false,
    })
  const [removed, remove] = useState<Removed | null>(null)
  const list = useQuery({
    queryKey: ['forum', 'moderated', q ?? ''],
    queryFn: ({ signal }) =>
      api.listTopics({ query: { pageSize: SHOWN, ...(q !== undefined && { q }) }, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead {...heads['/admin/forum']} />
      <div className="mb-3 flex">
        <SearchBox
          label="Search topics"
          value={q ?? ''}
          onChange={text => go({ q: text === '' ? undefined : text })}
        />
      </div>
      <Card isFlush>
        <Table
          label="Topics"
          columns={columnsFor(remove, topicId => go({ open: topicId }))}
          rows={list.data?.topics}
          rowKey={({ topicId }) => topicId}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState icon={<MessagesSquare />} title={q === undefined ? 'No topics yet' : 'No matches'}>
              {q === undefined ? 'Forum topics appear here.' : 'Try fewer words.'}
            </EmptyState>
          }
        />
      </Card>
      {open !== undefined && (
        <RepliesSheet topicId={open} onRemove={remove} onClose={() => go({ open: undefined })} />
      )}
      {removed !== null && (
        <RemoveDialog
          removed={removed}
          onClose={() => remove(null)}
          onDone={() => {
            if (removed.kind === 'topic') go({ open: undefined })
          }}
        />
      )}
    </>
  )
}

function columnsFor(
  remove: (removed: Removed) => void,
  open: (topicId: string) => void,
): readonly Column<Topic>[] {
  return [
    {
      id: 'topic',
      head: 'Topic',
      className: 'max-w-0 w-2/3',
      cell: ({ topicId, title, excerpt, pinned, locked }) => (
        <div className="min-w-0">
          <p className="flex items-center gap-2">
            <Link
              to="/forum/$id"
              params={{ id: topicId }}
              className="truncate rounded text-base font-medium hover:underline"
            >
              {title}
            </Link>
            {pinned && <Badge tone="info">Pinned</Badge>}
            {locked && <Badge tone="warn">Locked</Badge>}
          </p>
          <p className="truncate text-muted">{excerpt}</p>
        </div>
      ),
    },
    {
      id: 'by',
      head: 'By',
      isExtra: true,
      cell: ({ author }) => (
        <span className="whitespace-nowrap">
          <AuthorName author={author} />
        </span>
      ),
    },
    {
      id: 'when',
      head: 'Last reply',
      isExtra: true,
      cell: ({ lastActivityAt }) => <TimeAgo iso={lastActivityAt} />,
    },
    {
      id: 'replies',
      head: 'Replies',
      isNumber: true,
      isExtra: true,
      cell: ({ topicId, replyCount }) => (
        <Button size="sm" variant="ghost" disabled={replyCount === 0} onClick={() => open(topicId)}>
          {replyCount}
        </Button>
      ),
    },
    {
      id: 'acts',
      head: <span className="sr-only">Acts</span>,
      isNumber: true,
      cell: topic => <Acts topic={topic} onRemove={remove} onOpen={open} />,
    },
  ]
}

function Acts(props: {
  topic: Topic
  onRemove: (removed: Removed) => void
  onOpen: (topicId: string) => void
}) {
  const { topic, onRemove, onOpen } = props
  const { topicId, pinned, locked, title, replyCount } = topic
  const acting = useMutation({
    async mutationFn(act: 'pinTopic' | 'unpinTopic' | 'lockTopic' | 'unlockTopic') {
      await api[act]({ path: { topicId } })
      await queryClient.invalidateQueries({ queryKey: ['forum'] })
    },
    onError: error => toast.failed(describeError(error)),
  })
  return (
    <Menu
      label={`Actions for ${title}`}
      trigger={
        <IconButton label={`Action for ${title}`} disabled={acting.isPending}>
          <Ellipsis />
        </IconButton>
      }
      items={[
        pinned
          ? { label: 'Unpin', icon: <PinOff />, onSelect: () => acting.mutate('unpinTopic') }
          : { label: 'Pin', icon: <Pin />, onSelect: () => acting.mutate('pinTopic') },
        locked
          ? { label: 'Unlock', icon: <LockOpen />, onSelect: () => acting.mutate('unlockTopic') }
          : { label: 'Lock', icon: <Lock />, onSelect: () => acting.mutate('lockTopic') },
        {
          label: 'Replies',
          icon: <MessagesSquare />,
          disabled: replyCount === 0,
          onSelect: () => onOpen(topicId),
        },
        'separator',
        {
          label: 'Remove',
          icon: <Trash2 />,
          isDanger: true,
          onSelect: () => onRemove({ kind: 'topic', id: topicId, title }),
        },
      ]}
    />
  )
}

function RepliesSheet(props: { topicId: string; onRemove: (removed: Removed) => void; onClose: () => void }) {
  const { topicId, onRemove, onClose } = props
  const read = useQuery({
    queryKey: ['forum', 'moderated', 'replies', topicId],
    queryFn: ({ signal }) => api.readTopic({ path: { topicId }, query: { limit: REPLIES_SHOWN }, signal }),
  })
  return (
    <Sheet open onClose={onClose} title={read.data?.topic.title ?? 'Replies'}>
      {read.data === undefined ? (
        read.error === null ? (
          <Skeleton className="h-40" />
        ) : (
          <ErrorState error={read.error} onRetry={read.refetch} />
        )
      ) : (
        <ul aria-label="Replies" className="divide-y">
          {read.data.replies.length === 0 && <li className="text-muted">No replies yet.</li>}
          {read.data.replies.map(reply => (
            <ReplyRow key={reply.replyId} reply={reply} onRemove={onRemove} />
          ))}
        </ul>
      )}
    </Sheet>
  )
}

function ReplyRow({ reply, onRemove }: { reply: Reply; onRemove: (removed: Removed) => void }) {
  const { replyId, author, body, createdAt } = reply
  return (
    <li className="flex items-start justify-between gap-4 py-3">
      <div className="min-w-0">
        <p className="text-sm text-muted">
          <AuthorName author={author} /> · <TimeAgo iso={createdAt} />
        </p>
        <p className="mt-1 break-words whitespace-pre-line">{body}</p>
      </div>
      <Button
        size="sm"
        variant="danger"
        onClick={() => onRemove({ kind: 'reply', id: replyId, title: body.slice(0, 120) })}
      >
        Remove
      </Button>
    </li>
  )
}

function RemoveDialog(props: { removed: Removed; onClose: () => void; onDone: () => void }) {
  const { removed, onClose, onDone } = props
  const { kind, id, title } = removed
  const removing = useMutation({
    async mutationFn() {
      await (kind === 'topic'
        ? api.removeTopic({ path: { topicId: id } })
        : api.removeReply({ path: { replyId: id } }))
    },
    async onSuccess() {
      toast.done(kind === 'topic' ? 'The topic was removed.' : 'The reply was removed.')
      onClose()
      onDone()
      await queryClient.invalidateQueries({ queryKey: ['forum'] })
    },
  })
  return (
    <ActDialog
      title={kind === 'topic' ? 'Remove this topic?' : 'Remove this reply?'}
      action={kind === 'topic' ? 'Remove topic' : 'Remove reply'}
      confirmText={REMOVE_TEXT}
      reason={null}
      isBusy={removing.isPending}
      error={removing.error}
      onClose={onClose}
      onConfirm={() => removing.mutate()}
    >
      <p className="break-words text-text">“{title}”</p>
      <p className="mt-2">It will be hidden from everyone. This cannot be undone here.</p>
    </ActDialog>
  )
}
