import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowBigUp, Lock, MessagesSquare } from 'lucide-react'
import { type FormEvent, memo } from 'react'
import { api, refreshQueries } from '../../api.ts'
import { currentSession, useSession } from '../../session/session.ts'
import { requestSignIn } from '../../session/sign-in-request.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Failed } from '../../ui/feedback/failed.tsx'
import { describeError, EmptyState, ErrorState, Notice, Skeleton } from '../../ui/feedback/states.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { useDraft } from '../../ui/forms/draft.ts'
import { Field, Textarea } from '../../ui/forms/field.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { usePages } from '../../ui/tables/use-pages.ts'
import { type Author, AuthorName } from '../../ui/values/author-name.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { nameOf } from './forum-search.ts'

type Topic = AnswerOf<'readTopic'>['topic']
type Reply = AnswerOf<'readTopic'>['replies'][number]

const BODY_LENGTH_MAX = 20_000

/** A topic with its replies, oldest first. */
export function TopicPage() {
  const { id } = useParams({ from: '/forum/$id' })
  const session = useSession()
  const read = usePages(
    ['forum', 'topic', id, session?.address],
    (query, signal) => api.readTopic({ path: { topicId: id }, query, signal }),
    // Signing in changes the query key: keep the page and the unsent reply.
    { placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined) },
  )
  const topic = read.data?.pages[0]?.topic
  return (
    <div className="mx-auto w-full max-w-3xl py-8">
      {topic === undefined ? (
        read.error === null ? (
          <div aria-busy="true">
            <Skeleton className="h-7 w-3/5" />
            <Skeleton className="mt-6 h-40" />
          </div>
        ) : (
          <Unread error={read.error} onRetry={read.refetch} />
        )
      ) : (
        <>
          <PageHead
            title={topic.title}
            parent={<Link to="/forum">Forum</Link>}
            description={<Byline author={topic.author} iso={topic.createdAt} />}
            aside={<Badge>{nameOf(topic.category)}</Badge>}
            actions={<Vote topic={topic} />}
          />
          <p className="break-words whitespace-pre-line">{topic.body}</p>
          <section aria-labelledby="replies" className="mt-8">
            <h2 id="replies" className="border-b pb-2 text-base font-medium">
              {topic.replyCount} {topic.replyCount === 1 ? 'reply' : 'replies'}
            </h2>
            <ul className="divide-y">
              {read.data?.pages.map((page, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pages are only appended
                <Replies key={index} replies={page.replies} />
              ))}
            </ul>
            <LoadMore list={read} />
          </section>
          {topic.locked ? (
            <Notice className="mt-4 flex items-center gap-2">
              <Lock aria-hidden className="size-4" /> This topic is locked.
            </Notice>
          ) : (
            <ReplyForm topicId={id} />
          )}
        </>
      )}
    </div>
  )
}

/** A page of replies, rendered once: the pages after it leave it as it is. */
const Replies = memo(function Replies({ replies }: { replies: readonly Reply[] }) {
  return replies.map(({ replyId, author, createdAt, body }) => (
    <li key={replyId} className="py-4">
      <p className="text-sm text-muted">
        <Byline author={author} iso={createdAt} />
      </p>
      <p className="mt-1.5 break-words whitespace-pre-line">{body}</p>
    </li>
  ))
})

/** The error of a topic that could not be read. Retrying does not help for an unknown one. */
function Unread({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isUnknown = error instanceof GatewayError && error.code === 'TOPIC_NOT_FOUND'
  if (!isUnknown) return <ErrorState isPage error={error} onRetry={onRetry} />
  return (
    <EmptyState
      isPage
      icon={<MessagesSquare />}
      title="Unknown topic"
      action={
        <Link to="/forum" className={buttonClass()}>
          Browse the forum
        </Link>
      }
    >
      It may have been deleted, or the address may be mistyped.
    </EmptyState>
  )
}

function Byline({ author, iso }: { author: Author; iso: string }) {
  return (
    <>
      <AuthorName author={author} /> · <TimeAgo iso={iso} />
    </>
  )
}

function Vote({ topic }: { topic: Topic }) {
  const voting = useMutation({
    async mutationFn() {
      if ((await signedIn()) === null) return
      const input = { path: { topicId: topic.topicId } }
      await (topic.voted ? api.unvoteTopic(input) : api.voteTopic(input))
      await refreshQueries(['forum'])
    },
    onError: error => toast.failed(describeError(error)),
  })
  return (
    <Button
      aria-pressed={topic.voted}
      isBusy={voting.isPending}
      className={topic.voted ? 'border-accent text-accent' : undefined}
      icon={<ArrowBigUp aria-hidden className="size-4" fill={topic.voted ? 'currentColor' : 'none'} />}
      onClick={() => voting.mutate()}
    >
      <span className="tabular">{topic.voteCount}</span> {topic.voted ? 'Voted' : 'Vote'}
    </Button>
  )
}

function ReplyForm({ topicId }: { topicId: string }) {
  const [body, write, drop] = useDraft(`reply.${topicId}`)
  const replying = useMutation({
    async mutationFn() {
      if ((await signedIn()) === null) return
      await api.createReply({ path: { topicId }, body: { body } })
      drop()
      await refreshQueries(['forum'])
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replying.mutate()
  }
  return (
    <form onSubmit={submit} className="mt-6 flex flex-col gap-3">
      <Field label="Your reply">
        <Textarea
          required
          maxLength={BODY_LENGTH_MAX}
          value={body}
          onChange={event => write(event.target.value)}
        />
      </Field>
      <Failed error={replying.error} />
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        isBusy={replying.isPending}
        disabled={body.trim() === ''}
      >
        Reply
      </Button>
    </form>
  )
}

/** Returns the session, asking to sign in if there is none. */
function signedIn() {
  return currentSession() ?? requestSignIn()
}
