import { type ReactNode, useState } from 'react'
import { Checkbox, Field, Input, Textarea } from '../../ui/forms/field.tsx'
import { Select } from '../../ui/forms/select.tsx'
import type { Member } from './schema-fields.ts'

type Values = Readonly<Record<string, unknown>>

const UNSET = ''

/** Form fields for a request. Empty ones are not sent. */
export function SchemaForm(props: {
  members: readonly Member[]
  values: Values
  onChange: (values: Values) => void
  /** The gateway's validation messages by member. */
  faults: Readonly<Record<string, string>>
}) {
  const { members, values, onChange, faults } = props
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values
    onChange(value === undefined ? others : { ...values, [name]: value })
  }
  return (
    <div className="flex flex-col gap-4">
      {members.map(member => (
        <MemberField
          key={member.name}
          member={member}
          value={values[member.name]}
          fault={faults[member.name]}
          onChange={value => set(member.name, value)}
        />
      ))}
    </div>
  )
}

function MemberField(props: {
  member: Member
  value: unknown
  fault: string | undefined
  onChange: (value: unknown) => void
}) {
  const { member, value, fault, onChange } = props
  const { title, hint, isRequired, kind, values, placeholder } = member
  if (kind === 'boolean')
    return (
      <div className="flex flex-col gap-1">
        <Checkbox
          label={title}
          checked={value === true}
          onChange={event => onChange(event.target.checked)}
          className="font-medium"
        />
        {hint !== undefined && <p className="pl-6 text-sm text-faint">{hint}</p>}
      </div>
    )
  if (kind === 'file') return <FileField {...props} />
  if (kind === 'number' || kind === 'integer' || kind === 'json') return <ParsedField {...props} />
  return (
    <Labelled member={member} fault={fault}>
      {kind === 'choice' ? (
        <Select
          value={typeof value === 'string' ? value : 'unset'}
          onChange={next => onChange(next === 'unset' ? undefined : next)}
          options={[
            ...(isRequired ? [] : [{ value: 'unset', label: 'Not sent' }]),
            ...values.map(each => ({ value: each, label: each })),
          ]}
        />
      ) : kind === 'long' ? (
        <Textarea
          rows={4}
          placeholder={placeholder}
          value={textOf(value)}
          onChange={event => onChange(event.target.value === UNSET ? undefined : event.target.value)}
        />
      ) : (
        <Input
          placeholder={placeholder}
          value={textOf(value)}
          onChange={event => onChange(event.target.value === UNSET ? undefined : event.target.value)}
        />
      )}
    </Labelled>
  )
}

/** Maximum size of a file, in bytes: a call has a megabyte, and Base64 adds a third. */
const FILE_BYTES_MAX = 700_000

/** A file that is sent as Base64. */
function FileField(props: {
  member: Member
  value: unknown
  fault: string | undefined
  onChange: (value: unknown) => void
}) {
  const { member, fault, onChange } = props
  const [broken, setBroken] = useState<string>()
  const take = async (file: File | undefined) => {
    const isTooLarge = file !== undefined && file.size > FILE_BYTES_MAX
    setBroken(isTooLarge ? 'At most 700 kB.' : undefined)
    if (file === undefined || isTooLarge) return onChange(undefined)
    const bytes = Array.from(new Uint8Array(await file.arrayBuffer()), byte => String.fromCharCode(byte))
    const contentType = file.type === '' ? 'application/octet-stream' : file.type
    onChange({ base64: btoa(bytes.join('')), filename: file.name, contentType })
  }
  return (
    <Labelled member={member} fault={broken ?? fault}>
      <Input type="file" onChange={({ target }) => void take(target.files?.[0])} />
    </Labelled>
  )
}

/** A field whose text is parsed. Invalid text shows an error and leaves the value unchanged. */
function ParsedField(props: {
  member: Member
  value: unknown
  fault: string | undefined
  onChange: (value: unknown) => void
}) {
  const { member, value, fault, onChange } = props
  const { kind, placeholder } = member
  const written = value === undefined ? '' : JSON.stringify(value, null, kind === 'json' ? 2 : 0)
  const [typed, setTyped] = useState(written)
  // The value may have been edited in the JSON view.
  const isSame = sameAs(read(typed, kind).value, value)
  const shown = isSame || read(typed, kind).fault !== undefined ? typed : written
  const broken = read(shown, kind).fault
  const change = (text: string) => {
    setTyped(text)
    const next = read(text, kind)
    if (next.fault === undefined) onChange(next.value)
  }
  return (
    <Labelled member={member} fault={broken ?? fault}>
      {kind === 'json' ? (
        <Textarea
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
          placeholder={placeholder}
          value={shown}
          onChange={event => change(event.target.value)}
        />
      ) : (
        <Input
          inputMode="decimal"
          placeholder={placeholder}
          className="tabular"
          value={shown}
          onChange={event => change(event.target.value)}
        />
      )}
    </Labelled>
  )
}

/** The frame of a member's input: its title, whether it is optional, its hint and its fault. */
function Labelled({
  member,
  fault,
  children,
}: {
  member: Member
  fault: string | undefined
  children: ReactNode
}) {
  const { title, hint, isRequired } = member
  return (
    <Field
      label={title}
      error={fault}
      {...(hint !== undefined && { hint })}
      {...(!isRequired && { aside: <span className="text-xs text-faint">optional</span> })}
    >
      {children}
    </Field>
  )
}

const textOf = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const sameAs = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

function read(text: string, kind: Member['kind']): { value?: unknown; fault?: string } {
  if (text.trim() === '') return {}
  if (kind === 'json') {
    try {
      return { value: JSON.parse(text) }
    } catch {
      return { fault: 'This is not valid JSON.' }
    }
  }
  const value = Number(text)
  if (!Number.isFinite(value)) return { fault: 'Enter a number.' }
  return kind === 'integer' && !Number.isInteger(value) ? { fault: 'Enter a whole number.' } : { value }
}
