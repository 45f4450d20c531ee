import { clsx } from 'clsx'
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'

const control = clsx(
  'w-full rounded-md border border-line-strong bg-raised px-3 text-base text-text transition-colors',
  'hover:border-faint aria-invalid:border-danger disabled:opacity-60',
)
type FieldIds = { id: string; describedBy: string | undefined; isInvalid: boolean }
const FieldContext = createContext<FieldIds | null>(null)

/** Returns the props that connect a control with its {@link Field}, for controls outside this file. */
export function useFieldControl() {
  const field = useContext(FieldContext)
  if (field === null) return {}
  return { id: field.id, 'aria-describedby': field.describedBy, 'aria-invalid': field.isInvalid || undefined }
}

/** A label, a hint and an error around one control. */
export function Field(props: {
  label: ReactNode
  hint?: ReactNode
  error?: string | null | undefined
  /** Shown at the end of the label's line, such as a link. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}) {
  const id = useId()
  const hasError = props.error !== undefined && props.error !== null && props.error !== ''
  const hasHint = props.hint !== undefined
  const describedBy = [hasError && `${id}-error`, hasHint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className={clsx('flex flex-col gap-1.5', props.className)}>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-sm font-medium">
          {props.label}
        </label>
        {props.aside}
      </div>
      <FieldContext value={{ id, describedBy: describedBy || undefined, isInvalid: hasError }}>
        {props.children}
      </FieldContext>
      {hasError && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {props.error}
        </p>
      )}
      {hasHint && (
        <p id={`${id}-hint`} className="text-sm text-faint">
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** A text input. `unit` is shown at its end, such as USDC. */
export function Input({ className, unit, ...rest }: ComponentProps<'input'> & { unit?: string }) {
  const field = useFieldControl()
  const input = (
    <input
      {...field}
      {...rest}
      className={clsx(
        control,
        'h-9',
        rest.type === 'file' && 'py-1.5 file:mr-3 file:font-medium',
        unit !== undefined && 'pr-16 tabular',
        className,
      )}
    />
  )
  if (unit === undefined) return input
  return (
    <span className="relative block">
      {input}
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-faint"
      >
        {unit}
      </span>
    </span>
  )
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  const field = useFieldControl()
  return (
    <textarea rows={4} {...field} {...rest} className={clsx(control, 'py-2 leading-relaxed', className)} />
  )
}

/** A checkbox with a label. */
export function Checkbox({ label, className, ...rest }: ComponentProps<'input'> & { label: ReactNode }) {
  return (
    <label className={clsx('flex items-center gap-2 text-base', className)}>
      <input type="checkbox" {...rest} className="size-4 rounded accent-accent" />
      {label}
    </label>
  )
}
