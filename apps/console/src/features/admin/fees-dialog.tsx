import { randomKey } from '@farebox/client'
import { formatUsdc } from '@farebox/money'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { Field, Input } from '../../ui/forms/field.tsx'
import { ADDRESS, ADDRESS_FAULT } from '../../ui/values/address.tsx'
import { writeAmount } from '../../ui/values/amounts.ts'
import { readAmount } from '../../ui/values/read-amount.ts'

/** Opens a withdrawal of fees to the admin's wallet or another one. */
export function FeesDialog({ payableUsdc, onClose }: { payableUsdc: string; onClose: () => void }) {
  const [typed, setTyped] = useState(writeAmount(payableUsdc))
  const [to, setTo] = useState('')
  const [reason, setReason] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [key] = useState(() => randomKey())
  const read = readAmount(typed)
  const faults = faultsOf(read, to.trim())
  const paying = useMutation({
    mutationFn: (amountUsdc: string) =>
      api.withdrawFees({
        idempotencyKey: key,
        body: {
          amountUsdc,
          destinationAddress: to.trim() === '' ? undefined : to.trim(),
          reason: reason.trim() === '' ? null : reason.trim(),
        },
      }),
    async onSuccess({ ticket }) {
      toast.done(
        ticket === null
          ? 'Opened. Another admin must approve it in the review queue.'
          : 'Opened. Redeem its ticket on the Withdraw page of the receiving wallet.',
      )
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  function submit() {
    setChecked(true)
    if (read === null || 'error' in read || faults.to !== null) return
    paying.mutate(formatUsdc(read.amount))
  }
  return (
    <FormDialog
      title="Pay out fees"
      description="Within the daily limits, a ticket is issued immediately. Above them, another admin must approve."
      action="Pay out"
      isBusy={paying.isPending}
      error={paying.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label="Amount" error={isChecked ? faults.amount : null}>
        <Input
          unit="USDC"
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
      </Field>
      <Field label="To" hint="Leave empty to use your own wallet." error={isChecked ? faults.to : null}>
        <Input
          className="font-mono"
          placeholder="0x…"
          spellCheck={false}
          autoComplete="off"
          value={to}
          onChange={event => setTo(event.target.value)}
        />
      </Field>
      <Field label="Reason" hint="Stored in the audit log.">
        <Input value={reason} onChange={event => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  )
}

function faultsOf(read: ReturnType<typeof readAmount>, to: string) {
  return {
    amount: read === null ? 'Enter an amount.' : 'error' in read ? read.error : null,
    to: to === '' || ADDRESS.test(to) ? null : ADDRESS_FAULT,
  }
}
