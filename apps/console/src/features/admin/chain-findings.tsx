import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { Card, Facts } from '../../ui/layout/page.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { Address, WholeAddress } from '../../ui/values/address.tsx'
import { Amount, formatAmount } from '../../ui/values/amount.tsx'
import { writeAmount } from '../../ui/values/amounts.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { ActDialog } from './act-dialog.tsx'
import { type ChainFinding, details, kinds } from './finding-labels.ts'
import { findingsQuery } from './queries.ts'

type Act = ChainFinding['acts'][number]

const actions: Record<Act, string> = { adopt: 'Adopt payment', reverse: 'Reverse credit' }
const payers = [
  { value: 'recipient', label: 'The recipient' },
  { value: 'platform', label: 'The platform' },
] as const

/** The open disagreements between the chain and the books, with the acts that settle them; nothing without any. */
export function ChainFindings() {
  const { data } = useQuery(findingsQuery)
  const [asked, ask] = useState<{ finding: ChainFinding; act: Act } | null>(null)
  if (data === undefined || data.findings.length === 0) return null
  return (
    <Card title="Chain and books disagree" isFlush>
      <p className="border-b px-4 py-2.5 text-sm text-danger">
        No withdrawal is paid until these are settled.
      </p>
      <ul className="divide-y divide-line">
        {data.findings.map(finding => (
          <li key={finding.findingId} className="flex flex-col gap-3 p-4">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <h3 className="font-medium">{kinds[finding.kind].label}</h3>
              <span className="mr-auto text-sm text-faint">
                <TimeAgo iso={finding.foundAt} />
              </span>
              {finding.acts.map(act => (
                <Button key={act} size="sm" onClick={() => ask({ finding, act })}>
                  {actions[act]}
                </Button>
              ))}
            </div>
            <p className="max-w-prose text-sm text-muted">{kinds[finding.kind].remedy}</p>
            <Facts items={factsOf(finding)} />
          </li>
        ))}
      </ul>
      {asked !== null && <SettleDialog {...asked} onClose={() => ask(null)} />}
    </Card>
  )
}

function factsOf({ detail }: ChainFinding): [string, ReactNode][] {
  return details.flatMap(([name, label]): [string, ReactNode][] => {
    const value = detail[name]
    if (value === undefined) return []
    if (name === 'amountUsdc') return [[label, <Amount key={name} usdc={value} />]]
    return [[label, value.startsWith('0x') ? <Address key={name} value={value} /> : value]]
  })
}

function SettleDialog({ finding, act, onClose }: { finding: ChainFinding; act: Act; onClose: () => void }) {
  const [chargeTo, setChargeTo] = useState<(typeof payers)[number]['value']>('recipient')
  const { findingId, detail } = finding
  const wallet = detail.to ?? detail.wallet
  const settling = useMutation({
    mutationFn: (reason: string) =>
      act === 'adopt'
        ? api.adoptRedemption({ path: { findingId }, body: { chargeTo, reason } })
        : api.reverseDeposit({ path: { findingId }, body: { reason } }),
    async onSuccess({ chargedUsdc, borneUsdc }) {
      toast.done(
        `Settled: ${formatAmount(chargedUsdc)} USDC charged to the wallet, ${formatAmount(borneUsdc)} USDC to the platform.`,
      )
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  return (
    <ActDialog
      title={act === 'adopt' ? 'Adopt this payment?' : 'Reverse this credit?'}
      action={actions[act]}
      confirmText={writeAmount(detail.amountUsdc ?? null) || findingId}
      reason={{ isRequired: true, label: 'Reason', hint: 'Stored in the audit log.' }}
      isBusy={settling.isPending}
      error={settling.error}
      onClose={onClose}
      onConfirm={reason => settling.mutate(reason ?? '')}
    >
      <Facts
        items={[
          ...(detail.amountUsdc === undefined
            ? []
            : [['Amount', <Amount key="amount" usdc={detail.amountUsdc} />] as const]),
          ...(wallet === undefined
            ? []
            : [['Wallet', <WholeAddress key="wallet" value={wallet} />] as const]),
          ...(act === 'reverse'
            ? []
            : [
                [
                  'Charged to',
                  <Segments
                    key="payer"
                    label="Charged to"
                    options={payers}
                    value={chargeTo}
                    onChange={setChargeTo}
                  />,
                ] as const,
              ]),
        ]}
      />
      <p className="mt-3">
        {act === 'reverse'
          ? 'The credit is taken from the balance of the wallet as far as that goes. The platform bears the rest.'
          : chargeTo === 'recipient'
            ? 'The earnings of the recipient are charged as far as they go. The platform bears the rest.'
            : 'The platform bears the whole amount.'}
      </p>
    </ActDialog>
  )
}
