import type { ReactNode } from 'react'
import { Card } from '../layout/page.tsx'
import { type Step, Steps } from './steps.tsx'

/** A step of an introduction. Its content is shown once the previous steps are done. */
export type FirstStep = {
  readonly title: string
  readonly isDone: boolean
  readonly todo: ReactNode
}

/**
 * An introduction, one step at a time.
 *
 * @param props.last the outcome, as the last step
 */
export function FirstSteps({ steps, last }: { steps: readonly FirstStep[]; last: Omit<Step, 'state'> }) {
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Card title="Get started">
      <Steps
        label="First steps"
        isCalm
        steps={[
          ...steps.map(({ title, isDone, todo }, index): Step => {
            if (index === next) return { title, state: 'active', detail: todo }
            return { title, state: isDone ? 'done' : 'waiting' }
          }),
          { ...last, state: 'waiting' },
        ]}
      />
    </Card>
  )
}

/** Instructions of a step with links. */
export function Todo({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-2.5">
      <p>{text}</p>
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  )
}
