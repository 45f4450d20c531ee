import { clsx } from 'clsx'
import { Check, CircleAlert } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { type RegistrationStep, registrationSteps } from '../provider-search.ts'
import { HeadersCard } from './headers-card.tsx'
import type { Manifest } from './manifest.ts'
import { About, ManifestEditor, Schemas, Signature } from './manifest-form.tsx'
import { Health } from './manifest-health.tsx'
import { Price } from './manifest-price.tsx'
import { Targets } from './manifest-targets.tsx'
import { RegisterCard } from './register-card.tsx'
import { stepBeside, stepOf, steps } from './registration-steps.ts'
import { Review } from './review.tsx'
import type { Registration } from './use-registration.ts'

/** The form of a new service, one step at a time. Every step stays mounted, since some fields hold their own text. */
export function StepsForm(props: {
  manifest: Manifest
  registration: Registration
  step: RegistrationStep
  onStep: (step: RegistrationStep) => void
}) {
  const { manifest, registration, step, onStep } = props
  const { canSubmit, checked, issues, change } = registration
  const content: Readonly<Record<RegistrationStep, ReactNode>> = {
    about: <About />,
    calls: (
      <>
        <Targets />
        <Schemas />
        <Health />
      </>
    ),
    price: <Price />,
    secrets: (
      <>
        <HeadersCard />
        <Signature />
      </>
    ),
    review: (
      <>
        <Review manifest={manifest} onStep={onStep} />
        <RegisterCard registration={registration} />
      </>
    ),
  }
  return (
    <div className="flex flex-col gap-5">
      <StepList registration={registration} step={step} onStep={onStep} />
      {steps.map(({ id, title }) => (
        <ManifestEditor
          key={id}
          manifest={manifest}
          issues={issues}
          isStrict={checked.has(id)}
          onChange={change}
        >
          <StepSection title={title} isOpen={id === step}>
            {content[id]}
          </StepSection>
        </ManifestEditor>
      ))}
      <div className="flex justify-between gap-2">
        <Button
          className={clsx(step === registrationSteps[0] && 'invisible')}
          onClick={() => onStep(stepBeside(step, -1))}
        >
          Back
        </Button>
        {step !== 'review' && (
          <Button type="submit" variant="primary" disabled={!canSubmit}>
            Continue
          </Button>
        )}
      </div>
    </div>
  )
}

/** Moves the focus to the step and the page to its top when it is opened after another. */
function StepSection({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  const section = useRef<HTMLElement>(null)
  const wasOpen = useRef(isOpen)
  useLayoutEffect(() => {
    if (isOpen && !wasOpen.current) {
      section.current?.focus({ preventScroll: true })
      window.scrollTo({ top: 0 })
    }
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={title}
      hidden={!isOpen}
      className={clsx('flex-col gap-5 outline-none', isOpen && 'flex')}
    >
      {children}
    </section>
  )
}

/** The steps with what is complete and what is not, to go to any of them. */
function StepList(props: {
  registration: Registration
  step: RegistrationStep
  onStep: (step: RegistrationStep) => void
}) {
  const { registration, step, onStep } = props
  const { checked, issues } = registration
  const current = registrationSteps.indexOf(step)
  return (
    <nav aria-label="Steps">
      <ol className="flex items-center gap-1 sm:gap-2">
        {steps.map(({ id, title }, index) => {
          const isSeen = index < current || checked.has(id)
          const isFaulty = isSeen && issues.some(issue => stepOf(issue) === id)
          const isDone = isSeen && !isFaulty && id !== 'review'
          return (
            <li key={id}>
              <button
                type="button"
                aria-label={`${title}${isDone ? ', complete' : isFaulty ? ', has errors' : ''}`}
                aria-current={id === step ? 'step' : undefined}
                onClick={() => onStep(id)}
                className="group flex h-9 items-center gap-2 rounded-md px-1.5 text-sm text-muted transition-colors hover:text-text aria-[current]:font-medium aria-[current]:text-text"
              >
                <span
                  aria-hidden
                  data-number={isDone || isFaulty ? undefined : index + 1}
                  className={clsx(
                    'flex size-6 shrink-0 items-center justify-center rounded-full border text-xs tabular before:content-[attr(data-number)]',
                    isDone ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
                    isFaulty && 'border-danger text-danger',
                    'group-aria-[current]:ring-2 group-aria-[current]:ring-accent/40',
                  )}
                >
                  {isDone && <Check className="size-3.5" />}
                  {isFaulty && <CircleAlert className="size-3.5" />}
                </span>
                <span className={clsx(id !== step && 'max-md:hidden')}>{title}</span>
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
