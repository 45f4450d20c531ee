import { formatUsdc, usdc } from '@farebox/money'
import type { UseQueryResult } from '@tanstack/react-query'
import { ArrowDownToLine } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Address } from 'viem'
import type { ConsoleConfig } from '../../../console-config.ts'
import { requestSignIn } from '../../../session/sign-in-request.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { Notice } from '../../../ui/feedback/states.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { shorten } from '../../../ui/values/address.tsx'
import { formatWithUnit, writeAmount } from '../../../ui/values/amounts.ts'
import { readAmount } from '../../../ui/values/read-amount.ts'
import type { WalletBalances } from './deposit-chain.ts'
import type { DepositDraft } from './deposit-draft.ts'

const ways = [
  { value: 'permit', label: 'Sign a permit' },
  { value: 'approve', label: 'Approve first' },
] as const
const about: Record<DepositDraft['way'], string> = {
  permit: 'Sign once for free, then send one transaction.',
  approve: 'Send two transactions: an approval for this amount, and the deposit.',
}
const suggested = ['10', '25', '100']

/** The amount of a deposit and how to permit it. */
export function DepositForm(props: {
  owner: Address
  balances: UseQueryResult<WalletBalances>
  config: ConsoleConfig
  /** Null while wallets are being detected. */
  isConnected: boolean | null
  onStart: (amountUsdc: string, way: DepositDraft['way']) => Promise<void>
}) {
  const balances = props.balances.data
  const [typed, setTyped] = useState('')
  const [chosenWay, setWay] = useState<DepositDraft['way']>('permit')
  const [isChecked, setChecked] = useState(false)
  const [starting, setStarting] = useState<{ isBusy: boolean; error: unknown }>({
    isBusy: false,
    error: null,
  })
  const way = balances?.hasPermit === false ? 'approve' : chosenWay
  const error = problemOf(typed, balances, isChecked)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    const read = readAmount(typed)
    if (problemOf(typed, balances, true) !== null || read === null || 'error' in read) return
    setStarting({ isBusy: true, error: null })
    try {
      await props.onStart(formatUsdc(read.amount), way)
      setStarting({ isBusy: false, error: null })
    } catch (problem) {
      setStarting({ isBusy: false, error: problem })
    }
  }

  return (
    <Card title="New deposit">
      <form noValidate onSubmit={submit} className="flex max-w-lg flex-col gap-5">
        <AmountField
          typed={typed}
          balances={balances}
          error={error}
          onType={setTyped}
          onBlur={() => setChecked(typed.trim() !== '')}
        />
        <Way value={way} onChange={balances?.hasPermit === false ? null : setWay} />
        {balances !== undefined && balances.ether === 0n && (
          <Notice tone="warn">This wallet has no ether to pay network fees. Get some first.</Notice>
        )}
        <p className="text-sm text-muted">A deposit pays for calls. It cannot be paid back to your wallet.</p>
        <Failed error={starting.error} />
        {props.isConnected !== false ? (
          <Button
            type="submit"
            variant="primary"
            className="self-start"
            isBusy={starting.isBusy}
            disabled={props.isConnected === null}
            icon={<ArrowDownToLine aria-hidden className="size-4" />}
          >
            Deposit
          </Button>
        ) : (
          <ConnectFirst owner={props.owner} />
        )}
      </form>
    </Card>
  )
}

function ConnectFirst({ owner }: { owner: Address }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button variant="primary" onClick={() => requestSignIn('disconnected')}>
        Connect {shorten(owner)}
      </Button>
      <span className="text-sm text-faint">Your wallet is not connected to this page.</span>
    </div>
  )
}

function Way(props: {
  value: DepositDraft['way']
  /** Null where the token takes no permits. */
  onChange: ((way: DepositDraft['way']) => void) | null
}) {
  const { value, onChange } = props
  if (onChange === null) return <p className="text-sm text-faint">{about.approve}</p>
  return (
    <div className="flex flex-col items-start gap-1.5">
      <span className="text-sm font-medium">Approval method</span>
      <Segments label="Approval method" options={ways} value={value} onChange={onChange} />
      <p className="text-sm text-faint">{about[value]}</p>
    </div>
  )
}

function AmountField(props: {
  typed: string
  balances: WalletBalances | undefined
  error: string | null
  onType: (text: string) => void
  onBlur: () => void
}) {
  const { typed, balances, error, onType, onBlur } = props
  return (
    <Field
      label="Amount"
      error={error}
      hint={
        balances === undefined ? 'Reading your wallet…' : `In your wallet: ${formatWithUnit(balances.usdc)}`
      }
      aside={
        <span className="flex gap-1">
          {suggested.map(each => (
            <Button
              key={each}
              size="sm"
              variant="ghost"
              className="!h-6 !px-1.5 tabular"
              onClick={() => onType(each)}
            >
              {each}
            </Button>
          ))}
          <Button
            size="sm"
            variant="ghost"
            className="!h-6 !px-1.5"
            disabled={balances === undefined}
            onClick={() => onType(writeAmount(formatUsdc(balances?.usdc ?? usdc(0n))))}
          >
            Max
          </Button>
        </span>
      }
    >
      <Input
        inputMode="decimal"
        autoComplete="off"
        placeholder="25"
        unit="USDC"
        className="!h-11 !text-lg"
        value={typed}
        onChange={event => onType(event.target.value)}
        onBlur={onBlur}
      />
    </Field>
  )
}

/** Returns the problem of the amount. An empty amount is a problem only after submitting. */
function problemOf(typed: string, balances: WalletBalances | undefined, isChecked: boolean): string | null {
  const read = readAmount(typed)
  if (read === null) return isChecked ? 'Enter an amount.' : null
  if ('error' in read) return isChecked || !/^[\d.,]*$/.test(typed) ? read.error : null
  if (read.amount <= 0n) return isChecked ? 'Must be greater than zero.' : null
  if (balances !== undefined && read.amount > balances.usdc) return 'More than your wallet has.'
  return null
}
