import { createContext, type ReactNode, useContext } from 'react'
import { Field, Input, Textarea } from '../../../ui/forms/field.tsx'
import { type Manifest, numberOf, textAt, writeAt } from './manifest.ts'
import type { Issue } from './manifest-issues.ts'

/** What the fields of a manifest work on. */
export type Editor = {
  readonly manifest: Manifest
  readonly onChange: (manifest: Manifest) => void
  readonly issues: readonly Issue[]
  /** Whether all faults are told, or only those of fields that somebody was in. */
  readonly isStrict: boolean
}
export const EditorContext = createContext<
  (Editor & { touched: ReadonlySet<string>; touch: (path: string) => void }) | null
>(null)

/** The manifest that is edited; inside of a ManifestForm only. */
export function useEditor() {
  const editor = useContext(EditorContext)
  if (editor === null) throw new Error('Fields of a manifest stand in its form.')
  return editor
}

/** A fault that is to be told at a path: of a field that somebody was in, or of any. */
export function useFault(path: string): string | undefined {
  const { issues, isStrict, touched } = useEditor()
  if (!isStrict && !touched.has(path)) return undefined
  return issues.find(issue => issue.path === path)?.message
}

/** A line of text of the manifest. */
export function Line(props: {
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

/** Two fields side by side where there is room. */
export const pair = 'grid grid-cols-1 items-start gap-4 sm:grid-cols-2'
