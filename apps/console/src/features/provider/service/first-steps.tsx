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
          isDone: offered !== undefined,
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
          isDone: false,
          todo: offered !== undefined && (
            <Todo text="Agents can now find it in the market, with an example call.">
              <Link to="/services/$id" params={{ id: offered.serviceId }} className={primary}>
                Open its market page
              </Link>
            </Todo>
          ),
        },
        { title: 'Withdraw to your wallet', isDone: false },
      ]}
    />
  )
}
