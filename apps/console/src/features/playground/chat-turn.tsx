import { GatewayError } from '@farebox/client/errors'
import { Link } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useCredential } from '../../session/credential-store.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatMs } from '../../ui/values/format-measures.ts'
import { isOpen, type Turn } from './conversation.ts'
import { costOf, tokensOf } from './estimate.ts'
import { Markdown } from './markdown.tsx'
import { Problem } from './problem.tsx'
import { Receipt } from './receipt.tsx'
import type { Model } from './service-kinds.ts'

/** A question, its streamed answer and its cost. */
export function ChatTurn(props: { model: Model; turn: Turn; onAgain: (() => void) | null }) {
  const { model, turn, onAgain } = props
  const { question, answer, state, error, bill } = turn
  return (
    <li className="flex flex-col gap-4">
      <div className="ml-auto max-w-[85%] rounded-2xl rounded-br-md bg-hover px-4 py-2.5">
        <span className="sr-only">You: </span>
        <p className="break-words whitespace-pre-wrap">{question}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-2.5">
        <span className="sr-only">{model.serviceName}: </span>
        {answer !== '' && <Markdown text={answer} />}
        {state === 'waiting' && answer === '' && (
          <p className="flex h-6 items-center gap-1 text-muted">
            <span className="sr-only">Waiting for the first token</span>
            {[0, 1, 2].map(index => (
              <span
                key={index}
                aria-hidden
                className="size-1.5 animate-breathe rounded-full bg-faint"
                style={{ animationDelay: `${index * 200}ms` }}
              />
            ))}
          </p>
        )}
        {state === 'failed' && <Failed turn={turn} onAgain={onAgain} />}
        {state === 'stopped' && (
          <p className="text-sm text-muted">
            {turn.invocationId === null
              ? 'Stopped. If the call had started, it appears in your calls with its cost.'
              : bill === null
                ? 'Stopped. Its charge is pending.'
                : 'Stopped. The model had already started, so its full output is charged.'}
          </p>
        )}
        {error === null && <Bill model={model} turn={turn} />}
        {state === 'failed' && bill !== null && <Receipt invocation={bill} />}
      </div>
    </li>
  )
}

function Failed({ turn, onAgain }: { turn: Turn; onAgain: (() => void) | null }) {
  const { error } = turn
  const again = onAgain ?? undefined
  const token = useCredential()?.token
  const [failedWith] = useState(token)
  // A rate limit applies to the credential that failed; another one may retry at once.
  const mustWait = error instanceof GatewayError && error.isPassing && token === failedWith
  return (
    <Problem
      error={typeof error === 'string' ? new Error(error) : error}
      onRetry={mustWait ? again : undefined}
    >
      {again !== undefined && !mustWait && (
        <Button size="sm" icon={<RotateCcw aria-hidden className="size-3.5" />} onClick={again}>
          Ask again
        </Button>
      )}
    </Problem>
  )
}

/** The cost below an answer: the hold and an estimate while it streams, the charge afterwards. */
function Bill({ model, turn }: { model: Model; turn: Turn }) {
  const { bill, holdUsdc, answer, inputTokens, state } = turn
  const [isWhole, setWhole] = useState(false)
  const id = useId()
  if (bill !== null) {
    const usage = 'usage' in bill ? bill.usage : undefined
    return (
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
          <Figure name="Charged">
            <Amount usdc={bill.chargedUsdc} className="font-medium text-text" />
          </Figure>
          <span className="max-sm:hidden">
            <Figure name="Held">
              <Amount usdc={bill.holdUsdc} />
            </Figure>
          </span>
          {usage !== undefined && (
            <span className="tabular">
              {usage.inputTokens} in · {usage.outputTokens} out
            </span>
          )}
          {bill.receipt.latencyMs !== null && (
            <span className="tabular">{formatMs(bill.receipt.latencyMs)}</span>
          )}
          <span className="ml-auto flex items-center">
            {answer !== '' && <CopyButton text={answer} label="Copy answer" className="!size-7" />}
            <Button
              size="sm"
              variant="ghost"
              aria-expanded={isWhole}
              aria-controls={id}
              onClick={() => setWhole(!isWhole)}
            >
              Receipt
            </Button>
          </span>
        </div>
        <div id={id}>{isWhole && <Receipt invocation={bill} />}</div>
      </div>
    )
  }
  if (!isOpen(turn) || holdUsdc === null) return state === 'stopped' ? <CallsLink /> : null
  const output = tokensOf(answer)
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
      <Figure name="Held">
        <Amount usdc={holdUsdc} />
      </Figure>
      <Figure name="About">
        <Amount usdc={costOf(model, { input: inputTokens, output }, holdUsdc)} />
      </Figure>
      <span className="tabular">≈ {output} tokens</span>
      {state === 'settling' && <span>Settling…</span>}
    </div>
  )
}

function CallsLink() {
  return (
    <Link to={'/app/calls' as string} className="w-fit rounded text-sm text-accent hover:underline">
      Your calls
    </Link>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="whitespace-nowrap">
      {name} {children}
    </span>
  )
}
