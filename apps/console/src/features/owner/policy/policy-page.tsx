import { formatUsdc, type Usdc } from '@farebox/money'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert, Info } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { Meter } from '../../../ui/feedback/steps.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { AskBeforeLeaving } from '../../../ui/forms/ask-before-leaving.tsx'
import { Checkbox, Field, Input } from '../../../ui/forms/field.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { Amount, formatAmount } from '../../../ui/values/amount.tsx'
import { writeAmount } from '../../../ui/values/amounts.ts'
import { readOptional } from '../../../ui/values/read-amount.ts'
import { formatShare, shareOf } from '../../../ui/values/shares.ts'
import { describeConsequences, type Policy, questionOf, type Wanted, wantedOf } from './policy-labels.ts'

const POLL_INTERVAL_MS = 10_000

/** Spending caps over all credentials, with their use. */
export function PolicyPage() {
  const policy = useQuery({
    queryKey: ['policy'],
    queryFn: ({ signal }) => api.readSpendingPolicy({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const { data } = policy
  return (
    <>
      <PageHead
        title="Spending policy"
        description="Limits for all your credentials combined. They apply in addition to the limits of each credential."
      />
      {policy.error !== null && data === undefined ? (
        <Card>
          <ErrorState error={policy.error} onRetry={policy.refetch} />
        </Card>
      ) : (
        <div className="flex flex-col gap-5">
          <div className="grid gap-5 sm:grid-cols-2">
            <Used title="This month" used={data?.spentThisMonthUsdc} cap={data && capOf(data)} />
            <Used title="Today" used={data?.spentTodayUsdc} cap={data?.dailyLimitUsdc} />
          </div>
          <Card title="Limits">
            {data === undefined ? (
              <Skeleton className="h-80" />
            ) : (
              <PolicyForm key={limitsOf(data)} policy={data} />
            )}
          </Card>
        </div>
      )}
    </>
  )
}

const capOf = ({ allowUnlimited, spendingLimitUsdc }: Policy) => (allowUnlimited ? null : spendingLimitUsdc)
/** Key of the form, which resets when the limits change but not when money is spent. */
const limitsOf = ({ allowUnlimited, spendingLimitUsdc, dailyLimitUsdc, perCallLimitUsdc }: Policy) =>
  JSON.stringify([allowUnlimited, spendingLimitUsdc, dailyLimitUsdc, perCallLimitUsdc])

/** The use of a cap; `cap` is null when there is none. */
function Used(props: { title: string; used: string | undefined; cap: string | null | undefined }) {
  const { title, used, cap } = props
  return (
    <Card>
      <div className="flex flex-col gap-2">
        <h2 className="text-sm text-muted">{title}</h2>
        {used === undefined || cap === undefined ? (
          <>
            <Skeleton className="my-1 h-7 w-40" />
            <Skeleton className="h-1.5" />
            <Skeleton className="my-1 h-3.5 w-24" />
          </>
        ) : (
          <>
            <p>
              <Amount usdc={used} isLarge />
            </p>
            {cap === null ? (
              <span className="h-1.5" />
            ) : (
              <Meter label={`Used ${title.toLowerCase()}`} value={shareOf(used, cap)} />
            )}
            <p className="text-sm text-faint tabular">
              {cap === null
                ? 'No limit'
                : `of ${formatAmount(cap)} USDC · ${formatShare(Math.min(1, shareOf(used, cap)))}`}
            </p>
          </>
        )}
      </div>
    </Card>
  )
}

type Typed = {
  readonly month: string
  readonly day: string
  readonly call: string
  readonly isUnlimited: boolean
}

function PolicyForm({ policy }: { policy: Policy }) {
  const [typed, setTyped] = useState<Typed>({
    month: writeAmount(capOf(policy)),
    day: writeAmount(policy.dailyLimitUsdc),
    call: writeAmount(policy.perCallLimitUsdc),
    isUnlimited: policy.allowUnlimited,
  })
  const [isChecked, setChecked] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const set = (changes: Partial<Typed>) => setTyped(before => ({ ...before, ...changes }))
  const read = readTyped(typed)
  const isSame = read.wanted !== undefined && areSame(read.wanted, wantedOf(policy))
  const saving = useSaving(() => setAsked(false))
  const question = read.wanted === undefined ? null : questionOf(read.wanted, policy)

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (read.wanted === undefined) return
    if (question === null) saving.mutate(read.wanted)
    else setAsked(true)
  }

  const field = (name: 'month' | 'day' | 'call') => ({
    inputMode: 'decimal' as const,
    autoComplete: 'off',
    unit: 'USDC',
    placeholder: 'No limit',
    value: name === 'month' && typed.isUnlimited ? '' : typed[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  })
  const problem = (name: 'month' | 'day' | 'call') => (isChecked ? read.problems[name] : undefined)
  return (
    <form noValidate onSubmit={submit} className="grid gap-x-10 gap-y-5 lg:grid-cols-2">
      <AskBeforeLeaving isUnsaved={!isSame} />
      <div className="flex flex-col gap-4">
        <Field label="Per month" error={problem('month')} hint="A calendar month in UTC.">
          <Input {...field('month')} disabled={typed.isUnlimited} />
        </Field>
        <Checkbox
          label="No monthly limit"
          checked={typed.isUnlimited}
          onChange={event => set({ isUnlimited: event.target.checked })}
        />
        <Field label="Per day" error={problem('day')} hint="Leave empty for no limit. A calendar day in UTC.">
          <Input {...field('day')} />
        </Field>
        <Field label="Per call" error={problem('call')} hint="Leave empty for no limit. Applies to the hold.">
          <Input {...field('call')} />
        </Field>
        <Failed error={saving.error} />
        <div className="flex gap-2">
          <Button type="submit" variant="primary" isBusy={saving.isPending} disabled={isSame}>
            Save
          </Button>
        </div>
      </div>
      <Consequences policy={policy} wanted={read.wanted} isSame={isSame} />
      {isAsked && read.wanted !== undefined && (
        <ConfirmLimits
          isUnlimited={question === 'unlimited'}
          isBusy={saving.isPending}
          onClose={() => setAsked(false)}
          onConfirm={() => read.wanted !== undefined && saving.mutate(read.wanted)}
        />
      )}
    </form>
  )
}

function useSaving(onSettled: () => void) {
  return useMutation({
    mutationFn: (wanted: Wanted) => api.setSpendingPolicy({ body: bodyOf(wanted) }),
    onSuccess(answer) {
      queryClient.setQueryData(['policy'], answer)
      toast.done('Policy saved. It applies from the next call.')
    },
    onSettled,
  })
}

function ConfirmLimits(props: {
  isUnlimited: boolean
  isBusy: boolean
  onClose: () => void
  onConfirm: () => void
}) {
  const { isUnlimited, isBusy, onClose, onConfirm } = props
  return (
    <Confirm
      open
      onClose={onClose}
      title={isUnlimited ? 'Remove the monthly limit?' : 'Stop paid calls now?'}
      action={isUnlimited ? 'Remove the limit' : 'Set these limits'}
      isBusy={isBusy}
      onConfirm={onConfirm}
    >
      {isUnlimited
        ? 'Your credentials can then spend your whole balance, up to their own limits.'
        : 'You have already spent more than these limits. Every paid call is refused until the month or the day ends.'}
    </Confirm>
  )
}

/** Shows the consequences of the limits while they are typed. */
function Consequences(props: { policy: Policy; wanted: Wanted | undefined; isSame: boolean }) {
  const { policy, wanted, isSame } = props
  const credentials = useQuery({
    queryKey: ['credentials', 'active'],
    queryFn: ({ signal }) => api.listCredentials({ query: { limit: 100, active_only: 'true' }, signal }),
  })
  const consequences =
    wanted === undefined
      ? []
      : describeConsequences(wanted, policy, credentials.data?.credentials ?? [], new Date())
  return (
    <section
      aria-label="What this means"
      className="flex flex-col gap-3 rounded-lg bg-subtle p-4 lg:self-start"
    >
      <h3 className="text-sm font-medium">{isSame ? 'What this means' : 'What this would mean'}</h3>
      <ul aria-live="polite" className="flex flex-col gap-2.5 text-sm">
        {consequences.map(({ tone, text }) => (
          <li key={text} className="flex gap-2">
            {tone === 'warn' ? (
              <CircleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />
            ) : (
              <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
            )}
            <span className={tone === 'warn' ? 'text-warn' : 'text-muted'}>{text}</span>
          </li>
        ))}
        {consequences.length === 0 && <li className="text-faint">Enter valid amounts.</li>}
      </ul>
    </section>
  )
}

type Problems = { readonly month?: string; readonly day?: string; readonly call?: string }

function readTyped(typed: Typed): { wanted?: Wanted; problems: Problems } {
  const month = typed.isUnlimited ? { amount: null } : readOptional(typed.month)
  const [day, call] = [readOptional(typed.day), readOptional(typed.call)]
  const problems: Problems = {
    ...('error' in month
      ? { month: month.error }
      : month.amount === null &&
        !typed.isUnlimited && { month: 'Enter a limit, or select “No monthly limit”.' }),
    ...('error' in day && { day: day.error }),
    ...('error' in call && { call: call.error }),
  }
  if ('error' in month || 'error' in day || 'error' in call || problems.month !== undefined)
    return { problems }
  return { wanted: { month: month.amount, day: day.amount, call: call.amount }, problems }
}

const areSame = (a: Wanted, b: Wanted) => a.month === b.month && a.day === b.day && a.call === b.call

function bodyOf({ month, day, call }: Wanted) {
  const write = (amount: Usdc | null) => (amount === null ? null : formatUsdc(amount))
  return {
    ...(month === null ? { allowUnlimited: true } : { spendingLimitUsdc: formatUsdc(month) }),
    dailyLimitUsdc: write(day),
    perCallLimitUsdc: write(call),
  }
}
