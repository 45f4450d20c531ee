import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Sprout } from 'lucide-react'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card, PageHead } from '../../ui/layout/page.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { Branch } from './branch.tsx'
import { outcomeOf } from './check.ts'
import { checkMine, type MineChecked } from './check-inclusion.tsx'
import { CheckList } from './check-list.tsx'
import { IfWrong } from './if-wrong.tsx'
import { SealsCard } from './seals-card.tsx'
import { Meaning, NoTree, OUTCOME_HEIGHT, RootAge, Verdict, Waiting } from './verdict.tsx'

const STEPS = 4
const OWN_STEPS = 5
/** Interval between looks for a tree that includes the wallet. */
const POLL_INTERVAL_MS = 5_000

const isWaiting = (data: MineChecked | undefined): boolean =>
  data !== undefined && (data.tree === null || data.isEarly)

/** Proves in the browser that the wallet's balance is covered by the vault. */
export function OwnProofPage() {
  const check = useQuery({
    queryKey: ['proof', 'mine'],
    queryFn: ({ signal }) => checkMine(signal),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (isWaiting(state.data) ? POLL_INTERVAL_MS : false),
  })
  const { data, error, refetch, isFetching, dataUpdatedAt } = check
  return (
    <>
      <PageHead
        title="Proof of balance"
        description="Verifies in your browser, from hashes and the chain, that your balance is part of the reserves."
        actions={
          <Link to="/proof" className={buttonClass()}>
            All reserves
          </Link>
        }
      />
      {error !== null && data === undefined ? (
        <Card>
          <ErrorState error={error} onRetry={refetch} />
        </Card>
      ) : (
        <div className="flex flex-col gap-5">
          <Outcome data={data} checkedAt={dataUpdatedAt} isBusy={isFetching} onAgain={refetch} />
          <Meaning />
          <div className="grid items-start gap-5 xl:grid-cols-2">
            <Card title="Your share">
              {data?.inclusion === null && !isWaiting(data) ? (
                <NothingOwed />
              ) : (
                <CheckList
                  label="Your share"
                  checks={isWaiting(data) ? undefined : data?.mine}
                  length={OWN_STEPS}
                />
              )}
            </Card>
            <Card title="The reserves">
              <CheckList
                label="Reserves"
                checks={data?.tree === null ? undefined : data?.checks}
                length={STEPS}
              />
            </Card>
          </div>
          <Way data={data} />
          <IfWrong
            shown={
              data && {
                answers: { reserves: data.reserves, inclusion: data.inclusion },
                checks: [...data.mine, ...data.checks],
              }
            }
          />
          <SealsCard />
        </div>
      )}
    </>
  )
}

type Run = { readonly checkedAt: number; readonly isBusy: boolean; readonly onAgain: () => void }

function Outcome(props: Run & { data: MineChecked | undefined }) {
  const { data } = props
  if (data === undefined) return <Skeleton className={OUTCOME_HEIGHT} />
  if (data.tree === null) return <NoTree />
  if (data.isEarly)
    return (
      <Waiting title="The next tree will include you">
        Your deposit arrived after the newest tree was built. A new tree is built every minute, and this page
        checks for it.
      </Waiting>
    )
  if (data.inclusion === null)
    return <Waiting title="You have no balance to prove">The total reserves are checked below.</Waiting>
  return <OwnVerdict {...props} data={data} />
}

function OwnVerdict(props: Run & { data: MineChecked }) {
  const { data, ...rest } = props
  const outcome = outcomeOf([...data.mine, ...data.checks])
  const balance = <Amount usdc={data.inclusion?.balanceUsdc ?? '0.000000'} />
  const title = <>Your {balance} are in the reserves</>
  return (
    <Verdict outcome={outcome} title={title} {...rest}>
      {outcome === 'holds' && 'The vault covers all liabilities. '}
      <RootAge {...data} />
    </Verdict>
  )
}

function Way({ data }: { data: MineChecked | undefined }) {
  if (data === undefined) return <Skeleton className="h-72" />
  if (data.leaf === null && data.inclusion !== null) return null
  if (data.leaf === null)
    return (
      <Card title="Your path to the root" className="min-h-72">
        <p className="text-muted">Your leaf and its path to the root appear here once you have a balance.</p>
      </Card>
    )
  return (
    <Card title="Your path to the root">
      <div className="mx-auto max-w-xl">
        <Branch leaf={data.leaf} levels={data.levels} />
      </div>
    </Card>
  )
}

function NothingOwed() {
  return (
    <EmptyState
      icon={<Sprout />}
      title="You have no balance yet"
      action={
        <Link to="/app/deposit" className={buttonClass({ variant: 'primary' })}>
          Make a deposit
        </Link>
      }
    >
      Your wallet has no leaf in the tree. It gets one within a minute of your first deposit.
    </EmptyState>
  )
}
