import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { AskBeforeLeaving } from '../../../ui/forms/ask-before-leaving.tsx'
import { Checkbox, Field, Input } from '../../../ui/forms/field.tsx'
import {
  type AlertChange,
  type AlertSettings,
  alertTypes,
  isOff,
  readAlerts,
  type TypedAlerts,
  typedOf,
} from './alert-labels.ts'

/** Form of an owner's alert settings. */
export function AlertSettingsForm({ settings }: { settings: AlertSettings }) {
  const [typed, setTyped] = useState<TypedAlerts>(() => typedOf(settings))
  const [isChecked, setChecked] = useState(false)
  // They change by being saved, here or in another tab, and by the button that turns the usual ones on.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed stays while nothing was saved
  useEffect(() => setTyped(typedOf(settings)), [settings.updatedAt])
  const set = (changes: Partial<TypedAlerts>) => setTyped(before => ({ ...before, ...changes }))
  const { change, problems } = readAlerts(typed)
  const shown = isChecked ? problems : {}
  const isSame = JSON.stringify(typed) === JSON.stringify(typedOf(settings))
  const saved = isOff(settings) ? 'All alerts are off.' : 'Saved.'
  const saving = useSaving('Alerts saved.')

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (change !== undefined) saving.mutate(change)
  }
  const text = (name: 'below' | 'percent' | 'minCalls') => ({
    autoComplete: 'off',
    placeholder: 'Off',
    value: typed[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  })
  const box = (name: 'at80' | 'at100' | 'byEmail' | 'byWebhook') => ({
    checked: typed[name],
    onChange: (event: { target: { checked: boolean } }) => set({ [name]: event.target.checked }),
  })
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <AskBeforeLeaving isUnsaved={!isSame} />
      <div className="grid gap-x-10 gap-y-6 md:grid-cols-2">
        <Group legend="When a credential has used">
          <Checkbox label="80% of its credit or calls" {...box('at80')} />
          <Checkbox label="All of it, or too much to make another call" {...box('at100')} />
        </Group>
        <Group legend="When the balance falls">
          <Field label="Below" error={shown.below} hint="Includes amounts on hold.">
            <Input {...text('below')} inputMode="decimal" unit="USDC" />
          </Field>
        </Group>
        <Group legend="When calls in the last hour fail">
          <div className="grid gap-4 min-[26rem]:grid-cols-2">
            <Field label="More than" error={shown.percent}>
              <Input {...text('percent')} inputMode="numeric" unit="%" />
            </Field>
            <Field label="Of at least" error={shown.minCalls}>
              <Input {...text('minCalls')} inputMode="numeric" unit="calls" />
            </Field>
          </div>
        </Group>
        <Group legend="Send alerts">
          <Way label="By email" {...box('byEmail')}>
            <EmailNote status={settings.emailStatus} />
          </Way>
          <Way label="By webhook" {...box('byWebhook')}>
            <WebhookNote />
          </Way>
        </Group>
      </div>
      <Failed error={saving.error} />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" isBusy={saving.isPending} disabled={isSame}>
          Save
        </Button>
        <p className="text-sm text-faint">{isSame ? saved : 'Unsaved changes.'} Empty fields are off.</p>
      </div>
    </form>
  )
}

/** Changes the settings, and says so. */
export function useSaving(done: string) {
  return useMutation({
    mutationFn: (body: AlertChange) => api.updateAlertSettings({ body }),
    onSuccess(answer) {
      queryClient.setQueryData(['alerts', 'settings'], answer)
      toast.done(done)
    },
  })
}

function Group({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5">
      <legend className="mb-2 font-medium">{legend}</legend>
      {children}
    </fieldset>
  )
}

/** A checkbox of a way of sending, with a note on its recipients. */
function Way(props: {
  label: string
  checked: boolean
  onChange: (event: { target: { checked: boolean } }) => void
  children: ReactNode
}) {
  return (
    <div className="flex flex-col">
      <Checkbox label={props.label} checked={props.checked} onChange={props.onChange} />
      <p className="pl-6 text-sm text-faint [&>a]:rounded [&>a]:text-accent [&>a]:underline [&>a]:underline-offset-2">
        {props.children}
      </p>
    </div>
  )
}

function EmailNote({ status }: { status: AlertSettings['emailStatus'] }) {
  const profile = useQuery({ queryKey: ['profile'], queryFn: ({ signal }) => api.readProfile({ signal }) })
  if (status === 'ready') {
    return (
      <>
        To <span className="break-all">{profile.data?.email ?? 'your email'}</span>, at most 24 a day.
      </>
    )
  }
  if (status === 'no_mail_server') return 'Email is not set up on this gateway.'
  return status === 'no_address' ? (
    <>
      You have no verified email. <Link to="/app/profile">Add one</Link>
    </>
  ) : (
    <>
      Event emails are off in your profile. <Link to="/app/profile">Turn it on</Link>
    </>
  )
}

function WebhookNote() {
  const { data } = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: ({ signal }) => api.listWebhooks({ signal }),
  })
  const count = data?.webhooks.filter(
    ({ status, events }) => status === 'active' && events.some(type => alertTypes.includes(type)),
  ).length
  if (count === undefined) return 'To webhooks that subscribe to them.'
  if (count > 0) {
    return (
      <>
        {count === 1 ? 'One webhook subscribes' : `${count} webhooks subscribe`} to alerts.{' '}
        <Link to="/app/webhooks">Webhooks</Link>
      </>
    )
  }
  return (
    <>
      No webhook subscribes to alerts.{' '}
      <Link to="/app/webhooks" search={{ new: true }}>
        Create one
      </Link>
    </>
  )
}
