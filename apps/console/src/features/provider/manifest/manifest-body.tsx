import { Field } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { isMetered, type Manifest, readAt, textAt, writeAt } from './manifest.ts'
import { Line, useEditor, useFault } from './manifest-fields.tsx'

const encodings = [
  { value: 'json', label: 'JSON', hint: 'The payload is sent as JSON.' },
  { value: 'form', label: 'Form', hint: 'Sent as form fields. Arrays repeat their field.' },
  {
    value: 'multipart',
    label: 'Form with files',
    hint: 'Sent as multipart: text fields, and files as {base64, filename}.',
  },
  { value: 'text', label: 'Text', hint: 'The payload is text, sent unchanged.' },
] as const

/** Returns how the body of a call is sent. */
export function encodingOf(manifest: Manifest): (typeof encodings)[number] {
  const given = readAt(manifest, 'invoke.encoding')
  return encodings.find(({ value }) => value === given) ?? encodings[0]
}

/** Returns true if calls send no body. */
export const isBodiless = (manifest: Manifest): boolean =>
  ['GET', 'HEAD', 'DELETE'].includes(textAt(manifest, 'invoke.method'))

/** How the body of a call is sent; nothing where there is none. */
export function BodyFields() {
  const { manifest, onChange } = useEditor()
  const fault = useFault('invoke.encoding')
  const encoding = encodingOf(manifest)
  if ((isBodiless(manifest) && encoding.value === 'json') || isMetered(manifest)) return null
  const change = (value: string) => {
    const next = writeAt(manifest, 'invoke.encoding', value === 'json' ? undefined : value)
    onChange(value === 'text' ? next : writeAt(next, 'invoke.contentType', undefined))
  }
  return (
    <>
      <Field label="Body" hint={encoding.hint} error={fault}>
        <Select
          className="w-full"
          options={encodings.map(({ value, label }) => ({ value, label }))}
          value={encoding.value}
          onChange={change}
        />
      </Field>
      {encoding.value === 'text' && (
        <Line
          path="invoke.contentType"
          label="Content type"
          placeholder="text/plain; charset=utf-8"
          hint="Content type of the text, such as text/xml."
        />
      )}
    </>
  )
}

/** The path that probes of a target ask for, where its address has placeholders or it is set. */
export function HealthPath({ index }: { index: number }) {
  const { manifest } = useEditor()
  const target = readAt(manifest, `invoke.targets.${index}`)
  const url = readAt(target, 'url')
  const isNeeded =
    (typeof url === 'string' && url.includes('{')) || typeof readAt(target, 'healthPath') === 'string'
  if (!isNeeded) return null
  return (
    <Line
      className="col-span-full"
      path={`invoke.targets.${index}.healthPath`}
      label={`Path for probes of target ${index + 1}`}
      placeholder="/health"
      hint="If empty, its URL up to the first {."
    />
  )
}
