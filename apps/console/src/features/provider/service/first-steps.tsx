import type { AnswerOf } from '@farebox/client'
import { Link } from '@tanstack/react-router'
import { createIntroduction, useIntroduction } from '../../../session/use-introduction.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { FirstSteps, Todo } from '../../../ui/feedback/first-steps.tsx'
import type { Service } from './service-labels.ts'

type Earnings = AnswerOf<'readEarnings'>

const introduction = createIntroduction('provider')

/**
 * The steps to the first withdrawal: for providers that have withdrawn nothing, and then, all ticked off, until the page
 * is reloaded. Who has earnings can hide them.
 */
export function ProviderSteps({ services, earnings }: { services: readonly Service[]; earnings: Earnings }) {
  const hasEarned = earnings.summary.totalCalls > 0
  const hasWithdrawn = Number(earnings.summary.withdrawnUsdc) > 0
  const { isShown, hide } = useIntroduction(introduction, hasWithdrawn)
  const [first] = services
  const offered = services.find(({ runtimeAvailable }) => runtimeAvailable)
  const primary = buttonClass({ variant: 'primary', size: 'sm' })
  if (!isShown) return null
  return (
    <FirstSteps
      onHide={hasEarned ? hide : undefined}
      steps={[
        {
          title: 'Register your API',
          isDone: first !== undefined || hasEarned,
          todo: (
            <Todo text="Any API that returns JSON works. Paste a curl command to fill in the form.">
              <Link to="/provider/new" search={{ by: 'curl' }} className={primary}>
                Paste a curl command
              </Link>
              <Link to="/provider/new" className={buttonClass({ size: 'sm' })}>
                Fill in the form
              </Link>
            </Todo>
          ),
        },
        {
          title: 'Pass the health probes',
          // A target may have failed since.
          isDone: offered !== undefined || hasEarned,
          todo: first !== undefined && (
            <Todo text="It is listed as soon as one of its targets responds.">
              <Link to="/provider/$id" params={{ id: first.serviceId }} className={primary}>
                Show probe results
              </Link>
            </Todo>
          ),
        },
        {
          title: 'Receive calls and earnings',
          isDone: hasEarned,
          todo: offered !== undefined && (
            <Todo text="Agents can now find it in the market, with an example call.">
              <Link to="/services/$id" params={{ id: offered.serviceId }} className={primary}>
                Open its market page
              </Link>
            </Todo>
          ),
        },
        {
          title: 'Withdraw to your wallet',
          isDone: hasWithdrawn,
          todo: (
            <Todo text="Earnings can be withdrawn as soon as a call ends.">
              <Link to="/provider/withdraw" className={primary}>
                Withdraw
              </Link>
            </Todo>
          ),
        },
      ]}
    />
  )
}
