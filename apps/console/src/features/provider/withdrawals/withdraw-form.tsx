import type { AnswerOf } from '@farebox/client'
import { formatUsdc, parseUsdc, ZERO } from '@farebox/money'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/feedback/states.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { formatWithUnit, writeAmount } from '../../../ui/values/amounts.ts'
import { readAmount } from '../../../ui/values/read-amount.ts'

export type Capability = AnswerOf<'readWithdrawalCapability'>

/** The amount of a withdrawal, with a forecast. */
export function WithdrawForm(props: {
  capability: Capability | undefined
  onStart: (amountUsdc: string) => void
}) {
  const { capability, onStart } = props
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const read = readAmount(typed)
  const amount = read !== null && 'amount' in read ? read.amount : null

  function type(text: string) {
    setTyped(text)
    setFault(undefined)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (capability === undefined) return
    const found = faultOf(typed, capability)
    setFault(found)
    if (found === undefined && amount !== null) onStart(formatUsdc(amount))
  }

  const isEmpty = capability !== undefined && parseUsdc(capability.receivableUsdc) === ZERO
  return (
    <Card title="New withdrawal">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Amount"
          error={fault}
          hint={capability === undefined ? '\u00a0' : hintOf(capability)}
          aside={
            <button
              type="button"
              disabled={capability === undefined || isEmpty}
              className="rounded text-sm text-accent hover:not-disabled:underline disabled:text-faint"
              onClick={() => type(writeAmount(capability?.receivableUsdc ?? null))}
            >
              Max
            </button>
          }
        >
          <Input
            unit="USDC"
            inputMode="decimal"
            autoComplete="off"
            placeholder="0.00"
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
        </Field>
        {isEmpty ? (
          <p className="text-sm text-muted">
            Nothing to withdraw yet. Earnings of your services appear here.
          </p>
        ) : (
          capability !== undefined && amount !== null && <Forecast amount={amount} capability={capability} />
        )}
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          disabled={capability === undefined || isEmpty}
        >
          Withdraw
        </Button>
      </form>
    </Card>
  )
}

/** Describes the available amount and the part that needs a review. */
function hintOf({ receivableUsdc, receivablePromotionalUsdc }: Capability): string {
  const hint = `You can withdraw ${formatAmount(receivableUsdc)} USDC.`
  if (parseUsdc(receivablePromotionalUsdc) === ZERO) return hint
  return `${hint} ${formatAmount(receivablePromotionalUsdc)} of it came from vouchers and is withdrawn last, after a review.`
}

function faultOf(typed: string, { receivableUsdc }: Capability): string | undefined {
  const read = readAmount(typed)
  if (read === null) return 'Enter an amount.'
  if ('error' in read) return read.error
  if (read.amount <= ZERO) return 'Must be greater than zero.'
  const receivable = parseUsdc(receivableUsdc)
  return read.amount > receivable ? `You have ${formatWithUnit(receivable)} to withdraw.` : undefined
}

/** Forecasts whether a ticket will be issued at once. The gateway decides. */
function Forecast({ amount, capability }: { amount: bigint; capability: Capability }) {
  const { autoApproveLeftTodayUsdc, vaultLiquidityUsdc, isAutoApprovalOn } = capability
  if (vaultLiquidityUsdc === null)
    return (
      <Notice tone="warn">
        The chain cannot be reached, so the gateway cannot determine what the vault can pay. Nothing is
        locked.
      </Notice>
    )
  const reason = !isAutoApprovalOn
    ? 'the books are being checked'
    : amount > parseUsdc(autoApproveLeftTodayUsdc)
      ? `it is above the ${formatAmount(autoApproveLeftTodayUsdc)} USDC still approved automatically today`
      : amount > parseUsdc(vaultLiquidityUsdc)
        ? 'the vault cannot pay this much right now'
        : null
  return reason === null ? (
    <Notice tone="good">You get a ticket immediately and redeem it with your wallet.</Notice>
  ) : (
    <Notice tone="warn">
      The operator will review this withdrawal first because {reason}. The amount is locked until then.
    </Notice>
  )
}
