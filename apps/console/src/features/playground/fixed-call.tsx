import { randomKey } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useMutation } from '@tanstack/react-query'
import { Play, Repeat } from 'lucide-react'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useCredential } from '../../session/credential-store.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState, Skeleton } from '../../ui/feedback/states.tsx'
import { useDraft } from '../../ui/forms/draft.ts'
import { Field, Input, Textarea } from '../../ui/forms/field.tsx'
import { Card } from '../../ui/layout/page.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { namingModel } from '../../ui/services/embeddings.ts'
import { bodySchemaOf } from '../../ui/services/example-of.ts'
import { argumentSchemaOf, exampleArguments, payloadOf } from '../../ui/services/payload-shape.ts'
import { writeAmount } from '../../ui/values/amounts.ts'
import { useSnippets } from '../../use-snippets.ts'
import { callFixed, type Outcome, type Sent } from './call-fixed.ts'
import { CredentialNeeded } from './credential-bar.tsx'
import { JsonText } from './json-text.tsx'
import { Problem } from './problem.tsx'
import { Receipt } from './receipt.tsx'
import { isObject, membersOf } from './schema-fields.ts'
import { SchemaForm } from './schema-form.tsx'
import type { Model, PricedApi } from './service-kinds.ts'

const KEY_LENGTH_MAX = 255

type Called = PricedApi | Model

/** A call that is answered whole, at a fixed price or of embeddings: request and result. */
export function FixedCall({ service, onPriceChanged }: { service: Called; onPriceChanged: () => void }) {
  const { serviceId, pricing } = service
  const isFixed = 'amount' in pricing
  const credential = useCredential()
  const example = useMemo(() => JSON.stringify(exampleArguments(service), null, 2), [service])
  const [draft, write] = useDraft(`playground.${serviceId}`)
  const [price, setPrice] = useState(isFixed ? writeAmount(pricing.amount) : '')
  const [key, setKey] = useState('')
  const calling = useMutation({ mutationFn: callFixed })
  const text = draft === '' ? example : draft
  const body = readObject(text)
  const isBusy = calling.isPending
  const outcome = calling.data
  const run = (event: FormEvent) => {
    event.preventDefault()
    if (credential === null || body === null || isBusy) return
    calling.mutate({
      serviceId,
      costUsdc: isFixed ? price.trim() : undefined,
      credential: credential.token,
      payload: payloadOf(service, namingModel(service, body)),
      key: key.trim() === '' ? `playground-${randomKey()}` : key.trim(),
    })
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <form onSubmit={run} className="flex min-w-0 flex-col gap-5">
        <Request
          service={service}
          text={text}
          body={body}
          onText={write}
          faults={faultsOf(outcome?.error)}
          isChanged={text !== example}
        />
        <PriceAndKey price={isFixed ? price : null} onPrice={setPrice} idempotencyKey={key} onKey={setKey} />
        {credential === null ? (
          <CredentialNeeded />
        ) : (
          <Button
            type="submit"
            variant="primary"
            className="self-start"
            isBusy={isBusy}
            disabled={body === null}
            icon={<Play aria-hidden className="size-4" />}
          >
            {isFixed ? `Call for ${price.trim() === '' ? '…' : `${price.trim()} USDC`}` : 'Call'}
          </Button>
        )}
      </form>
      <Answer
        service={service}
        body={body}
        outcome={outcome}
        isBusy={isBusy}
        onSend={sent => calling.mutate(sent)}
        onPrice={amount => {
          setPrice(writeAmount(amount))
          onPriceChanged()
        }}
      />
    </div>
  )
}

function PriceAndKey(props: {
  /** Null for a metered call. */
  price: string | null
  onPrice: (text: string) => void
  idempotencyKey: string
  onKey: (text: string) => void
}) {
  const { price, onPrice, idempotencyKey, onKey } = props
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {price !== null && (
        <Field label="Asserted price" hint="The call is refused without a charge if the price differs.">
          <Input unit="USDC" inputMode="decimal" value={price} onChange={e => onPrice(e.target.value)} />
        </Field>
      )}
      <Field label="Idempotency key" hint="If empty, one is generated for each call.">
        <Input
          placeholder="new for each call"
          spellCheck={false}
          maxLength={KEY_LENGTH_MAX}
          className="font-mono !text-sm"
          value={idempotencyKey}
          onChange={event => onKey(event.target.value)}
        />
      </Field>
    </div>
  )
}

function Request(props: {
  service: Called
  text: string
  body: Record<string, unknown> | null
  onText: (text: string) => void
  faults: Readonly<Record<string, string>>
  isChanged: boolean
}) {
  const { service, text, body, onText, faults, isChanged } = props
  const members = useMemo(
    () => membersOf(argumentSchemaOf(service, bodySchemaOf(service.request))),
    [service],
  )
  const [view, setView] = useState<'form' | 'json'>(members.length > 0 ? 'form' : 'json')
  return (
    <Card
      title="Request"
      actions={
        <span className="flex items-center gap-2">
          {isChanged && (
            <Button size="sm" variant="ghost" onClick={() => onText('')}>
              Example
            </Button>
          )}
          {members.length > 0 && (
            <Segments
              label="Request format"
              options={[
                { value: 'form', label: 'Form' },
                { value: 'json', label: 'JSON' },
              ]}
              value={view}
              onChange={setView}
            />
          )}
        </span>
      }
    >
      {view === 'form' && body !== null ? (
        <div className="flex flex-col gap-4">
          <SchemaForm
            members={members}
            values={body}
            faults={faults}
            onChange={values => onText(JSON.stringify(values, null, 2))}
          />
          <details className="text-sm">
            <summary className="w-fit rounded text-muted hover:text-text">Request</summary>
            <div className="mt-2">
              <JsonText label="Payload" value={payloadOf(service, namingModel(service, body))} />
            </div>
          </details>
        </div>
      ) : (
        <Field label="Arguments as JSON" error={body === null ? 'This is not a valid JSON object.' : null}>
          <Textarea
            rows={Math.min(18, Math.max(7, text.split('\n').length + 1))}
            spellCheck={false}
            className="font-mono text-sm"
            value={text}
            onChange={event => onText(event.target.value)}
          />
        </Field>
      )}
    </Card>
  )
}

function Answer(props: {
  service: Called
  body: Record<string, unknown> | null
  outcome: Outcome | undefined
  isBusy: boolean
  onSend: (sent: Sent) => void
  onPrice: (amount: string) => void
}) {
  const { service, body, outcome, isBusy, onSend, onPrice } = props
  const [view, setView] = useState<'answer' | 'code'>('answer')
  const snippets = useSnippets(service, body ?? undefined)
  const place = useRef<HTMLDivElement>(null)
  // On a phone the result is below the form: scroll it into view.
  useEffect(() => {
    if (isBusy) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isBusy])
  return (
    <div ref={place} className="min-w-0 scroll-mt-20">
      <Card
        title={
          <span className="flex items-center gap-2">
            Answer
            {!isBusy && outcome?.isReplay === true && <Badge tone="info">Replayed, not charged again</Badge>}
            {!isBusy && outcome?.error === null && outcome.isReplay === false && (
              <Badge tone="good">Succeeded</Badge>
            )}
          </span>
        }
        actions={
          <Segments
            label="Show"
            options={[
              { value: 'answer', label: 'Answer' },
              { value: 'code', label: 'Code' },
            ]}
            value={view}
            onChange={setView}
          />
        }
      >
        {view === 'code' ? (
          <CodeBlock label="Code" snippets={snippets} />
        ) : isBusy ? (
          <div aria-busy="true" className="flex flex-col gap-4">
            <Skeleton className="h-40" />
            <Skeleton className="h-25" />
          </div>
        ) : outcome === undefined ? (
          <EmptyState title="No response yet">
            {'amount' in service.pricing
              ? 'The price is held before the call, charged if the provider succeeds, and released otherwise.'
              : 'The maximum cost is held before the call. Only the actual usage is charged.'}
          </EmptyState>
        ) : (
          <Result outcome={outcome} onSend={onSend} onPrice={onPrice} />
        )}
      </Card>
    </div>
  )
}

function Result(props: {
  outcome: Outcome
  onSend: (sent: Sent) => void
  onPrice: (amount: string) => void
}) {
  const { outcome, onSend, onPrice } = props
  const { error, result, invocation, sent } = outcome
  const current = error instanceof GatewayError ? error.detail.currentPriceUsdc : undefined
  return (
    <div className="flex flex-col gap-4">
      {error === null ? (
        <JsonText label="Result" value={result} />
      ) : (
        <Problem error={error} onRetry={() => onSend(sent)}>
          {typeof current === 'string' && (
            <Button size="sm" onClick={() => onPrice(current)}>
              Accept the new price
            </Button>
          )}
        </Problem>
      )}
      {invocation !== null && <Receipt invocation={invocation} />}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
        <p className="min-w-0 text-muted">
          Key <code className="font-mono text-xs break-all text-text">{sent.key}</code>
        </p>
        {error === null && (
          <Button
            size="sm"
            icon={<Repeat aria-hidden className="size-3.5" />}
            title="Repeats the request with the same key: same response, no second charge"
            onClick={() => onSend(sent)}
          >
            Replay
          </Button>
        )}
      </div>
    </div>
  )
}

/** Returns the gateway's validation messages by member of the request. */
function faultsOf(error: unknown): Readonly<Record<string, string>> {
  const issues = error instanceof GatewayError ? error.detail.issues : undefined
  if (!Array.isArray(issues)) return {}
  const faults: Record<string, string> = {}
  for (const { path, message } of issues as { path?: unknown; message?: unknown }[]) {
    const names = String(path)
      .split(/[./]/)
      .filter(part => part !== '' && part !== 'payload' && part !== 'body' && part !== 'query')
    const [name] = names
    if (name !== undefined) faults[name] ??= String(message)
  }
  return faults
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
