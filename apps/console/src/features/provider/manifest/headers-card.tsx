import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { readAt, writeAt } from './manifest.ts'
import { useEditor } from './manifest-fields.tsx'

type Row = { readonly name: string; readonly value: string }

const rowsOf = (given: unknown): Row[] =>
  typeof given === 'object' && given !== null
    ? Object.entries(given).map(([name, value]) => ({ name, value: String(value) }))
    : []

/**
 * Headers that the gateway sends to the targets, such as API keys.
 *
 * @param props.hasKept the gateway stores some, which it never shows; they stay unless they are replaced
 */
export function HeadersCard({ hasKept = false }: { hasKept?: boolean }) {
  const { manifest, onChange, issues } = useEditor()
  const given = readAt(manifest, 'upstreamHeaders')
  const [rows, setRows] = useState(() => rowsOf(given))
  const isReplacing = !hasKept || given !== undefined
  const change = (next: readonly Row[], whenEmpty: unknown = undefined) => {
    setRows([...next])
    const named = next.filter(({ name }) => name.trim() !== '')
    const headers = Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]))
    onChange(writeAt(manifest, 'upstreamHeaders', named.length === 0 ? whenEmpty : headers))
  }
  const faultOf = (name: string) =>
    issues.find(({ path }) => path === `upstreamHeaders.${name}` || path === `upstreamHeaders.${name.trim()}`)
      ?.message
  return (
    <Card title="Headers for your targets">
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Sent with every call and probe, such as the key of your own API. Stored encrypted and never shown
          again.
        </p>
        {isReplacing ? (
          <>
            {rows.map((row, index) => (
              <HeaderRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a header is its place
                key={index}
                row={row}
                number={index + 1}
                fault={row.name === '' ? undefined : faultOf(row.name)}
                onChange={changed => change(rows.with(index, changed))}
                onRemove={() => change(rows.toSpliced(index, 1), hasKept ? null : undefined)}
              />
            ))}
            {hasKept && rows.length === 0 && (
              <p className="text-sm text-warn">Saving now removes all headers of the service.</p>
            )}
            <Button
              size="sm"
              className="self-start"
              icon={<Plus aria-hidden className="size-4" />}
              onClick={() => setRows([...rows, { name: '', value: '' }])}
            >
              Add header
            </Button>
          </>
        ) : (
          <Button
            size="sm"
            className="self-start"
            onClick={() => {
              setRows([{ name: '', value: '' }])
              onChange(writeAt(manifest, 'upstreamHeaders', null))
            }}
          >
            Replace the stored headers
          </Button>
        )}
      </div>
    </Card>
  )
}

function HeaderRow(props: {
  row: Row
  number: number
  fault: string | undefined
  onChange: (row: Row) => void
  onRemove: () => void
}) {
  const { row, number, fault, onChange, onRemove } = props
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_2rem] items-start gap-2">
      <Field label="Header" error={fault}>
        <Input
          value={row.name}
          placeholder="x-api-key"
          autoComplete="off"
          onChange={({ target }) => onChange({ ...row, name: target.value })}
        />
      </Field>
      <Field label="Value">
        <Input
          type="password"
          value={row.value}
          autoComplete="off"
          onChange={({ target }) => onChange({ ...row, value: target.value })}
        />
      </Field>
      <IconButton className="mt-6.5" label={`Remove header ${row.name || number}`} onClick={onRemove}>
        <Trash2 />
      </IconButton>
    </div>
  )
}
