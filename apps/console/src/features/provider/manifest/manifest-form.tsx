import { useMemo, useState } from 'react'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/tabs.tsx'
import { HeadersCard } from './headers-card.tsx'
import { JsonField } from './json-field.tsx'
import { isMetered, paidBy, readAt, writeAt } from './manifest.ts'
import { type Editor, EditorContext, Line, pair, useEditor } from './manifest-fields.tsx'
import { Health } from './manifest-health.tsx'
import { Modalities } from './manifest-modalities.tsx'
import { Targets } from './manifest-targets.tsx'

/** The form of a manifest, with the issues beside their fields. `isKnown`: the service is already registered. */
export function ManifestForm(props: Editor & { isKnown?: boolean; hasHeaders?: boolean }) {
  const { manifest, onChange, issues, isStrict, isKnown = false } = props
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const editor = useMemo(
    () => ({
      manifest,
      onChange,
      issues,
      isStrict,
      touched,
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
        <Signature />
        <Health />
        <Schemas />
      </div>
    </EditorContext>
  )
}

function About({ isKnown }: { isKnown: boolean }) {
  const { manifest } = useEditor()
  return (
    <Card title="About">
      <div className="flex flex-col gap-4">
        <div className={pair}>
          <Line path="serviceName" label="Name" placeholder="Weather" />
          <Line
            path="agentToolName"
            label="Tool name"
            placeholder="weather"
            hint={
              isKnown
                ? 'The previous name continues to work.'
                : 'The name that agents use. If empty, it is derived from the service name.'
            }
          />
        </div>
        <Line
          isLong
          path="summary"
          label="Summary"
          placeholder="The weather in any city, now and for ten days."
          hint="One or two sentences. Agents choose services by this text."
        />
        <Tags />
        {isMetered(manifest) && <Modalities />}
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
  const { manifest } = useEditor()
  if (!isMetered(manifest))
    return (
      <Line
        className="sm:max-w-[calc(50%-0.5rem)]"
        path="pricing.amount"
        label="Price of a call"
        unit="USDC"
        inputMode="decimal"
        placeholder="0.05"
        hint="Charged only for 2xx responses. Enter 0 to make it free."
      />
    )
  return (
    <div className="flex flex-col gap-4">
      <div className={pair}>
        <TokenPrices />
        <HoldTerms />
      </div>
    </div>
  )
}

function TokenPrices() {
  return (
    <>
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
        path="cacheReadPricePer1M"
        label="A million input tokens read from your cache"
        unit="USDC"
        inputMode="decimal"
        hint="If empty, the input price applies."
      />
      <Line
        path="cacheWritePricePer1M"
        label="A million input tokens written to your cache"
        unit="USDC"
        inputMode="decimal"
        hint="If empty, the input price applies."
      />
    </>
  )
}

function HoldTerms() {
  const { manifest, onChange } = useEditor()
  return (
    <>
      <Line
        isNumber
        path="defaultMaxOutputTokens"
        label="Default output tokens"
        placeholder="4096"
        hint="Used to calculate the hold of a call."
      />
      <Line
        path="maxAutoHoldUsdc"
        label="Largest automatic hold"
        unit="USDC"
        inputMode="decimal"
        placeholder="1"
        hint="More expensive calls must state their maximum cost."
      />
      <Field label="Dialect" hint="The request format of your API and how it reports usage.">
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
        hint="Set in every call, so that the price applies to one model."
      />
      <Line
        path="modelFamily"
        label="Model family"
        placeholder="llama-3.3-70b"
        hint="The name shared by all services of this model. Agents can let the gateway choose among them."
      />
      <Line
        isNumber
        path="mediaTokens"
        label="Input tokens per image, audio clip or file"
        placeholder="2000"
        hint="Added to the hold for each one sent as base64."
      />
      <Line
        isNumber
        path="contextTokens"
        label="Context window of the model, in tokens"
        hint="Allows calls that refer to earlier responses, stored files or remote URLs. Their hold counts this many input tokens. If empty, such calls are refused."
      />
    </>
  )
}

const signatures = [
  { value: 'ed25519', label: 'Ed25519' },
  { value: 'hmac-sha256', label: 'HMAC-SHA256' },
] as const

function Signature() {
  const { manifest, onChange, issues } = useEditor()
  const fault = issues.find(({ path }) => path === 'signature')?.message
  const isHmac = readAt(manifest, 'signature') === 'hmac-sha256'
  return (
    <Card title="Signature">
      <Field
        label="Calls are signed by"
        hint={
          isHmac
            ? 'With the signing secret of your wallet (see Secrets). Your servers verify requests with it.'
            : 'With the published keys of this gateway.'
        }
        error={fault}
      >
        <Select
          className="w-full sm:max-w-[calc(50%-0.5rem)]"
          options={signatures}
          value={isHmac ? 'hmac-sha256' : 'ed25519'}
          onChange={value => onChange(writeAt(manifest, 'signature', value))}
        />
      </Field>
    </Card>
  )
}

const schemas = [
  { path: 'invoke.request.body', label: 'Request body' },
  { path: 'invoke.response.body', label: 'Response body' },
  { path: 'invoke.request.query', label: 'Query parameters' },
  { path: 'invoke.request.path', label: 'Path parameters' },
] as const

function Schemas() {
  const { manifest, onChange, issues } = useEditor()
  const faultAt = (path: string) => issues.find(issue => issue.path.startsWith(path))?.message
  return (
    <Card title="Schemas">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          JSON Schema of the request and the response. Agents read it. A call that does not match the request
          schema is refused without a charge.
        </p>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          {schemas.map(({ path, label }) => (
            <JsonField
              key={path}
              label={label}
              value={readAt(manifest, path)}
              fault={faultAt(path)}
              onChange={value => onChange(writeAt(manifest, path, value))}
            />
          ))}
        </div>
      </div>
    </Card>
  )
}
