import { Plus, Trash2 } from 'lucide-react'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, Field, Input, Textarea } from '../../ui/field.tsx'
import { formatShare } from '../../ui/measures.tsx'
import { Card } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import { Segments } from '../../ui/tabs.tsx'
import { HeadersCard } from './headers-card.tsx'
import { JsonField } from './json-field.tsx'
import { isMetered, type Manifest, numberOf, paidBy, readAt, textAt, writeAt } from './manifest.ts'
import type { Issue } from './manifest-issues.ts'

/** What the fields of a manifest work on. */
type Editor = {
  readonly manifest: Manifest
  readonly onChange: (manifest: Manifest) => void
  readonly issues: readonly Issue[]
  /** Whether all faults are told, or only those of fields that somebody was in. */
  readonly isStrict: boolean
}
const EditorContext = createContext<
  (Editor & { touched: ReadonlySet<string>; touch: (path: string) => void }) | null
>(null)

function useEditor() {
  const editor = useContext(EditorContext)
  if (editor === null) throw new Error('Fields of a manifest stand in its form.')
  return editor
}

/** The fields of a manifest, with what is wrong beside each. `isKnown`: the service is registered already. */
export function ManifestForm(props: Editor & { isKnown?: boolean; hasHeaders?: boolean }) {
  const { manifest, onChange, issues, isStrict, isKnown = false } = props
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const editor = useMemo(
    () => ({
      ...{ manifest, onChange, issues, isStrict, touched },
      touch: (path: string) => setTouched(before => new Set([...before, path])),
    }),
    [manifest, onChange, issues, isStrict, touched],
  )
  return (
    <EditorContext value={editor}>
      <div className="flex flex-col gap-5">
        <About isKnown={isKnown} />
        {!isKnown && <Price />}
        <Targets />
        <HeadersCard
          manifest={manifest}
          onChange={onChange}
          issues={issues}
          hasKept={props.hasHeaders ?? false}
        />
        <Health />
        <Schemas />
      </div>
    </EditorContext>
  )
}

/** A fault that is to be told at a path: of a field that somebody was in, or of any. */
function useFault(path: string): string | undefined {
  const { issues, isStrict, touched } = useEditor()
  if (!isStrict && !touched.has(path)) return undefined
  return issues.find(issue => issue.path === path)?.message
}

/** A line of text of the manifest. */
function Line(props: {
  path: string
  label: string
  hint?: ReactNode
  unit?: string
  placeholder?: string
  isNumber?: boolean
  isLong?: boolean
  className?: string
  inputMode?: 'decimal' | 'numeric' | 'url'
}) {
  const { path, label, hint, isNumber = false, isLong = false } = props
  const { manifest, onChange, touch } = useEditor()
  const fault = useFault(path)
  const control = {
    value: textAt(manifest, path),
    placeholder: props.placeholder,
    autoComplete: 'off',
    spellCheck: isLong,
    onBlur: () => touch(path),
    onChange: ({ target }: { target: { value: string } }) =>
      onChange(writeAt(manifest, path, isNumber ? numberOf(target.value) : target.value)),
  }
  return (
    <Field label={label} hint={hint} error={fault} {...(props.className && { className: props.className })}>
      {isLong ? (
        <Textarea rows={2} {...control} />
      ) : (
        <Input
          {...control}
          inputMode={props.inputMode ?? (isNumber ? 'numeric' : undefined)}
          {...(props.unit && { unit: props.unit })}
        />
      )}
    </Field>
  )
}

const pair = 'grid grid-cols-1 items-start gap-4 sm:grid-cols-2'

function About({ isKnown }: { isKnown: boolean }) {
  return (
    <Card title="What it is">
      <div className="flex flex-col gap-4">
        <div className={pair}>
          <Line path="serviceName" label="Name" placeholder="Weather" />
          <Line
            path="agentToolName"
            label="Tool name"
            placeholder="weather"
            hint={
              isKnown
                ? 'The name before goes on working.'
                : 'What agents call it by. Empty: made from the name.'
            }
          />
        </div>
        <Line
          isLong
          path="summary"
          label="Summary"
          placeholder="Tells the weather of any city, now and for ten days."
          hint="One or two sentences. Agents choose by them."
        />
        <Tags />
      </div>
    </Card>
  )
}

function Tags() {
  const { manifest, onChange, touch } = useEditor()
  const tags = readAt(manifest, 'tags')
  const [text, setText] = useState(Array.isArray(tags) ? tags.join(', ') : '')
  const { issues } = useEditor()
  const fault = issues.find(({ path }) => path.startsWith('tags'))?.message
  return (
    <Field label="Tags" hint="Separated by commas." error={fault}>
      <Input
        value={text}
        placeholder="weather, forecast"
        autoComplete="off"
        onBlur={() => touch('tags')}
        onChange={({ target }) => {
          setText(target.value)
          const list = target.value
            .split(',')
            .map(tag => tag.trim())
            .filter(Boolean)
          onChange(writeAt(manifest, 'tags', list.length === 0 ? undefined : list))
        }}
      />
    </Field>
  )
}

const models = [
  { value: 'fixed', label: 'Per call' },
  { value: 'token_metered', label: 'Per token' },
] as const
const dialects = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
] as const

function Price() {
  const { manifest, onChange } = useEditor()
  const model = isMetered(manifest) ? 'token_metered' : 'fixed'
  return (
    <Card
      title="Price"
      actions={
        <Segments
          label="Paid"
          options={models}
          value={model}
          onChange={value => value !== model && onChange(paidBy(manifest, value))}
        />
      }
    >
      <PriceFields />
    </Card>
  )
}

function PriceFields() {
  const { manifest, onChange } = useEditor()
  if (!isMetered(manifest))
    return (
      <Line
        className="sm:max-w-[calc(50%-0.5rem)]"
        path="pricing.amount"
        label="Price of a call"
        unit="USDC"
        inputMode="decimal"
        placeholder="0.05"
        hint="Paid for answers of 2xx only. 0 makes it free."
      />
    )
  return (
    <div className="flex flex-col gap-4">
      <div className={pair}>
        <Line
          path="inputPricePer1MTokensUsdc"
          label="A million input tokens"
          unit="USDC"
          inputMode="decimal"
          placeholder="0.50"
        />
        <Line
          path="outputPricePer1MTokensUsdc"
          label="A million output tokens"
          unit="USDC"
          inputMode="decimal"
          placeholder="1.50"
        />
        <Line
          isNumber
          path="defaultMaxOutputTokens"
          label="Output tokens, unless the call says"
          placeholder="4096"
          hint="The hold of a call is worked out with them."
        />
        <Line
          path="maxAutoHoldUsdc"
          label="Largest automatic hold"
          unit="USDC"
          inputMode="decimal"
          placeholder="1"
          hint="Dearer calls must say how much they allow."
        />
        <Field label="Dialect" hint="How your API is spoken to, and tells its usage.">
          <Select
            className="w-full"
            options={dialects}
            value={readAt(manifest, 'llmDialect') === 'anthropic' ? 'anthropic' : 'openai'}
            onChange={value => onChange(writeAt(manifest, 'llmDialect', value))}
          />
        </Field>
        <Line
          path="upstreamModel"
          label="Model"
          placeholder="small-1"
          hint="Written into every call, so that the price is that of one model."
        />
      </div>
    </div>
  )
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
const TARGETS_MAX = 8

type Target = { readonly url?: unknown; readonly weight?: unknown }

function Targets() {
  const { manifest, onChange } = useEditor()
  const given = readAt(manifest, 'invoke.targets')
  const targets: readonly Target[] = Array.isArray(given) ? given : []
  const whole = targets.reduce((sum, { weight }) => sum + (Number(weight ?? 1) || 0), 0)
  const fault = useFault('invoke.targets')
  const change = (next: readonly Target[]) => onChange(writeAt(manifest, 'invoke.targets', next))
  return (
    <Card title="Where calls go">
      <div className="flex flex-col gap-4">
        <div className={pair}>
          <Field
            label="Method"
            hint={
              ['GET', 'HEAD', 'DELETE'].includes(textAt(manifest, 'invoke.method'))
                ? 'Members of the payload become query parameters.'
                : 'The payload is sent as JSON.'
            }
          >
            <Select
              className="w-full"
              disabled={isMetered(manifest)}
              options={methods.map(value => ({ value, label: value }))}
              value={methods.find(value => value === readAt(manifest, 'invoke.method')) ?? 'POST'}
              onChange={value => onChange(writeAt(manifest, 'invoke.method', value))}
            />
          </Field>
          <Line
            isNumber
            path="invoke.timeoutMs"
            label="Longest wait"
            unit="ms"
            placeholder="30000"
            hint="At most 120,000 ms."
          />
        </div>
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-1.5 text-sm font-medium">Targets</legend>
          {targets.map((target, index) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a target is its place
              key={index}
              className="grid grid-cols-[minmax(0,1fr)_5rem_2rem] items-start gap-2 sm:grid-cols-[minmax(0,1fr)_6rem_2rem]"
            >
              <Line
                path={`invoke.targets.${index}.url`}
                label={`Address of target ${index + 1}`}
                inputMode="url"
                placeholder="https://api.example.com/v1/now"
              />
              <Line
                isNumber
                path={`invoke.targets.${index}.weight`}
                label="Weight"
                hint={
                  targets.length > 1 && whole > 0
                    ? `${formatShare((Number(target.weight ?? 1) || 0) / whole)} of calls`
                    : undefined
                }
              />
              <IconButton
                className="mt-6.5"
                label={`Remove target ${index + 1}`}
                disabled={targets.length === 1}
                onClick={() => change(targets.toSpliced(index, 1))}
              >
                <Trash2 />
              </IconButton>
            </div>
          ))}
          {fault !== undefined && (
            <p role="alert" className="text-sm text-danger">
              {fault}
            </p>
          )}
          <Button
            size="sm"
            className="self-start"
            icon={<Plus aria-hidden className="size-4" />}
            disabled={targets.length >= TARGETS_MAX}
            onClick={() => change([...targets, { url: '', weight: 1 }])}
          >
            Add target
          </Button>
        </fieldset>
      </div>
    </Card>
  )
}

const probeMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const

function Health() {
  const { manifest, onChange } = useEditor()
  const given = readAt(manifest, 'healthCheck')
  const isOwn = typeof given === 'object' && given !== null
  const codes = readAt(given, 'successCodes')
  return (
    <Card title="Health check">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          Every target is probed all the time. Without rules of its own: a GET of its address, and any answer
          below 500 is healthy.
        </p>
        <Checkbox
          label="Rules of its own"
          checked={isOwn}
          onChange={({ target }) =>
            onChange(
              writeAt(
                manifest,
                'healthCheck',
                target.checked ? { path: '/health', method: 'GET' } : undefined,
              ),
            )
          }
        />
        {isOwn && (
          <div className={pair}>
            <Line path="healthCheck.path" label="Path" placeholder="/health" />
            <Field label="Probe method">
              <Select
                className="w-full"
                options={probeMethods.map(value => ({ value, label: value }))}
                value={probeMethods.find(value => value === readAt(given, 'method')) ?? 'GET'}
                onChange={value => onChange(writeAt(manifest, 'healthCheck.method', value))}
              />
            </Field>
            <Codes codes={codes} />
            <Line isNumber path="healthCheck.timeoutMs" label="Answer within" unit="ms" placeholder="5000" />
            <Line
              isNumber
              path="healthCheck.unhealthyThreshold"
              label="Unhealthy after"
              hint="Bad probes in a row."
              placeholder="1"
            />
            <Line
              isNumber
              path="healthCheck.healthyThreshold"
              label="Healthy after"
              hint="Good probes in a row."
              placeholder="1"
            />
          </div>
        )}
      </div>
    </Card>
  )
}

function Codes({ codes }: { codes: unknown }) {
  const { manifest, onChange, issues } = useEditor()
  const [text, setText] = useState(Array.isArray(codes) ? codes.join(', ') : '')
  const fault = issues.find(({ path }) => path.startsWith('healthCheck.successCodes'))?.message
  return (
    <Field label="Good statuses" hint="Empty: all below 500." error={fault}>
      <Input
        value={text}
        placeholder="200, 204"
        onChange={({ target }) => {
          setText(target.value)
          const list = target.value.split(',').flatMap(code => numberOf(code) ?? [])
          onChange(writeAt(manifest, 'healthCheck.successCodes', list.length === 0 ? undefined : list))
        }}
      />
    </Field>
  )
}

function Schemas() {
  const { manifest, onChange, issues } = useEditor()
  const faultAt = (path: string) => issues.find(issue => issue.path.startsWith(path))?.message
  return (
    <Card title="Schemas">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          JSON Schema of what goes in and out. Agents read it; a call that does not fit the request is refused
          before anything is paid.
        </p>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          {(['request', 'response'] as const).map(side => (
            <JsonField
              key={side}
              label={side === 'request' ? 'Request body' : 'Response body'}
              value={readAt(manifest, `invoke.${side}.body`)}
              fault={faultAt(`invoke.${side}`)}
              onChange={value => onChange(writeAt(manifest, `invoke.${side}.body`, value))}
            />
          ))}
        </div>
      </div>
    </Card>
  )
}
