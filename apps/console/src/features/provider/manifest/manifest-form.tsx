import { type ReactNode, useMemo, useState } from 'react'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { HeadersCard } from './headers-card.tsx'
import { JsonField } from './json-field.tsx'
import { isMetered, readAt, writeAt } from './manifest.ts'
import { type Editor, EditorContext, Line, pair, useEditor } from './manifest-fields.tsx'
import { Health } from './manifest-health.tsx'
import { Modalities } from './manifest-modalities.tsx'
import { ModelCard, PriceModel } from './manifest-price.tsx'
import { Targets } from './manifest-targets.tsx'

/** The fields of a registered service, with the issues beside them. Its price is changed elsewhere. */
export function ManifestForm(props: Editor & { hasHeaders: boolean }) {
  return (
    <ManifestEditor {...props}>
      <div className="flex flex-col gap-5">
        <About isKnown />
        {isMetered(props.manifest) && <ModelCard />}
        <Targets />
        <HeadersCard hasKept={props.hasHeaders} />
        <Signature />
        <Health />
        <Schemas />
      </div>
    </ManifestEditor>
  )
}

/** Gives the fields inside it the manifest to edit. */
export function ManifestEditor(props: Editor & { children: ReactNode }) {
  const { manifest, onChange, issues, isStrict, children } = props
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
  return <EditorContext value={editor}>{children}</EditorContext>
}

/** @param props.isKnown the service is already registered */
export function About({ isKnown = false }: { isKnown?: boolean }) {
  const { manifest } = useEditor()
  return (
    <Card title="About" actions={!isKnown && <PriceModel />}>
      <div className="flex flex-col gap-4">
        <div className={pair}>
          <Line path="serviceName" label="Name" placeholder="Weather" />
          <Line
            path="agentToolName"
            label="Tool name"
            placeholder="weather"
            hint={
              isKnown
                ? 'The previous name works for 30 days.'
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
        <Line
          isLong
          path="description"
          label="Description"
          hint="Optional. Shown in full on the page of the service."
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

/** How calls to the targets are signed; the first is the default. */
export const signatures = [
  { value: 'ed25519', label: 'Ed25519' },
  { value: 'hmac-sha256', label: 'HMAC-SHA256' },
] as const

/** Chooses how calls to the targets are signed. */
export function Signature() {
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

/** The JSON Schemas of requests and responses. */
export function Schemas() {
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
