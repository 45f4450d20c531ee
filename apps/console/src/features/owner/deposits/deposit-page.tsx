import { useQuery } from '@tanstack/react-query'
import type { Address } from 'viem'
import { api } from '../../../api.ts'
import { type ConsoleConfig, useConsoleConfig } from '../../../console-config.ts'
import { useSession } from '../../../session/session.ts'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../../ui/layout/page.tsx'
import { Stats } from '../../../ui/layout/stats.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { useWallet } from '../../../wallet/use-wallet.ts'
import { readWalletBalances } from './deposit-chain.ts'
import { DepositForm } from './deposit-form.tsx'
import { DepositList } from './deposit-list.tsx'
import { DepositProgress } from './deposit-progress.tsx'
import { TestMoney, Voucher, WalletCard } from './deposit-sources.tsx'
import { useDeposit } from './use-deposit.ts'

const POLL_INTERVAL_MS = 5_000

/** The balance, a new deposit, and past deposits. */
export function DepositPage() {
  const session = useSession()
  const config = useConsoleConfig()
  return (
    <>
      <PageHead
        title="Deposit"
        description="USDC moves from your wallet into the vault. You can spend it on calls once the chain has confirmed the transaction."
      />
      {session === null || config === undefined ? (
        <Waiting />
      ) : (
        <Deposit owner={session.address} config={config} />
      )}
    </>
  )
}

function Deposit({ owner, config }: { owner: Address; config: ConsoleConfig }) {
  const flow = useDeposit(owner, config)
  const { isReady, address } = useWallet()
  const balances = useQuery({
    queryKey: ['wallet-balances', owner],
    queryFn: () => readWalletBalances(config, owner),
    refetchInterval: POLL_INTERVAL_MS,
    retry: 1,
  })
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <Balance />
        {flow.draft !== null && <DepositProgress flow={flow} draft={flow.draft} config={config} />}
        {flow.isFree && (
          <DepositForm
            owner={owner}
            balances={balances}
            config={config}
            onStart={flow.start}
            isConnected={isReady ? address !== null : null}
          />
        )}
        <DepositList />
      </div>
      <aside className="flex min-w-0 flex-col gap-5">
        <WalletCard owner={owner} balances={balances} config={config} />
        {config.hasFaucet && <TestMoney owner={owner} />}
        <Voucher />
      </aside>
    </div>
  )
}

function Balance() {
  const { data } = useQuery({ queryKey: ['balance'], queryFn: ({ signal }) => api.readBalance({ signal }) })
  return (
    <Card>
      <Stats>
        <Stat label="Available to spend">
          {data ? <Amount usdc={data.consumer_available_balance} /> : <Skeleton className="h-7 w-32" />}
        </Stat>
        <Stat label="Held for running calls">
          {data ? <Amount usdc={data.consumer_held_balance} /> : <Skeleton className="h-7 w-24" />}
        </Stat>
      </Stats>
    </Card>
  )
}

function Waiting() {
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <Skeleton className="h-96" />
      <Skeleton className="h-48" />
    </div>
  )
}
