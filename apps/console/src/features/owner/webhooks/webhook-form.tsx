import { GatewayError } from '@farebox/client/errors'
import { useState } from 'react'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { Checkbox, Field, Input } from '../../../ui/forms/field.tsx'
import { issuesOf } from '../../../ui/forms/issues.ts'
import { type EventType, events } from './webhook-labels.ts'

/** URL and events of a webhook. */
export type WebhookFields = { readonly url: string; readonly events: EventType[] }

/** A dialog for a new or changed webhook. */
export function WebhookForm(props: {
  title: string
  description: string
  initial: WebhookFields
  action: string
  error: unknown
  isBusy: boolean
  onClose: () => void
  onSubmit: (fields: WebhookFields) => void
}) {
  const [url, setUrl] = useState(props.initial.url)
  const [chosen, choose] = useState<readonly EventType[]>(props.initial.events)
  const [own, setOwn] = useState<{ url?: string; events?: string }>({})
  const { error } = props
  const unsafe =
    error instanceof GatewayError && error.code === 'UNSAFE_TARGET_URL' ? error.message : undefined
  const theirs = { ...issuesOf(error), ...(unsafe !== undefined && { url: unsafe }) }
  const problems: { url?: string; events?: string } = { ...theirs, ...own }
  const isElsewhere = error !== null && problems.url === undefined && problems.events === undefined

  function submit() {
    const wrong = {
      ...(!/^https?:\/\/\S+$/.test(url.trim()) && {
        url: 'Enter a URL, such as https://example.com/hooks.',
      }),
      ...(chosen.length === 0 && { events: 'Select at least one event.' }),
    }
    setOwn(wrong)
    if (Object.keys(wrong).length === 0) props.onSubmit({ url: url.trim(), events: [...chosen] })
  }

  return (
    <FormDialog
      title={props.title}
      description={props.description}
      action={props.action}
      isBusy={props.isBusy}
      error={isElsewhere ? error : null}
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Field
        label="Address"
        error={problems.url}
        hint="Receives a POST request for each event. Must be a public HTTPS URL."
      >
        <Input
          value={url}
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/hooks/farebox"
          onChange={event => {
            setUrl(event.target.value)
            setOwn(({ url: _, ...rest }) => rest)
          }}
        />
      </Field>
      <EventBoxes
        chosen={chosen}
        problem={problems.events}
        onChange={types => {
          choose(types)
          setOwn(({ events: _, ...rest }) => rest)
        }}
      />
    </FormDialog>
  )
}

function EventBoxes(props: {
  chosen: readonly EventType[]
  problem: string | undefined
  onChange: (types: EventType[]) => void
}) {
  const { chosen, problem, onChange } = props
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1.5 text-sm font-medium">Events</legend>
      {events.map(({ type, text }) => (
        <Checkbox
          key={type}
          className="rounded px-1.5 py-1 hover:bg-hover max-sm:items-start"
          label={
            <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
              <span>{text}</span>
              <code className="font-mono text-xs text-faint">{type}</code>
            </span>
          }
          checked={chosen.includes(type)}
          onChange={event =>
            onChange(event.target.checked ? [...chosen, type] : chosen.filter(each => each !== type))
          }
        />
      ))}
      {problem !== undefined && (
        <p role="alert" className="mt-1 text-sm text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
