import { useState } from 'react'
import { Field, Textarea } from '../../../ui/forms/field.tsx'

/** A field for a JSON value. Invalid text shows an error and leaves the value unchanged. */
export function JsonField(props: {
  label: string
  value: unknown
  fault: string | undefined
  onChange: (value: unknown) => void
}) {
  const { label, value, fault, onChange } = props
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [broken, setBroken] = useState<string>()
  return (
    <Field label={label} error={broken ?? fault}>
      <Textarea
        rows={8}
        className="font-mono text-sm"
        spellCheck={false}
        value={text}
        placeholder={'{\n  "type": "object"\n}'}
        onChange={({ target }) => {
          setText(target.value)
          const read = readJson(target.value)
          setBroken(read.fault)
          if (read.fault === undefined) onChange(read.value)
        }}
      />
    </Field>
  )
}

/** Parses JSON; `value` is undefined for an empty text. */
export function readJson(text: string): { value?: unknown; fault?: string } {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `This is not valid JSON yet: ${(error as Error).message}` }
  }
}
