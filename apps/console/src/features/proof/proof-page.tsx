import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card, PageHead } from '../../ui/layout/page.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { outcomeOf } from './check.ts'
import { CheckList } from './check-list.tsx'
import { checkReserves } from './check-reserves.tsx'
import { HistoryCard } from './history-card.tsx'
import { IfWrong } from './if-wrong.tsx'
import { ReservesNow } from './reserves-card.tsx'
import { SealsCard } from './seals-card.tsx'
import { Meaning, NoTree, OUTCOME_HEIGHT, RootAge, Verdict } from './verdict.tsx'

const STEPS = 4
/** Interval between looks for the first tree. */
const POLL_INTERVAL_MS = 5_000

/** Proves in the browser that the vault covers all balances. */
export function ProofPage() {
  const check = useQuery({
    queryKey: ['reserves', 'checked'],
    queryFn: ({ signal }) => checkReserves(signal),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.tree === null ? POLL_INTERVAL_MS : false),
  })
  const { data, error, refetch, isFetching, dataUpdatedAt } = check
  return (
    <div className="py-8 sm:py-10">
      <PageHead
        title="Proof of reserves"
        description="Your browser compares the vault's balance on chain with what the gateway owes. You do not need to trust the gateway."
        actions={
          <Link to={'/app/proof' as string} className={buttonClass()}>
            Check your own balance
          </Link>
        }
      />
      {error !== null && data === undefined ? (
        <Card>
          <ErrorState error={error} onRetry={refetch} />
        </Card>
      ) : (
        <div className="flex flex-col gap-5">
          {data === undefined ? (
            <Skeleton className={OUTCOME_HEIGHT} />
          ) : data.tree === null ? (
            <NoTree />
          ) : (
            <ReservesVerdict data={data} checkedAt={dataUpdatedAt} isBusy={isFetching} onAgain={refetch} />
          )}
          <ReservesNow reserves={data?.reserves} />
          <HistoryCard />
          <Card title="Step by step">
            <CheckList
              label="Reserves"
              checks={data?.tree === null ? undefined : data?.checks}
              length={STEPS}
            />
          </Card>
          <Meaning />
          <IfWrong shown={data && { answers: { reserves: data.reserves }, checks: data.checks }} />
          <SealsCard />
        </div>
      )}
    </div>
  )
}

function ReservesVerdict(props: {
  data: Awaited<ReturnType<typeof checkReserves>>
  checkedAt: number
  isBusy: boolean
  onAgain: () => void
}) {
  const { data, ...rest } = props
  const outcome = outcomeOf(data.checks)
  return (
    <Verdict outcome={outcome} title="The vault covers the liabilities" {...rest}>
      Over {formatCount(data.tree?.wallets ?? 0)} {data.tree?.wallets === 1 ? 'wallet' : 'wallets'}.{' '}
      <RootAge {...data} />
    </Verdict>
  )
}
