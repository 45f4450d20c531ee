import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, queryClient } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { toast } from '../../ui/feedback/toast.tsx'
import { Facts } from '../../ui/layout/page.tsx'
import { WholeAddress } from '../../ui/values/address.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { writeAmount } from '../../ui/values/amounts.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { ActDialog } from './act-dialog.tsx'
import { causes, isFirst, states, type Withdrawal } from './review-labels.ts'

/** Earlier withdrawals of the wallet that are listed. */
const EARLIER_SHOWN = 5

/** Asks to confirm the approval or rejection of a withdrawal, with all that decides it. */
export function ReviewDialog(props: {
  withdrawal: Withdrawal
  decision: 'approve' | 'reject'
  onClose: () => void
}) {
  const { withdrawal, decision, onClose } = props
  const { withdrawalId } = withdrawal
  const isApproval = decision === 'approve'
  const deciding = useMutation({
    mutationFn: (reason: string | null) =>
      isApproval
        ? api.approveWithdrawal({ path: { withdrawalId }, body: reason === null ? null : { reason } })
        : api.rejectWithdrawal({ path: { withdrawalId }, body: { reason: reason ?? '' } }),
    async onSuccess() {
      toast.done(
        isApproval
          ? 'Approved. The provider can now redeem a ticket.'
          : 'Rejected. The provider was notified.',
      )
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  return (
    <ActDialog
      title={isApproval ? 'Approve this withdrawal?' : 'Reject this withdrawal?'}
      action={isApproval ? 'Approve' : 'Reject'}
      confirmText={writeAmount(withdrawal.amountUsdc)}
      isDanger={!isApproval}
      reason={{
        isRequired: !isApproval,
        label: 'Reason',
        hint: isApproval ? 'Stored in the audit log.' : 'Shown to the provider and stored in the audit log.',
      }}
      isBusy={deciding.isPending}
      error={deciding.error}
      onClose={onClose}
      onConfirm={reason => deciding.mutate(reason)}
    >
      <About withdrawal={withdrawal} />
      <Earlier withdrawal={withdrawal} />
    </ActDialog>
  )
}

function About({ withdrawal }: { withdrawal: Withdrawal }) {
  const { amountUsdc, promotionalUsdc, ownerAddress, source, openedBy, reviewCauses, createdAt } = withdrawal
  return (
    <Facts
      items={[
        ['Amount', <Amount key="amount" usdc={amountUsdc} className="font-medium text-text" />],
        ['From vouchers', <Amount key="vouchers" usdc={promotionalUsdc} />],
        ['To', <WholeAddress key="to" value={ownerAddress} />],
        ...(source === 'fees'
          ? []
          : [
              [
                'Services',
                <Link
                  key="services"
                  to="/market"
                  search={{ provider: ownerAddress }}
                  target="_blank"
                  className="underline underline-offset-2 hover:text-text"
                >
                  In the market
                </Link>,
              ] as const,
            ]),
        ...(source === 'fees' && openedBy !== null
          ? [['Fees, requested by', <WholeAddress key="by" value={openedBy} />] as const]
          : []),
        ['Requested', <TimeAgo key="when" iso={createdAt} />],
        [
          'Reason for review',
          reviewCauses.length === 0
            ? 'Opened before reasons were recorded.'
            : reviewCauses.map(cause => causes[cause].sentence).join(' '),
        ],
      ]}
    />
  )
}

/** Earlier withdrawals of the wallet. */
function Earlier({ withdrawal }: { withdrawal: Withdrawal }) {
  const { paid, paidUsdc, rejected, firstOpenedAt } = withdrawal.walletHistory
  const wallet = withdrawal.ownerAddress
  const { data } = useQuery({
    queryKey: ['admin', 'withdrawals', 'of', wallet],
    queryFn: ({ signal }) => api.listAllWithdrawals({ query: { wallet, limit: EARLIER_SHOWN + 1 }, signal }),
  })
  const others = data?.withdrawals.filter(({ withdrawalId }) => withdrawalId !== withdrawal.withdrawalId)
  return (
    <section aria-label="Earlier withdrawals" className="mt-4 rounded-lg border bg-subtle p-3 text-sm">
      <p>
        {isFirst(withdrawal) ? (
          <>
            <Badge tone="warn">First payment</Badge> This wallet has not been paid before.
          </>
        ) : (
          <>
            <Amount usdc={paidUsdc} /> in {paid} {paid === 1 ? 'payment' : 'payments'} since{' '}
            <TimeAgo iso={firstOpenedAt} />.
          </>
        )}
        {rejected > 0 && ` ${rejected} rejected.`}
      </p>
      {others !== undefined && others.length > 0 && (
        <ol className="mt-2 flex flex-col gap-1">
          {others.slice(0, EARLIER_SHOWN).map(({ withdrawalId, status, createdAt, amountUsdc }) => (
            <li key={withdrawalId} className="flex items-center gap-3">
              <Badge tone={states[status].tone}>{states[status].label}</Badge>
              <TimeAgo iso={createdAt} />
              <Amount usdc={amountUsdc} className="ml-auto" />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
