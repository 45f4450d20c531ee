import type { AnswerOf } from '@farebox/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowBigUp, Lock, MessageSquare, MessagesSquare, PenLine, Pin } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useSession } from '../../session/session.ts'
import { requestSignIn } from '../../session/sign-in-request.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { SearchBox } from '../../ui/forms/search-box.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { Pagination } from '../../ui/tables/pagination.tsx'
import { AuthorName } from '../../ui/values/author-name.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { type Category, categories, type ForumSearch, nameOf } from './forum-search.ts'
import { NewTopicDialog } from './new-topic-dialog.tsx'

type Topic = AnswerOf<'listTopics'>['topics'][number]

const PAGE_SIZE = 20
const boards = [
  { value: 'all', label: 'All boards' },
  ...categories.map(value => ({ value, label: nameOf(value) })),
] as const
const sorts = [
  { value: 'latest', label: 'Latest' },
  { value: 'top', label: 'Top' },
] as const

/** The list of topics. */
export function ForumPage() {
  const search = useSearch({ from: '/forum' })
  const navigate = useNavigate({ from: '/forum' })
  const session = useSession()
  const [isWriting, setWriting] = useState(false)
  const { q, page = 1 } = search
  const look = (change: Partial<ForumSearch>) =>
    navigate({ to: '/forum', search: { ...search, page: undefined, ...change }, replace: true })
  const topics = useQuery({
    queryKey: ['forum', 'topics', search, session?.address],
    queryFn: ({ signal }) => api.listTopics({ query: { ...search, pageSize: PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
  })
  const total = topics.data?.pagination.total ?? 0
  const write = async () => {
    if (session !== null || (await requestSignIn()) !== null) setWriting(true)
  }
  const newTopic = (
    <Button variant="primary" icon={<PenLine aria-hidden className="size-4" />} onClick={write}>
      New topic
    </Button>
  )
  return (
    <div className="py-8">
      <PageHead
        title="Forum"
        description="Where owners, providers and operators help each other."
        actions={newTopic}
      />
      <Filters search={search} onChange={look} />
      {topics.data === undefined && topics.error !== null ? (
        <ErrorState error={topics.error} onRetry={topics.refetch} />
      ) : (
        <div className="overflow-hidden rounded-lg border bg-raised">
          {topics.data === undefined && <Waiting />}
          {topics.data?.topics.length === 0 &&
            (total > 0 ? (
              <EmptyState
                icon={<MessagesSquare />}
                title="No more topics"
                action={<Button onClick={() => look({})}>First page</Button>}
              />
            ) : (
              <EmptyState icon={<MessagesSquare />} title="No topics yet" action={newTopic}>
                {q === undefined ? 'Start the first topic on this board.' : 'No topic contains these words.'}
              </EmptyState>
            ))}
          <ul aria-label="Topics" className="divide-y">
            {topics.data?.topics.map(topic => (
              <TopicRow key={topic.topicId} topic={topic} />
            ))}
          </ul>
        </div>
      )}
      {total > PAGE_SIZE && (
        <Pagination
          noun="topics"
          page={page}
          pageSize={PAGE_SIZE}
          total={total}
          onChange={next => navigate({ to: '/forum', search: { ...search, page: next } })}
        />
      )}
      {isWriting && <NewTopicDialog onClose={() => setWriting(false)} />}
    </div>
  )
}

function Filters(props: { search: ForumSearch; onChange: (change: Partial<ForumSearch>) => void }) {
  const { search, onChange } = props
  const { q, category, sort = 'latest' } = search
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <SearchBox
        label="Search topics"
        value={q ?? ''}
        onChange={text => onChange({ q: text === '' ? undefined : text })}
      />
      <Segments label="Order" options={sorts} value={sort} onChange={value => onChange({ sort: value })} />
      <Select
        label="Board"
        size="sm"
        className="w-40"
        options={boards}
        value={category ?? 'all'}
        onChange={value => onChange({ category: value === 'all' ? undefined : (value as Category) })}
      />
    </div>
  )
}

function TopicRow({ topic }: { topic: Topic }) {
  return (
    <li className="relative flex items-start gap-4 px-4 py-3 transition-colors hover:bg-hover">
      <span
        title={`${topic.voteCount} votes`}
        className="mt-0.5 flex w-10 shrink-0 flex-col items-center rounded-md border py-1 text-sm text-muted tabular"
      >
        <ArrowBigUp aria-hidden className="size-4" />
        {topic.voteCount}
        <span className="sr-only">votes</span>
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {topic.pinned && <Pin aria-label="Pinned" className="size-4 text-accent" />}
          {topic.locked && <Lock aria-label="Locked" className="size-4 text-faint" />}
          <Link
            to="/forum/$id"
            params={{ id: topic.topicId }}
            className="min-w-0 font-medium break-words after:absolute after:inset-0"
          >
            {topic.title}
          </Link>
          <Badge>{nameOf(topic.category)}</Badge>
        </p>
        <p className="mt-0.5 line-clamp-2 text-sm text-muted">{topic.excerpt}</p>
        <p className="mt-1 flex flex-wrap gap-x-3 text-sm text-faint">
          <span className="flex items-center gap-1.5">
            <AuthorName author={topic.author} />
          </span>
          <TimeAgo iso={topic.lastActivityAt} />
          <span className="flex items-center gap-1">
            <MessageSquare aria-hidden className="size-3.5" />
            {topic.replyCount} {topic.replyCount === 1 ? 'reply' : 'replies'}
          </span>
        </p>
      </div>
    </li>
  )
}

function Waiting() {
  return Array.from({ length: 4 }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <div key={index} className="flex h-24 gap-4 border-b px-4 py-3 last:border-b-0">
      <Skeleton className="h-12 w-10" />
      <div className="flex-1">
        <Skeleton className="h-4 w-2/5" />
        <Skeleton className="mt-2.5 h-3 w-4/5" />
      </div>
    </div>
  ))
}
