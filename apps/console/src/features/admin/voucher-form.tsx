import type { AnswerOf } from '@farebox/client'
import { randomKey } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { Failed } from '../../ui/feedback/failed.tsx'
import { Field, Input } from '../../ui/forms/field.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Amount, formatAmount } from '../../ui/values/amount.tsx'
import { readAmount } from '../../ui/values/read-amount.ts'

/** Vouchers that were just created, with their codes. */
export type Made = AnswerOf<'createVouchers'>

const DAY_MS = 86_400_000
const COUNT_MAX = 100
const REDEMPTIONS_MAX = 100_000
const expiries = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
] as const
type Problems = { amount?: string; count?: string; redemptions?: string }

/** The form for new vouchers. */
export function VoucherForm({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const [amount, setAmount] = useState('5')
  const [count, setCount] = useState('1')
  const [redemptions, setRedemptions] = useState('1')
  const [days, setDays] = useState<(typeof expiries)[number]['value']>('30')
  const [problems, setProblems] = useState<Problems>({})
  const [opened] = useState(() => ({ key: randomKey(), at: Date.now() }))
  const making = useMutation({
    mutationFn: (body: { amountUsdc: string; count: number; maxRedemptions: number }) =>
      api.createVouchers({
        body: { ...body, expiresAt: new Date(opened.at + Number(days) * DAY_MS).toISOString() },
        // Equal for equal fields, so that submitting again after a lost answer returns the same vouchers.
        idempotencyKey: [opened.key, ...Object.values(body), days].join('-'),
      }),
    async onSuccess(made) {
      onMade(made)
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
      await queryClient.invalidateQueries({ queryKey: ['balance'] })
    },
  })
  const read = readFields({ amount, count, redemptions })
  const submit = () => {
    setProblems(read.problems)
    if (read.body !== null) making.mutate(read.body)
  }
  return (
    <FormDialog
      title="Create vouchers"
      description="The codes are shown only in the next step."
      action="Create vouchers"
      isBusy={making.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label="Value" error={problems.amount}>
        <Input
          unit="USDC"
          inputMode="decimal"
          value={amount}
          onChange={event => setAmount(event.target.value)}
        />
      </Field>
      <div className="grid grid-cols-2 items-start gap-3">
        <Field label="Quantity" error={problems.count}>
          <Input
            inputMode="numeric"
            className="tabular"
            value={count}
            onChange={event => setCount(event.target.value)}
          />
        </Field>
        <Field label="Redemptions per voucher" error={problems.redemptions}>
          <Input
            inputMode="numeric"
            className="tabular"
            value={redemptions}
            onChange={event => setRedemptions(event.target.value)}
          />
        </Field>
      </div>
      <Field label="Expires">
        <Select options={expiries} value={days} onChange={setDays} />
      </Field>
      <Total usdc={read.total} />
      {making.error !== null && <MakingProblem error={making.error} />}
    </FormDialog>
  )
}

function Total({ usdc: total }: { usdc: Usdc | null }) {
  return (
    <p className="min-h-5 text-sm text-muted">
      {total !== null && (
        <>
          Total value <Amount usdc={formatUsdc(total)} className="font-medium text-text" />.
        </>
      )}
    </p>
  )
}

function readFields(typed: { amount: string; count: string; redemptions: string }) {
  const problems: Problems = {}
  const amount = readAmount(typed.amount)
  if (amount === null) problems.amount = 'Enter the value of a voucher.'
  else if ('error' in amount) problems.amount = amount.error
  else if (amount.amount === 0n) problems.amount = 'Must be greater than zero.'
  const count = readCount(typed.count, COUNT_MAX)
  if (count === null) problems.count = `From 1 to ${COUNT_MAX}.`
  const maxRedemptions = readCount(typed.redemptions, REDEMPTIONS_MAX)
  if (maxRedemptions === null) problems.redemptions = 'From 1 to 100,000.'
  if (amount === null || 'error' in amount || count === null || maxRedemptions === null)
    return { problems, body: null, total: null }
  const total: Usdc = usdc(amount.amount * BigInt(count) * BigInt(maxRedemptions))
  const body =
    problems.amount === undefined ? { amountUsdc: formatUsdc(amount.amount), count, maxRedemptions } : null
  return { problems, body, total }
}

function readCount(typed: string, max: number): number | null {
  const value = Number(typed.trim().replaceAll(',', ''))
  return typed.trim() !== '' && Number.isInteger(value) && value >= 1 && value <= max ? value : null
}

function MakingProblem({ error }: { error: unknown }) {
  const isShort = error instanceof GatewayError && error.code === 'INSUFFICIENT_BALANCE'
  if (!isShort) return <Failed error={error} />
  const { requiredUsdc, availableUsdc } = error.detail
  const report = (wire: unknown) => (typeof wire === 'string' ? `${formatAmount(wire)} USDC` : 'more')
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-warn-soft p-2 pl-3"
    >
      <span className="text-sm text-warn">
        {report(requiredUsdc)} must be set aside, but your balance is {report(availableUsdc)}.
      </span>
      <Link to="/app/deposit" className={buttonClass({ size: 'sm' })}>
        Make a deposit
      </Link>
    </div>
  )
}

/** Shows the codes of new vouchers, which cannot be shown again. */
export function CodesDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const codes = made.vouchers.map(({ voucherCode }) => voucherCode)
  const text = codes.join('\n')
  const name = `vouchers-${made.vouchers[0]?.batchId ?? 'made'}.txt`
  return (
    <Dialog
      open
      isStrict
      onClose={onClose}
      className="!max-w-xl"
      title={codes.length === 1 ? 'The code' : `${codes.length} codes`}
      description="Shown only here: the gateway keeps only their hashes."
      footer={
        <>
          <Button
            icon={<Download aria-hidden className="size-4" />}
            onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), name)}
          >
            Download
          </Button>
          <Button variant="primary" onClick={onClose}>
            I have saved them
          </Button>
        </>
      }
    >
      <p className="mb-3 text-sm text-muted">
        Worth <Amount usdc={made.totalUsdc} /> in all; <Amount usdc={made.fundedUsdc} /> was set aside from
        your balance.
      </p>
      <div className="flex items-start gap-1 rounded-lg border bg-subtle p-1 pl-3">
        <ul aria-label="Codes" className="max-h-80 min-w-0 flex-1 overflow-y-auto py-1.5 font-mono text-sm">
          {codes.map(code => (
            <li key={code} className="break-all">
              {code}
            </li>
          ))}
        </ul>
        <CopyButton text={text} label={codes.length === 1 ? 'Copy code' : 'Copy all codes'} />
      </div>
    </Dialog>
  )
}
