import { formatUsdc } from '@farebox/money'
import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { formatEther, type Address as WalletAddress } from 'viem'
import { api, queryClient } from '../../../api.ts'
import type { ConsoleConfig } from '../../../console-config.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { describeError, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Card, Facts } from '../../../ui/layout/page.tsx'
import { Address } from '../../../ui/values/address.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { useWallet, wallet } from '../../../wallet/use-wallet.ts'
import type { WalletBalances } from './deposit-chain.ts'
import { FAUCET_USDC, useFaucet } from './use-faucet.ts'

/** The balances of the wallet, and a warning if it is on another network or account. */
export function WalletCard(props: {
  owner: WalletAddress
  balances: UseQueryResult<WalletBalances>
  config: ConsoleConfig
}) {
  const { owner, balances, config } = props
  const { data } = balances
  return (
    <Card title="Your wallet">
      <Facts
        items={[
          ['Account', <Address key="account" value={owner} />],
          [
            'USDC',
            data ? (
              <Amount key="usdc" usdc={formatUsdc(data.usdc)} />
            ) : (
              <Skeleton key="usdc" className="my-1 h-3.5 w-24" />
            ),
          ],
          [
            'For fees',
            data ? (
              <Ether key="ether" wei={data.ether} />
            ) : (
              <Skeleton key="ether" className="my-1 h-3.5 w-20" />
            ),
          ],
          ['Network', <Network key="network" config={config} />],
        ]}
      />
      {balances.error !== null && (
        <div role="alert" className="mt-3">
          <Notice tone="bad">
            {describeError(balances.error)}{' '}
            <button type="button" className="font-medium underline" onClick={() => balances.refetch()}>
              Try again
            </button>
          </Notice>
        </div>
      )}
      <WrongPlace owner={owner} config={config} />
    </Card>
  )
}

function Ether({ wei }: { wei: bigint }) {
  const text = formatEther(wei)
  return (
    <span className="tabular" title={`${text} ETH`}>
      {text.replace(/(\.\d{4}).*/, '$1')}
      <span className="ml-1 text-[0.85em] text-faint">ETH</span>
    </span>
  )
}

function Network({ config }: { config: ConsoleConfig }) {
  return config.mode === 'dev' ? <>Development chain</> : <>Chain {config.chainId}</>
}

/** Warns that the wallet is on another network or account. */
function WrongPlace({ owner, config }: { owner: WalletAddress; config: ConsoleConfig }) {
  const { address, chainId } = useWallet()
  const switching = useMutation({ mutationFn: () => wallet.ready() })
  if (address === null) return null
  const isOther = address.toLowerCase() !== owner.toLowerCase()
  if (!isOther && chainId === config.chainId) return null
  return (
    <div role="alert" className="mt-3 flex flex-col gap-2">
      <Notice tone="warn">
        {isOther
          ? 'Your wallet uses a different account from the one you signed in with. Switch back, or sign in again.'
          : 'Your wallet is on another network.'}
      </Notice>
      <Failed error={switching.error} />
      {!isOther && (
        <Button
          size="sm"
          className="self-start"
          isBusy={switching.isPending}
          onClick={() => switching.mutate()}
        >
          Switch network
        </Button>
      )}
    </div>
  )
}

/** Gives test money in development mode. */
export function TestMoney({ owner }: { owner: WalletAddress }) {
  const faucet = useFaucet(owner)
  return (
    <Card title="Test money">
      <p className="mb-3 text-sm text-muted">
        This gateway runs in development mode. Its USDC is free and has no value.
      </p>
      <Failed error={faucet.error} className="mb-3" />
      <Button size="sm" isBusy={faucet.isPending} onClick={() => faucet.mutate()}>
        Get {FAUCET_USDC} test USDC
      </Button>
    </Card>
  )
}

/** Redeems a voucher code. */
export function Voucher() {
  const [code, setCode] = useState('')
  const redeeming = useMutation({
    mutationFn: () => api.redeemVoucher({ body: { voucherCode: code.trim() } }),
    async onSuccess({ amountUsdc }) {
      setCode('')
      await Promise.all(['balance', 'ledger'].map(key => queryClient.invalidateQueries({ queryKey: [key] })))
      toast.done(`${amountUsdc} USDC was added to your balance.`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    redeeming.mutate()
  }
  return (
    <Card title="Voucher">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Code" error={redeeming.error === null ? null : describeError(redeeming.error)}>
          <Input
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
            placeholder="FBX-…"
            value={code}
            onChange={event => {
              setCode(event.target.value)
              redeeming.reset()
            }}
          />
        </Field>
        <Button
          type="submit"
          size="sm"
          className="self-start"
          isBusy={redeeming.isPending}
          disabled={code.trim() === ''}
        >
          Redeem
        </Button>
      </form>
    </Card>
  )
}
