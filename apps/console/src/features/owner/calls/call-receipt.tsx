import { GatewayError } from '@farebox/client/errors'
import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import type { ReactNode } from 'react'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { RecordSheet } from '../../../ui/dialogs/record-sheet.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { Steps } from '../../../ui/feedback/steps.tsx'
import { Facts } from '../../../ui/layout/page.tsx'
import { Id } from '../../../ui/values/address.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { describeCached, formatCount } from '../../../ui/values/format-measures.ts'
import { formatTime } from '../../../ui/values/format-time.ts'
import { shareOf } from '../../../ui/values/shares.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { useNames } from '../use-names.ts'
import { Attempts } from './call-attempts.tsx'
import { adviseOn, type Call, type CallDetail, isOpen, stateOfCall } from './call-labels.ts'
import { timelineOf } from './call-timeline.tsx'
import { useCall, useCallLine } from './use-calls.ts'

/** Longer results are cut, in characters. */
const SHOWN_MAX = 20_000

/** The receipt of a call, in a panel beside the list; `lines` are those of the list, undefined while they load. */
export function CallReceipt(props: { id: string; lines: readonly Call[] | undefined; onClose: () => void }) {
  const { id, lines, onClose } = props
  const names = useNames()
  const { data: call, error, refetch } = useCall(id)
  return (
    <RecordSheet
      name={call === undefined ? 'Receipt' : names.service(call.receipt.serviceId)}
      state={call && stateOfCall(call.status)}
      id={id}
      onClose={onClose}
    >
      {call !== undefined ? (
        <Receipt call={call} lines={lines} />
      ) : error instanceof GatewayError && error.code === 'INVOCATION_NOT_FOUND' ? (
        <EmptyState icon={<Activity />} title="Unknown call">
          The address may be mistyped, or another wallet may have paid for the call.
        </EmptyState>
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <>
          <Skeleton className="h-33" />
          <Skeleton className="h-44" />
          <Skeleton className="h-56" />
        </>
      )}
    </RecordSheet>
  )
}

function Receipt({ call, lines }: { call: CallDetail; lines: readonly Call[] | undefined }) {
  const { line, isPending } = useCallLine(call, lines)
  const error = 'error' in call ? call.error : undefined
  return (
    <>
      <Money call={call} />
      {error !== undefined && <Failure status={call.status} error={error} />}
      <section aria-label="Timeline" className="flex flex-col gap-3">
        <h3 className="font-medium">Timeline</h3>
        <Steps label="Timeline" steps={timelineOf(call)} />
      </section>
      <About
        call={call}
        idempotencyKey={isPending ? <Skeleton className="h-4 w-40" /> : <KeyOf line={line} />}
      />
      <Attempts line={line} />
      <Result call={call} />
    </>
  )
}

/** The shares of the hold that were charged and released, to scale. */
function Money({ call }: { call: CallDetail }) {
  const { holdUsdc, chargedUsdc, releasedUsdc, status } = call
  const share = Number(holdUsdc) === 0 ? 0 : shareOf(chargedUsdc, holdUsdc)
  const open = isOpen(status)
  const isMetered = 'gateway' in call && call.gateway !== undefined
  return (
    <section aria-label="Money" className="rounded-lg border bg-subtle p-4">
      <dl className="grid gap-x-3 gap-y-1 sm:grid-cols-3">
        {(
          [
            ['Held', holdUsdc, ''],
            ['Charged', chargedUsdc, Number(chargedUsdc) > 0 ? 'text-accent' : ''],
            ['Released', releasedUsdc, 'text-muted'],
          ] as const
        ).map(([label, usdc, colour]) => (
          <div key={label} className="flex min-w-0 items-baseline justify-between gap-0.5 sm:flex-col">
            <dt className="text-sm text-muted">{label}</dt>
            <dd className={`text-lg font-semibold max-sm:text-base ${colour}`}>
              <Amount usdc={usdc} />
            </dd>
          </div>
        ))}
      </dl>
      <div aria-hidden className="mt-3 flex h-1.5 overflow-hidden rounded-full bg-hover">
        <span className={open ? 'w-full animate-breathe bg-info' : 'hidden'} />
        <span className="bg-accent" style={{ width: open ? 0 : `${share * 100}%` }} />
      </div>
      <p className="mt-2.5 text-sm text-faint">
        {open
          ? 'Held until the call ends. The unused part is released.'
          : Number(chargedUsdc) === 0
            ? 'The whole hold was released: nothing was charged.'
            : isMetered
              ? 'Only the tokens used are charged, at most the hold. The provider pays the platform fee out of that.'
              : 'Exactly the price that your agent asserted. The provider pays the platform fee out of it.'}
      </p>
    </section>
  )
}

function Failure({ status, error }: { status: string; error: Readonly<Record<string, unknown>> }) {
  if (isOpen(status)) return null
  const { why, next } = adviseOn(status, error)
  const upstream = typeof error.upstreamBody === 'string' ? error.upstreamBody : ''
  return (
    <section aria-label="Error" className="flex flex-col gap-3">
      <Notice tone="bad">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3 font-medium">
          {why}
          <code className="font-mono text-xs">{String(error.code)}</code>
        </p>
        <p className="mt-1">{next}</p>
      </Notice>
      {upstream !== '' && (
        <CodeBlock
          label="Response of the provider"
          snippets={[{ label: 'Provider response', code: indentJson(upstream) }]}
          className="max-h-112 whitespace-pre-wrap [overflow-wrap:anywhere]"
        />
      )}
    </section>
  )
}

/** Indents a JSON text; returns others, such as a page or a cut text, unchanged. */
function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function About({ call, idempotencyKey }: { call: CallDetail; idempotencyKey: ReactNode }) {
  const names = useNames()
  const { receipt } = call
  return (
    <section aria-label="Details" className="flex flex-col gap-3">
      <h3 className="font-medium">Details</h3>
      <Facts
        items={[
          [
            'Service',
            <Link
              key="service"
              to="/services/$id"
              params={{ id: receipt.serviceId }}
              className="rounded text-accent hover:underline"
            >
              {names.service(receipt.serviceId)}
            </Link>,
          ],
          [
            'Credential',
            <Link
              key="credential"
              to="/app/credentials"
              search={{ open: receipt.credentialId }}
              className="rounded text-accent hover:underline"
            >
              {names.credential(receipt.credentialId)}
            </Link>,
          ],
          ['Started', <Exact key="started" iso={receipt.startedAt} />],
          ...billingFacts(call),
          ['Key', idempotencyKey],
          ['Request hash', <Copied key="request-hash" text={receipt.requestHash} label="Copy hash" />],
          ...(receipt.responseHash === null
            ? []
            : [
                [
                  'Answer hash',
                  <Copied key="answer-hash" text={receipt.responseHash} label="Copy hash" />,
                ] as const,
              ]),
        ]}
      />
      <Notice>
        The same request with this key in <code className="font-mono">X-Idempotency-Key</code> returns the
        same outcome without a charge: a repeated call is never charged twice.
      </Notice>
    </section>
  )
}

/** Facts that only some calls have. */
function billingFacts(call: CallDetail): [string, ReactNode][] {
  const usage = 'usage' in call ? call.usage : undefined
  const gateway = 'gateway' in call ? call.gateway : undefined
  const requestId = 'error' in call ? call.error?.requestId : undefined
  const facts: [string, ReactNode][] = []
  if (usage !== undefined)
    facts.push([
      'Tokens',
      <span key="tokens" className="tabular">
        {formatCount(usage.inputTokens)} in · {formatCount(usage.outputTokens)} out
        {describeCached(usage)}
      </span>,
    ])
  if (gateway !== undefined)
    facts.push([
      'Hold',
      gateway.preAuthMode === 'auto'
        ? 'Calculated from the requested maximum output'
        : 'Set by the agent (maxCostUsdc)',
    ])
  if (gateway?.capped === true)
    facts.push(['Capped', 'The tokens cost more than the hold; the rest was not charged'])
  if (typeof requestId === 'string') facts.push(['Request', <Id key="request" value={requestId} />])
  return facts
}

function KeyOf({ line }: { line: Call | null | undefined }) {
  if (line == null) return <span className="text-faint">Unknown</span>
  return <Copied text={line.idempotencyKey} label="Copy key" />
}

function Exact({ iso }: { iso: string }) {
  return (
    <span>
      {formatTime(iso)}{' '}
      <span className="text-faint">
        · <TimeAgo iso={iso} />
      </span>
    </span>
  )
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="flex items-center gap-0.5">
      <code className="min-w-0 truncate font-mono text-[0.92em]" title={text}>
        {text}
      </code>
      <CopyButton text={text} label={label} className="!size-6 [&>svg]:!size-3.5" />
    </span>
  )
}

function Result({ call }: { call: CallDetail }) {
  if (!('result' in call)) return null
  const text = call.result === null ? null : JSON.stringify(call.result, null, 2)
  return (
    <section aria-label="Result" className="flex flex-col gap-3">
      <h3 className="font-medium">Result</h3>
      {text === null && (
        <p className="text-sm text-muted">
          {call.answerExpired === true
            ? 'The response has expired. Its hash is still stored.'
            : 'The response was streamed to the agent.'}
        </p>
      )}
      {text !== null && text.length > SHOWN_MAX && (
        <p className="text-sm text-muted">Too long to show: {formatCount(text.length)} characters.</p>
      )}
      {text !== null && text.length <= SHOWN_MAX && (
        <CodeBlock label="Result" snippets={[{ label: 'JSON', code: text }]} />
      )}
    </section>
  )
}
