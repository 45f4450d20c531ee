import { useQuery } from '@tanstack/react-query'
import type { Address } from 'viem'
import { api } from '../../../api.ts'
import { useConsoleConfig } from '../../../console-config.ts'
import { useSession } from '../../../session/session.ts'
import { ErrorState, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, Facts, PageHead, Stat } from '../../../ui/layout/page.tsx'
import { Stats } from '../../../ui/layout/stats.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { useWallet } from '../../../wallet/use-wallet.ts'
import { useWithdraw } from './use-withdraw.ts'
import { type Capability, WithdrawForm } from './withdraw-form.tsx'
import { WithdrawList } from './withdraw-list.tsx'
import { WithdrawProgress } from './withdraw-progress.tsx'

const POLL_INTERVAL_MS = 5_000

/** Withdrawable earnings, a new withdrawal, and past withdrawals. */
export function WithdrawPage() {
  const session = useSession()
  return (
    <>
      <PageHead
        title="Withdraw"
        description="You receive a signed ticket and redeem it with your wallet. The vault pays you even if this gateway is down."
      />
      {session !== null && <Withdraw owner={session.address} />}
    </>
  )
}

function Withdraw({ owner }: { owner: Address }) {
  const flow = useWithdraw(owner)
  const config = useConsoleConfig()
  // Start loading the wallet now, or the first request of the flow would come late.
  useWallet()
  const capability = useQuery({
    queryKey: ['withdrawals', 'capability'],
    queryFn: ({ signal }) => api.readWithdrawalCapability({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const { data } = capability
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="list-first flex min-w-0 flex-col gap-5">
        <Card>
          <Stats>
            <Stat label="Available">
              {data ? <Amount usdc={data.receivableUsdc} /> : <Skeleton className="mt-1 h-6 w-32" />}
            </Stat>
            <Stat label="In withdrawal">
              {data ? <Amount usdc={data.lockedUsdc} /> : <Skeleton className="mt-1 h-6 w-24" />}
            </Stat>
          </Stats>
        </Card>
        {flow.draft !== null && (
          <WithdrawProgress
            flow={flow}
            draft={flow.draft}
            requiredConfirmations={config?.requiredConfirmations ?? data?.requiredConfirmations ?? 1}
          />
        )}
        {flow.isFree &&
          (capability.error !== null && data === undefined ? (
            <Card>
              <ErrorState error={capability.error} onRetry={capability.refetch} />
            </Card>
          ) : (
            <WithdrawForm capability={data} onStart={flow.start} />
          ))}
        <WithdrawList flow={flow} />
      </div>
      <aside className="below-list min-w-0">
        <Rules capability={data} />
      </aside>
    </div>
  )
}

function Rules({ capability }: { capability: Capability | undefined }) {
  const waiting = <Skeleton className="h-4 w-24" />
  return (
    <Card title="Automatic approval">
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Within these limits you get your ticket immediately. Larger withdrawals are reviewed first.
        </p>
        <Facts
          items={[
            [
              'Left today',
              capability ? <Amount key="left" usdc={capability.autoApproveLeftTodayUsdc} /> : waiting,
            ],
            ['Daily limit', capability ? <Amount key="day" usdc={capability.autoApproveMaxUsdc} /> : waiting],
            [
              'Vault can pay',
              capability === undefined ? (
                waiting
              ) : capability.vaultLiquidityUsdc === null ? (
                'Unknown'
              ) : (
                <Amount key="vault" usdc={capability.vaultLiquidityUsdc} />
              ),
            ],
            [
              'Ticket validity',
              capability ? `${Math.round(capability.ticketSeconds / 60)} minutes` : waiting,
            ],
          ]}
        />
        {capability?.isAutoApprovalOn === false && (
          <Notice tone="warn">
            The books of this gateway are being checked. Until they are consistent, every withdrawal is
            reviewed.
          </Notice>
        )}
      </div>
    </Card>
  )
}
