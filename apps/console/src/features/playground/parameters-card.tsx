import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Textarea } from '../../ui/forms/field.tsx'
import { Card } from '../../ui/layout/page.tsx'
import { safeSessionStorage } from '../../ui/state/safe-storage.ts'
import { formatCount } from '../../ui/values/format-measures.ts'
import type { Model } from './service-kinds.ts'
import type { Parameters } from './stream-chat.ts'

/** Parameters as typed. */
export type Typed = {
  readonly system: string
  readonly maxTokens: string
  readonly temperature: string
  readonly topP: string
}

const untouched: Typed = { system: '', maxTokens: '', temperature: '', topP: '' }
const PREFIX = 'farebox.playground.parameters.'
const SYSTEM_LENGTH_MAX = 20_000
const TOKENS_MAX = 10_000_000
const TEMPERATURE_MAX = 2

/** Keeps the typed parameters in this tab. */
export function useParameters(serviceId: string) {
  const [typed, setTyped] = useState<Typed>(() => {
    try {
      return { ...untouched, ...JSON.parse(safeSessionStorage.getItem(PREFIX + serviceId) ?? '{}') }
    } catch {
      return untouched
    }
  })
  const change = (part: Partial<Typed>) => {
    const next = { ...typed, ...part }
    setTyped(next)
    safeSessionStorage.setItem(PREFIX + serviceId, JSON.stringify(next))
  }
  return { typed, change, ...readParameters(typed) }
}

/** Parses the parameters, or returns null with the problems. */
function readParameters(typed: Typed): {
  parameters: Parameters | null
  problems: Partial<Record<keyof Typed, string>>
} {
  const problems: Partial<Record<keyof Typed, string>> = {}
  const number = (name: 'maxTokens' | 'temperature' | 'topP', min: number, max: number): number | null => {
    const text = typed[name].trim()
    if (text === '') return null
    const value = Number(text)
    const isWhole = name !== 'maxTokens' || Number.isInteger(value)
    if (!Number.isFinite(value) || value < min || value > max || !isWhole)
      problems[name] = name === 'maxTokens' ? 'A whole number, 1 or more.' : `From ${min} to ${max}.`
    return value
  }
  const parameters = {
    system: typed.system,
    maxTokens: number('maxTokens', 1, TOKENS_MAX),
    temperature: number('temperature', 0, TEMPERATURE_MAX),
    topP: number('topP', 0, 1),
  }
  return { parameters: Object.keys(problems).length > 0 ? null : parameters, problems }
}

/** The system prompt and sampling parameters of a model. */
export function ParametersCard(props: {
  model: Model
  typed: Typed
  problems: Partial<Record<keyof Typed, string>>
  onChange: (part: Partial<Typed>) => void
}) {
  const { model, typed, problems, onChange } = props
  const isTouched = Object.values(typed).some(text => text !== '')
  return (
    <Card
      title="Parameters"
      actions={
        isTouched && (
          <Button size="sm" variant="ghost" onClick={() => onChange(untouched)}>
            Reset
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="System prompt">
          <Textarea
            rows={3}
            maxLength={SYSTEM_LENGTH_MAX}
            placeholder="You are a helpful assistant."
            value={typed.system}
            onChange={event => onChange({ system: event.target.value })}
          />
        </Field>
        <Field
          label="Maximum output tokens"
          error={problems.maxTokens}
          hint="A lower maximum reduces the hold."
        >
          <Input
            inputMode="numeric"
            className="tabular"
            placeholder={formatCount(model.defaultMaxOutputTokens)}
            value={typed.maxTokens}
            onChange={event => onChange({ maxTokens: event.target.value })}
          />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="Temperature" error={problems.temperature}>
            <Input
              inputMode="decimal"
              className="tabular"
              placeholder="default"
              value={typed.temperature}
              onChange={event => onChange({ temperature: event.target.value })}
            />
          </Field>
          <Field label="Top P" error={problems.topP}>
            <Input
              inputMode="decimal"
              className="tabular"
              placeholder="default"
              value={typed.topP}
              onChange={event => onChange({ topP: event.target.value })}
            />
          </Field>
        </div>
      </div>
    </Card>
  )
}
