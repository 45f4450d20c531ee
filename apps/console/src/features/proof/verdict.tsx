import { BadgeCheck, CircleAlert, CircleHelp, Hourglass, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { parseSigned } from '../../ui/values/amounts.ts'
import { formatTime } from '../../ui/values/format-time.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import type { Outcome } from './check.ts'
import type { ReservesChecked } from './check-reserves.tsx'

const looks = {
  holds: { icon: BadgeCheck, box: 'border-accent bg-accent-soft', text: 'text-accent' },
  fails: { icon: CircleAlert, box: 'border-danger bg-danger-soft', text: 'text-danger' },
  open: { icon: CircleHelp, box: 'border-warn bg-warn-soft', text: 'text-warn' },
} as const

/** Minimum height of the outcome, whatever it says, so that the page below does not move. */
export const OUTCOME_HEIGHT = 'min-h-24 max-sm:min-h-54'

/** The combined result of all steps, in a sentence. */
export function Verdict(props: {
  outcome: Outcome
  /** Title when all steps hold. */
  title: ReactNode
  /** Details, unless a step fails. */
  children: ReactNode
  /** When this browser made the steps, in Unix ms. */
  checkedAt: number
  isBusy: boolean
  onAgain: () => void
}) {
  const { outcome } = props
  const { icon: Icon, box, text } = looks[outcome]
  const titles = {
    holds: props.title,
    fails: 'The proof failed',
    open: 'The proof is incomplete',
  }
  return (
    <section
      aria-label="Outcome"
      aria-live="polite"
      className={`flex ${OUTCOME_HEIGHT} flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border p-4 ${box}`}
    >
      <Icon aria-hidden className={`size-7 shrink-0 ${text}`} />
      <div className="min-w-0 flex-1 basis-56">
        <p className={`text-lg font-semibold ${text}`}>{titles[outcome]}</p>
        <p className="text-sm">
          {outcome === 'fails'
            ? 'A step below failed. Save the evidence and contact the operator of this gateway.'
            : props.children}
        </p>
        <p className="text-sm text-muted">
          Checked by this browser on {formatTime(new Date(props.checkedAt).toISOString())}.
        </p>
      </div>
      <Button
        size="sm"
        isBusy={props.isBusy}
        icon={<RotateCw aria-hidden className="size-3.5" />}
        onClick={props.onAgain}
      >
        Check again
      </Button>
    </section>
  )
}

/** The time of a root, and whether money has moved since. */
export function RootAge({ reserves, tree }: Pick<ReservesChecked, 'reserves' | 'tree'>) {
  if (tree === null) return null
  const covered = parseSigned(tree.walletsUsdc) + parseSigned(tree.platformUsdc)
  return (
    <>
      The root was published <TimeAgo iso={tree.asOf} />.{' '}
      {covered === parseSigned(reserves.liabilitiesUsdc)
        ? 'The liabilities have not changed since.'
        : 'The liabilities have changed since. The next root, within a minute, includes the change.'}
    </>
  )
}

/** Takes the place of the verdict when there is nothing to check yet. */
export function Waiting({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label="Outcome"
      aria-live="polite"
      className={`flex ${OUTCOME_HEIGHT} items-center gap-x-4 rounded-lg border bg-raised p-4`}
    >
      <Hourglass aria-hidden className="size-7 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-sm text-muted">{children}</p>
      </div>
    </section>
  )
}

/** Shown when the gateway has just started and has no tree. */
export function NoTree() {
  return (
    <Waiting title="No proof yet">
      The gateway publishes the first proof within a minute of the first deposit. This page checks for it.
    </Waiting>
  )
}

/** Explains what a proof of reserves proves and what it does not. */
export function Meaning() {
  return (
    <div className="grid gap-x-8 gap-y-3 text-sm text-muted sm:grid-cols-2">
      <p>
        <strong className="font-medium text-text">Proven:</strong> the chain confirms that the vault held this
        amount at that block, and each balance that its owner finds under the root is included in the
        liabilities.
      </p>
      <p>
        <strong className="font-medium text-text">Not proven:</strong> that every owner checks, that everyone
        sees the same root, and what happens to the vault later. Compare the root with others and save a seal.
      </p>
    </div>
  )
}
