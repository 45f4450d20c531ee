import { formatUsdc, parseUsdc, usdc } from '@farebox/money'
import { ArrowUp, MessagesSquare, Square } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { useCredential } from '../../session/credential-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useDraft } from '../../ui/forms/draft.ts'
import { Textarea } from '../../ui/forms/field.tsx'
import { Card, Facts } from '../../ui/layout/page.tsx'
import { ServicePrice } from '../../ui/services/service-price.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { ChatTurn } from './chat-turn.tsx'
import type { Turn } from './conversation.ts'
import { CredentialNeeded } from './credential-bar.tsx'
import { holdOf } from './estimate.ts'
import { ParametersCard, useParameters } from './parameters-card.tsx'
import type { Model } from './service-kinds.ts'
import { bodyOf } from './stream-chat.ts'
import { useChat } from './use-chat.ts'

const QUESTION_LENGTH_MAX = 100_000
/** Distance from the end within which the view follows the answer. */
const NEAR_END_PX = 80
const starters = [
  'Who pays the ferryman?',
  'Explain idempotency keys to a child.',
  'Write a haiku about money.',
]

/** A streamed conversation with a model, with the hold and cost of each turn. */
export function Chat({ model }: { model: Model }) {
  const credential = useCredential()
  const chat = useChat(model, credential?.token ?? null)
  const { typed, change, parameters, problems } = useParameters(model.serviceId)
  const [question, write, drop] = useDraft(`playground.chat.${model.serviceId}`)
  const send = (text: string) => {
    if (credential === null || parameters === null || chat.isBusy || text.trim() === '') return
    drop()
    chat.ask(text.trim(), parameters)
  }
  const again = ({ id, question: asked }: Turn) => {
    chat.drop(id)
    send(asked)
  }
  const hold = useMemo(() => {
    if (parameters === null) return null
    const said = [{ role: 'user' as const, content: question }]
    const before = chat.turns.reduce((sum, turn) => sum + turn.question + turn.answer, '')
    return holdOf(model, JSON.stringify(bodyOf(model, said, parameters)) + before, parameters.maxTokens)
  }, [model, parameters, question, chat.turns])

  return (
    <div className="grid flex-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <section
        aria-label={`Chat with ${model.serviceName}`}
        className="flex h-[calc(100dvh-6rem)] min-h-112 min-w-0 flex-col overflow-hidden rounded-lg border bg-raised sm:h-[calc(100dvh-16rem)]"
      >
        {chat.turns.length === 0 ? (
          <Beginning isReady={credential !== null && parameters !== null} onAsk={send} />
        ) : (
          <>
            <Total turns={chat.turns} onClear={chat.isBusy ? null : chat.clear} />
            <Conversation model={model} turns={chat.turns} onAgain={chat.isBusy ? null : again} />
          </>
        )}
        <p aria-live="polite" className="sr-only">
          {describeState(chat.turns.at(-1))}
        </p>
        <div className="shrink-0 p-3 sm:p-4">
          {credential === null ? (
            <CredentialNeeded />
          ) : (
            <Composer
              question={question}
              isBusy={chat.isBusy}
              isStoppable={chat.turns.some(({ state }) => state === 'waiting' || state === 'streaming')}
              holdUsdc={hold}
              onWrite={write}
              onSend={() => send(question)}
              onStop={chat.stop}
            />
          )}
        </div>
      </section>
      <aside className="flex flex-col gap-6">
        <ParametersCard model={model} typed={typed} problems={problems} onChange={change} />
        <Card title="Model">
          <Facts
            items={[
              ['Price', <ServicePrice key="price" {...model} />],
              ['Maximum hold', <Amount key="most" usdc={model.maxAutoHoldUsdc} />],
            ]}
          />
        </Card>
      </aside>
    </div>
  )
}

function Conversation(props: {
  model: Model
  turns: readonly Turn[]
  /** Asks the last question again; null while a turn is in progress. */
  onAgain: ((turn: Turn) => void) | null
}) {
  const { model, turns, onAgain } = props
  const followed = useFollowed(turns)
  return (
    <div
      ref={followed.box}
      onScroll={followed.onScroll}
      role="log"
      aria-live="off"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <ol aria-label="Conversation" className="flex flex-col gap-8 p-4 sm:p-6">
        {turns.map(turn => (
          <ChatTurn
            key={turn.id}
            model={model}
            turn={turn}
            onAgain={onAgain === null || turn !== turns.at(-1) ? null : () => onAgain(turn)}
          />
        ))}
      </ol>
    </div>
  )
}

function Beginning({ isReady, onAsk }: { isReady: boolean; onAsk: (question: string) => void }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-2 overflow-y-auto px-6 py-6 text-center">
      <MessagesSquare aria-hidden className="size-7 text-faint" />
      <p className="text-lg font-medium">Ask the model</p>
      <p className="max-w-md text-balance text-muted">
        The maximum cost is held before the call. Only the actual usage is charged; the rest is released
        immediately.
      </p>
      <div className="mt-3 flex flex-wrap justify-center gap-2">
        {starters.map(text => (
          <button
            key={text}
            type="button"
            disabled={!isReady}
            onClick={() => onAsk(text)}
            className="rounded-full border border-line-strong px-3 py-1 text-sm text-muted transition-colors hover:not-disabled:bg-hover hover:not-disabled:text-text disabled:opacity-60"
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  )
}

/** The total cost of the conversation. */
function Total({ turns, onClear }: { turns: readonly Turn[]; onClear: (() => void) | null }) {
  const sum = turns.reduce(
    (total, { bill }) => total + (bill === null ? 0n : parseUsdc(bill.chargedUsdc)),
    0n,
  )
  return (
    <div className="flex h-11 items-center justify-between gap-3 border-b px-4 text-sm text-muted sm:px-6">
      <span className="tabular">
        {turns.length} {turns.length === 1 ? 'turn' : 'turns'} · <Amount usdc={formatUsdc(usdc(sum))} />
      </span>
      <Button size="sm" variant="ghost" disabled={onClear === null} onClick={() => onClear?.()}>
        New conversation
      </Button>
    </div>
  )
}

function Composer(props: {
  question: string
  isBusy: boolean
  isStoppable: boolean
  holdUsdc: string | null
  onWrite: (text: string) => void
  onSend: () => void
  onStop: () => void
}) {
  const { question, isBusy, isStoppable, holdUsdc, onWrite, onSend, onStop } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSend()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    onSend()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="relative">
        <Textarea
          aria-label="Message"
          rows={3}
          maxLength={QUESTION_LENGTH_MAX}
          placeholder="Write a message"
          className="!rounded-xl !pr-13 shadow-raised"
          value={question}
          onChange={event => onWrite(event.target.value)}
          onKeyDown={press}
        />
        {isBusy ? (
          <IconButton
            label="Stop"
            disabled={!isStoppable}
            onClick={onStop}
            className="!absolute right-2.5 bottom-3.5 bg-text !text-page hover:!bg-muted"
          >
            <Square fill="currentColor" className="!size-3" />
          </IconButton>
        ) : (
          <IconButton
            label="Send"
            type="submit"
            disabled={question.trim() === '' || holdUsdc === null}
            className="!absolute right-2.5 bottom-3.5 bg-accent !text-on-accent hover:!bg-accent-hover"
          >
            <ArrowUp />
          </IconButton>
        )}
      </div>
      <p className="flex min-h-5 flex-wrap justify-between gap-x-4 text-xs text-faint">
        {isBusy ? (
          <span>Stopping does not reduce the cost. The model's full output is charged.</span>
        ) : holdUsdc === null ? (
          <span className="text-danger">A parameter is invalid.</span>
        ) : (
          <span>
            About <Amount usdc={holdUsdc} /> will be held
          </span>
        )}
        {!isBusy && <span className="max-sm:hidden">Enter to send, Shift + Enter for a new line</span>}
      </p>
    </form>
  )
}

function describeState(turn: Turn | undefined): string {
  switch (turn?.state) {
    case 'waiting':
    case 'streaming':
      return 'The model is responding.'
    case 'done':
      return turn.bill === null
        ? 'Response complete.'
        : `Response complete. Charged ${turn.bill.chargedUsdc} USDC.`
    case 'stopped':
      return 'Stopped.'
    default:
      return ''
  }
}

/** Scrolls along with new text unless the reader has scrolled up. */
function useFollowed(turns: readonly Turn[]) {
  const box = useRef<HTMLDivElement>(null)
  const isNear = useRef(true)
  const count = useRef(0)
  useEffect(() => {
    const isNew = turns.length !== count.current
    count.current = turns.length
    if (box.current !== null && (isNew || isNear.current)) box.current.scrollTop = box.current.scrollHeight
  }, [turns])
  const onScroll = () => {
    const at = box.current
    if (at !== null) isNear.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END_PX
  }
  return { box, onScroll }
}
