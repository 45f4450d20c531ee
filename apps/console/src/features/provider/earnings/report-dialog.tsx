import type { AnswerOf } from '@farebox/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Facts } from '../../../ui/layout/page.tsx'
import { Id } from '../../../ui/values/address.tsx'
import { Amount, formatAmount } from '../../../ui/values/amount.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'

type Call = AnswerOf<'listProviderInvocations'>['invocations'][number]

const WHOLE = /^\d{1,9}$/
const readTokens = (typed: string) => {
  const text = typed.trim().replaceAll(',', '')
  return WHOLE.test(text) ? Number(text) : null
}

/** Reports the final usage of a call, as counted by the provider. */
export function ReportDialog(props: {
  call: Call
  serviceName: string
  secretKey: string
  onClose: () => void
  onReported: (chargedUsdc: string) => void
}) {
  const { call, secretKey } = props
  const [input, setInput] = useState('')
  const [output, setOutput] = useState('')
  const [isAsked, setAsked] = useState(false)
  const counted = { inputTokens: readTokens(input), outputTokens: readTokens(output) }
  const reporting = useMutation({
    mutationFn: (body: { inputTokens: number; outputTokens: number }) =>
      api.reportUsage({ path: { id: call.invocationId }, body, providerSecret: secretKey }),
    onSuccess: ({ invocation }) => props.onReported(formatAmount(invocation.chargedUsdc)),
  })
  const faultOf = (tokens: number | null) =>
    isAsked && tokens === null ? 'Enter a whole number of tokens, 0 or more.' : undefined
  function submit() {
    setAsked(true)
    const { inputTokens, outputTokens } = counted
    if (inputTokens !== null && outputTokens !== null) reporting.mutate({ inputTokens, outputTokens })
  }
  return (
    <FormDialog
      title="Report usage"
      description="The usage that your API measured for this call. It is charged at the prices in effect when the call was made."
      action="Report"
      isBusy={reporting.isPending}
      error={reporting.error}
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Facts
        items={[
          ['Service', props.serviceName],
          ['Call', <Id key="id" value={call.invocationId} />],
          ['Held (maximum charge)', <Amount key="held" usdc={call.holdUsdc} />],
          ...(call.reportUsageBy === null
            ? []
            : ([['Released', <TimeAgo key="by" iso={call.reportUsageBy} />]] as const)),
        ]}
      />
      <div className="grid grid-cols-2 items-start gap-3">
        <Field label="Input tokens" error={faultOf(counted.inputTokens)}>
          <Input
            inputMode="numeric"
            autoComplete="off"
            value={input}
            onChange={({ target }) => setInput(target.value)}
          />
        </Field>
        <Field label="Output tokens" error={faultOf(counted.outputTokens)}>
          <Input
            inputMode="numeric"
            autoComplete="off"
            value={output}
            onChange={({ target }) => setOutput(target.value)}
          />
        </Field>
      </div>
      <p className="text-sm text-faint">A report can be sent only once and cannot be changed.</p>
    </FormDialog>
  )
}
