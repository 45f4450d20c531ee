import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { type Step, Steps } from '../../ui/steps.tsx'
import type { Service } from './service-words.ts'

/** From nothing to the first earnings, for those who have none. */
export function FirstSteps({ services }: { services: readonly Service[] }) {
  const [first] = services
  const offered = services.find(({ runtimeAvailable }) => runtimeAvailable)
  const stateOf = (isDone: boolean, isNext: boolean): Step['state'] =>
    isDone ? 'done' : isNext ? 'active' : 'waiting'
  return (
    <Card title="Get started">
      <Steps
        label="First steps"
        isCalm
        steps={[
          {
            title: 'Register your API',
            state: stateOf(first !== undefined, first === undefined),
            ...(first === undefined && {
              detail: (
                <Todo text="Any API that answers JSON will do. Paste a curl command of yours, and the form fills itself in.">
                  <Link
                    to="/provider/new"
                    search={{ by: 'curl' }}
                    className={buttonClass({ variant: 'primary', size: 'sm' })}
                  >
                    Paste a curl command
                  </Link>
                  <Link to="/provider/new" className={buttonClass({ size: 'sm' })}>
                    Fill in the form
                  </Link>
                </Todo>
              ),
            }),
          },
          {
            title: 'Have it answer the probes',
            state: stateOf(offered !== undefined, first !== undefined && offered === undefined),
            ...(first !== undefined &&
              offered === undefined && {
                detail: (
                  <Todo text="It is offered as soon as one of its targets answers.">
                    <Link
                      to="/provider/$id"
                      params={{ id: first.serviceId }}
                      className={buttonClass({ variant: 'primary', size: 'sm' })}
                    >
                      See what the probes find
                    </Link>
                  </Todo>
                ),
              }),
          },
          {
            title: 'Be called, and paid',
            state: stateOf(false, offered !== undefined),
            ...(offered !== undefined && {
              detail: (
                <Todo text="Agents find it on the market from now on. Its page there has a first call to copy.">
                  <Link
                    to="/services/$id"
                    params={{ id: offered.serviceId }}
                    className={buttonClass({ variant: 'primary', size: 'sm' })}
                  >
                    Its page on the market
                  </Link>
                </Todo>
              ),
            }),
          },
          { title: 'Withdraw to your wallet', state: 'waiting' },
        ]}
      />
    </Card>
  )
}

function Todo({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-2.5">
      <p>{text}</p>
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  )
}
