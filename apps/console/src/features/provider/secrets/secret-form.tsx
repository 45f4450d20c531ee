import type { AnswerOf } from '@farebox/client'
import { formatUsdc } from '@farebox/money'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { issuesOf } from '../../../ui/forms/issues.ts'
import { Select } from '../../../ui/forms/select.tsx'
import { type Interval, intervals } from '../../../ui/values/intervals.ts'
import { readOptional } from '../../../ui/values/read-amount.ts'

export type IssuedSecret = AnswerOf<'issueProviderSecret'>['secret']

/** Creates a provider secret with its limits. */
export function SecretDialog(props: { onClose: () => void; onIssued: (secret: IssuedSecret) => void }) {
  const [name, setName] = useState('')
  const [cap, setCap] = useState('')
  const [interval, setInterval] = useState<Interval>('daily')
  const [rpm, setRpm] = useState('600')
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({})
  const issuing = useMutation({
    mutationFn: (body: Parameters<typeof api.issueProviderSecret>[0]['body']) =>
      api.issueProviderSecret({ body }),
    async onSuccess({ secret }) {
      props.onClose()
      props.onIssued(secret)
      await queryClient.invalidateQueries({ queryKey: ['secrets'] })
    },
  })
  const theirs = issuesOf(issuing.error)
  const faults = { ...theirs, ...own }

  const by = (set: (text: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value)
    setOwn({})
  }

  function submit() {
    const { problems, body } = readFields({ name, cap, rpm })
    setOwn(problems)
    if (body !== null) issuing.mutate({ ...body, resetInterval: interval })
  }

  return (
    <FormDialog
      title="New provider secret"
      description="Your servers use it to list their calls and to report usage later. Its limits cannot be changed afterwards."
      action="Create secret"
      isBusy={issuing.isPending}
      error={Object.keys(theirs).length === 0 ? issuing.error : null}
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Field label="Name" error={faults.name}>
        <Input
          value={name}
          maxLength={100}
          placeholder="model servers"
          autoComplete="off"
          onChange={by(setName)}
        />
      </Field>
      <div className="grid grid-cols-[minmax(0,1fr)_8.5rem] items-start gap-3">
        <Field
          label="Maximum charged by late reports"
          error={faults.creditLimit}
          hint="If empty, only the holds of the calls limit it."
        >
          <Input unit="USDC" inputMode="decimal" placeholder="No limit" value={cap} onChange={by(setCap)} />
        </Field>
        <Field label="Interval">
          <Select<Interval> className="w-full" options={intervals} value={interval} onChange={setInterval} />
        </Field>
      </div>
      <Field label="Requests per minute" error={faults.rpm}>
        <Input inputMode="numeric" value={rpm} placeholder="600" onChange={by(setRpm)} />
      </Field>
    </FormDialog>
  )
}

function readFields(typed: { name: string; cap: string; rpm: string }) {
  const name = typed.name.trim()
  const limit = readOptional(typed.cap)
  const calls = typed.rpm.trim().replaceAll(',', '')
  const problems = {
    ...(name === '' && { name: 'Enter a name.' }),
    ...('error' in limit && { creditLimit: limit.error }),
    ...(!/^\d*$/.test(calls) && { rpm: 'Enter a whole number of 1 or more.' }),
  }
  if (Object.keys(problems).length > 0 || 'error' in limit) return { problems, body: null }
  const body = {
    name,
    ...(limit.amount !== null && { creditLimit: formatUsdc(limit.amount) }),
    ...(calls !== '' && { rpm: Number(calls) }),
  }
  return { problems, body }
}
