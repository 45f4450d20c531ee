import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { formatShare } from '../../../ui/values/shares.ts'
import { isMetered, readAt, writeAt } from './manifest.ts'
import { BodyFields, HealthPath, isBodiless } from './manifest-body.tsx'
import { Line, pair, useEditor, useFault } from './manifest-fields.tsx'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
const TARGETS_MAX = 8

type Target = { readonly url?: unknown; readonly weight?: unknown }

/** Method, timeout and targets of calls. */
export function Targets() {
  const { manifest, onChange } = useEditor()
  const given = readAt(manifest, 'invoke.targets')
  const targets: readonly Target[] = Array.isArray(given) ? given : []
  const whole = targets.reduce((sum, { weight }) => sum + (Number(weight ?? 1) || 0), 0)
  const shareOf = ({ weight }: Target) =>
    targets.length > 1 && whole > 0
      ? `${formatShare((Number(weight ?? 1) || 0) / whole)} of calls`
      : undefined
  const fault = useFault('invoke.targets')
  const change = (next: readonly Target[]) => onChange(writeAt(manifest, 'invoke.targets', next))
  return (
    <Card title="Targets and timeouts">
      <div className="flex flex-col gap-4">
        <Request />
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-1.5 text-sm font-medium">Targets</legend>
          {targets.map((target, index) => (
            <TargetRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a target is its place
              key={index}
              index={index}
              share={shareOf(target)}
              isOnly={targets.length === 1}
              onRemove={() => change(targets.toSpliced(index, 1))}
            />
          ))}
          {fault !== undefined && (
            <p role="alert" className="text-sm text-danger">
              {fault}
            </p>
          )}
          <Button
            size="sm"
            className="self-start"
            icon={<Plus aria-hidden className="size-4" />}
            disabled={targets.length >= TARGETS_MAX}
            onClick={() => change([...targets, { url: '', weight: 1 }])}
          >
            Add target
          </Button>
        </fieldset>
      </div>
    </Card>
  )
}

function Request() {
  const { manifest, onChange } = useEditor()
  return (
    <div className={pair}>
      <Field
        label="Method"
        hint={isBodiless(manifest) ? 'Payload fields become query parameters.' : undefined}
      >
        <Select
          className="w-full"
          disabled={isMetered(manifest)}
          options={methods.map(value => ({ value, label: value }))}
          value={methods.find(value => value === readAt(manifest, 'invoke.method')) ?? 'POST'}
          onChange={value => onChange(writeAt(manifest, 'invoke.method', value))}
        />
      </Field>
      <Line
        isNumber
        path="invoke.timeoutMs"
        label="Response timeout"
        unit="ms"
        placeholder="30000"
        hint="Until the complete response, or the headers of a stream. At most 120,000 ms."
      />
      <Line
        isNumber
        path="invoke.streamMaxMs"
        label="Maximum stream duration"
        unit="ms"
        placeholder="600000"
        hint="At most 3,600,000 ms."
      />
      <Line
        isNumber
        path="invoke.streamIdleTimeoutMs"
        label="Stream idle timeout"
        unit="ms"
        placeholder="60000"
        hint="At most 300,000 ms."
      />
      <BodyFields />
    </div>
  )
}

function TargetRow(props: {
  index: number
  share: string | undefined
  isOnly: boolean
  onRemove: () => void
}) {
  const { index, share, isOnly, onRemove } = props
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_5rem_2rem] items-start gap-2 sm:grid-cols-[minmax(0,1fr)_6rem_2rem]">
      <Line
        path={`invoke.targets.${index}.url`}
        label={`URL of target ${index + 1}`}
        inputMode="url"
        placeholder="https://api.example.com/v1/users/{id}"
        hint={index === 0 ? 'Each call fills in a {name} in the path.' : undefined}
      />
      <Line isNumber path={`invoke.targets.${index}.weight`} label="Weight" hint={share} />
      <IconButton
        className="mt-6.5"
        label={`Remove target ${index + 1}`}
        disabled={isOnly}
        onClick={onRemove}
      >
        <Trash2 />
      </IconButton>
      <HealthPath index={index} />
    </div>
  )
}
