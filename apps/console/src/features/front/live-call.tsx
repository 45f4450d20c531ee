import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { watchedFetch } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/feedback/failed.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { exampleArguments } from '../../ui/services/payload-shape.ts'
import { Amount } from '../../ui/values/amount.tsx'
import { formatMs } from '../../ui/values/format-measures.ts'

type Service = AnswerOf<'readMarketService'>['service']
type Arguments = Readonly<Record<string, unknown>>

const TEXT_LENGTH_MAX = 80
const TIMEOUT_MS = 30_000

/** Answer and bill of a visitor's call. */
type Answered = {
  readonly text: string
  readonly invocationId: string
  readonly chargedUsdc: string
  readonly ms: number
}

/** Calls a free service through the gateway, without an account. */
async function callWithout(service: string, args: Arguments): Promise<Answered> {
  const begun = performance.now()
  const response = await watchedFetch(`/x402/${service}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(args),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer: unknown = await response.json()
  if (!response.ok) {
    const { code, message } = answer as { code: GatewayError['code']; message: string }
    throw new GatewayError(code, message, { status: response.status })
  }
  return {
    text: JSON.stringify(answer, null, 2),
    invocationId: response.headers.get('farebox-invocation-id') ?? '',
    chargedUsdc: response.headers.get('farebox-charged-usdc') ?? '0',
    ms: performance.now() - begun,
  }
}

/** A call that a visitor makes from the page: its request, and what came back. */
export function LiveCall({ service }: { service: Service }) {
  const example = exampleArguments(service)
  const [field] = Object.entries(example).find(([, value]) => typeof value === 'string') ?? []
  const [text, setText] = useState(field === undefined ? '' : String(example[field]))
  const args = field === undefined ? example : { ...example, [field]: text }
  const call = useMutation({ mutationFn: () => callWithout(service.agentToolName, args) })
  return (
    <form
      className="flex h-84 flex-col gap-3 p-3.5"
      onSubmit={event => {
        event.preventDefault()
        call.mutate()
      }}
    >
      <pre className="overflow-x-auto font-mono text-sm leading-relaxed">
        <span className="text-accent">POST</span> {`/x402/${service.agentToolName}\n${JSON.stringify(args)}`}
      </pre>
      <div className="flex gap-2">
        {field !== undefined && (
          <Input
            aria-label={field}
            value={text}
            maxLength={TEXT_LENGTH_MAX}
            onChange={event => setText(event.target.value)}
          />
        )}
        <Button
          type="submit"
          variant="primary"
          className="h-9"
          isBusy={call.isPending}
          icon={<Play aria-hidden className="size-4" />}
        >
          Call it
        </Button>
      </div>
      <Failed error={call.error} />
      <div aria-live="polite" className="flex min-h-0 flex-1 flex-col gap-2">
        {call.data === undefined ? (
          <p className="text-sm text-muted">
            A real call, through this gateway to the provider of {service.serviceName}. It is free and needs
            no account.
          </p>
        ) : (
          <Outcome answered={call.data} />
        )}
      </div>
    </form>
  )
}

function Outcome({ answered: { text, invocationId, chargedUsdc, ms } }: { answered: Answered }) {
  return (
    <>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto rounded-md border bg-raised p-3 font-mono text-sm"
      >
        {text}
      </pre>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm [&>div]:flex [&>div]:gap-1.5 [&_dt]:text-muted">
        <div>
          <dt>Answered in</dt>
          <dd className="tabular">{formatMs(ms)}</dd>
        </div>
        <div>
          <dt>Charged</dt>
          <dd>
            <Amount usdc={chargedUsdc} />
          </dd>
        </div>
        <div className="min-w-0">
          <dt>Call</dt>
          <dd className="truncate font-mono">{invocationId}</dd>
        </div>
      </dl>
    </>
  )
}
