import { parseUsdc } from '@farebox/money'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../../api.ts'
import { useSession } from '../../../session/session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { formatWithUnit } from '../../../ui/values/amounts.ts'
import { drafts, stageOf } from './deposit-draft.ts'
import { type Deposit, isUnderWay } from './deposit-labels.ts'

const POLL_INTERVAL_MS = 5_000

/** Deposits in progress: that of this browser, and those the gateway lists. */
export function OpenDeposits({ deposits }: { deposits: readonly Deposit[] }) {
  const address = useSession()?.address
  return address === undefined ? null : <Open address={address} known={deposits} />
}

function Open({ address, known }: { address: string; known: readonly Deposit[] }) {
  const draft = drafts.use(address)
  // Refetch while something is pending; the page itself has fetched the first result.
  const { data } = useQuery({
    queryKey: ['deposits', 'newest'],
    queryFn: ({ signal }) => api.listDeposits({ query: { limit: 20 }, signal }),
    refetchInterval: known.some(isUnderWay) ? POLL_INTERVAL_MS : false,
  })
  const isDraftOpen = draft !== null && stageOf(draft) !== 'credited'
  const others = data?.deposits.filter(deposit => isUnderWay(deposit) && deposit.txHash !== draft?.hash) ?? []
  if (!isDraftOpen && others.length === 0) return null
  return (
    <section
      aria-label="Pending deposits"
      className="flex flex-col divide-y divide-line rounded-lg border bg-raised"
    >
      {isDraftOpen && (
        <Row
          text={`A deposit of ${formatWithUnit(parseUsdc(draft.amountUsdc))} ${draft.end === undefined ? 'is in progress' : 'failed'}.`}
          action={draft.hash === undefined ? 'Continue' : 'View'}
        />
      )}
      {others.map(({ id, amountUsdc, confirmations, requiredConfirmations }) => (
        <Row
          key={id}
          text={`A deposit of ${formatWithUnit(parseUsdc(amountUsdc))}: ${confirmations} of ${requiredConfirmations} confirmations.`}
          action="View"
        />
      ))}
    </section>
  )
}

function Row({ text, action }: { text: ReactNode; action: string }) {
  return (
    <p className="flex flex-wrap items-center gap-3 px-4 py-2.5">
      <LoaderCircle aria-hidden className="size-4 animate-spin text-info" />
      <span className="mr-auto">{text}</span>
      <Link to="/app/deposit" className={buttonClass({ size: 'sm' })}>
        {action}
      </Link>
    </p>
  )
}
