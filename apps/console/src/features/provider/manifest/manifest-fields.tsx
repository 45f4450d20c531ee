import { createContext, type ReactNode, useContext } from 'react'
import { Field, Input, Textarea } from '../../../ui/forms/field.tsx'
import { type Manifest, numberOf, textAt, writeAt } from './manifest.ts'
import type { Issue } from './manifest-issues.ts'

/** The context of the fields of a manifest. */
export type Editor = {
  readonly manifest: Manifest
  readonly onChange: (manifest: Manifest) => void
  readonly issues: readonly Issue[]
  /** Show the faults of all fields, and not only of those that were touched. */
  readonly isStrict: boolean
}
export const EditorContext = createContext<
  (Editor & { touched: ReadonlySet<string>; touch: (path: string) => void }) | null
>(null)

/** Returns the edited manifest; inside a ManifestForm only. */
export function useEditor() {
  const editor = useContext(EditorContext)
  if (editor === null) throw new Error('Fields of a manifest stand in its form.')
  return editor
}

/** Returns the fault to show at a path: only of a touched field unless `isStrict`. */
export function useFault(path: string): string | undefined {
  const { issues, isStrict, touched } = useEditor()
  if (!isStrict && !touched.has(path)) return undefined
  return issues.find(issue => issue.path === path)?.message
}

/** A text field of the manifest. */
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
