import { Skeleton } from '../../ui/feedback/states.tsx'
import { Stat } from '../../ui/layout/page.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import type { ReservesChecked } from './check-reserves.tsx'

/** The vault's balance now, and the liabilities. */
export function ReservesNow({ reserves }: { reserves: ReservesChecked['reserves'] | undefined }) {
  const waiting = <Skeleton className="mt-1 h-6 w-36" />
  const { liabilities } = reserves ?? {}
  return (
    <section aria-label="Reserves now" className="rounded-lg border bg-raised">
      <dl className="grid divide-line max-sm:divide-y sm:grid-cols-3 sm:divide-x [&>div]:p-4">
        <Stat
          label="In the vault"
          note={
            reserves === undefined ? (
              'On the chain'
            ) : (
              <>
                Block {formatCount(reserves.blockNumber)}, <TimeAgo iso={reserves.asOf} />
              </>
            )
          }
        >
          {reserves === undefined ? waiting : <Amount usdc={reserves.vaultBalanceUsdc} />}
        </Stat>
        <Stat
          label="Owed"
          note={
            liabilities === undefined ? (
              'According to the ledger'
            ) : (
              <>
                <Amount usdc={liabilities.platformUsdc} /> of it belongs to the platform
              </>
            )
          }
        >
          {reserves === undefined ? waiting : <Amount usdc={reserves.liabilitiesUsdc} />}
        </Stat>
        <Stat
          label="Difference"
          note={
            reserves === undefined
              ? 'Pending deposits'
              : Number(reserves.differenceUsdc) === 0
                ? 'Exact to a millionth'
                : Number(reserves.differenceUsdc) > 0
                  ? 'Deposits not credited yet'
                  : 'Withdrawals not confirmed yet'
          }
        >
          {reserves === undefined ? waiting : <Amount usdc={reserves.differenceUsdc} isSigned />}
        </Stat>
      </dl>
    </section>
  )
}
