import { type ReactNode, useState } from 'react'
import { Field } from '../forms/field.tsx'
import { Select } from '../forms/select.tsx'
import { FormDialog } from './form-dialog.tsx'

const overlaps = [
  { value: '0', label: 'Stops working immediately' },
  { value: '300', label: 'Works for 5 more minutes' },
  { value: '3600', label: 'Works for 1 more hour' },
  { value: '86400', label: 'Works for 1 more day' },
  { value: '604800', label: 'Works for 7 more days' },
] as const

/** Asks for how long the current token or secret keeps working, and replaces it by a new one. */
export function RotateDialog(props: {
  /** Name of the secret, such as `token`. */
  noun: string
  description: ReactNode
  hint: string
  /** The overlap that is chosen first. */
  initial: (typeof overlaps)[number]['value']
  /** The mutation that replaces it. */
  rotating: { isPending: boolean; error: unknown; mutate: (overlapSeconds: number) => void }
  onClose: () => void
}) {
  const { noun, rotating, hint, initial, ...rest } = props
  const [overlap, setOverlap] = useState(initial)
  return (
    <FormDialog
      {...rest}
      title={`Rotate the ${noun}`}
      action="Rotate"
      isBusy={rotating.isPending}
      error={rotating.error}
      onSubmit={() => rotating.mutate(Number(overlap))}
    >
      <Field label={`Current ${noun}`} hint={hint}>
        <Select className="w-full" options={overlaps} value={overlap} onChange={setOverlap} />
      </Field>
    </FormDialog>
  )
}
