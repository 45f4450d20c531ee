import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../button.tsx'
import { Card } from '../layout/page.tsx'
import { type Step, Steps } from './steps.tsx'

/** A step of an introduction. Its content is shown while it is the next one. */
export type FirstStep = {
  readonly title: string
  readonly isDone: boolean
  readonly todo?: ReactNode
  /** Shown in every state. */
  readonly detail?: ReactNode
}

/**
 * An introduction, one step at a time.
 *
 * @param props.onHide hides it; undefined if it cannot be hidden
 */
export function FirstSteps(props: { steps: readonly FirstStep[]; onHide: (() => void) | undefined }) {
  const { steps, onHide } = props
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Card
      title="Get started"
      actions={
        onHide !== undefined && (
          <IconButton label="Hide first steps" className="-mr-2" onClick={onHide}>
            <X />
          </IconButton>
        )
      }
    >
      <Steps
        label="First steps"
        isCalm
        steps={steps.map(({ title, isDone, todo, detail }, index): Step => {
          if (index === next) return { title, state: 'active', detail: todo ?? detail }
          return { title, state: isDone ? 'done' : 'waiting', detail }
        })}
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
