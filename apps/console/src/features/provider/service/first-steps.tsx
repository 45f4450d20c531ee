import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { FirstSteps, Todo } from '../../../ui/feedback/first-steps.tsx'
import type { Service } from './service-labels.ts'

/** The steps to the first earnings, for providers without any. */
export function ProviderSteps({ services }: { services: readonly Service[] }) {
  const [first] = services
  const offered = services.find(({ runtimeAvailable }) => runtimeAvailable)
  const primary = buttonClass({ variant: 'primary', size: 'sm' })
  return (
    <FirstSteps
      steps={[
        {
          title: 'Register your API',
          isDone: first !== undefined,
          todo: (
            <Todo text="Any API that answers JSON will do. Paste a curl command of yours, and the form fills itself in.">
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
          title: 'Have it answer the probes',
          isDone: offered !== undefined,
          todo: first !== undefined && (
            <Todo text="It is offered as soon as one of its targets answers.">
              <Link to="/provider/$id" params={{ id: first.serviceId }} className={primary}>
                See what the probes find
              </Link>
            </Todo>
          ),
        },
        {
          title: 'Be called, and paid',
          isDone: false,
          todo: offered !== undefined && (
            <Todo text="Agents find it on the market from now on. Its page there has a first call to copy.">
              <Link to="/services/$id" params={{ id: offered.serviceId }} className={primary}>
                Its page on the market
              </Link>
            </Todo>
          ),
        },
      ]}
      last={{ title: 'Withdraw to your wallet' }}
    />
  )
}
