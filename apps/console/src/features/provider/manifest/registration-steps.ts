import { type RegistrationStep, registrationSteps } from '../provider-search.ts'
import { TERMS_OF_MODELS } from './manifest.ts'
import type { Issue } from './manifest-issues.ts'

type Step = {
  readonly id: RegistrationStep
  readonly title: string
  /** Members of a manifest that the step asks for. */
  readonly members: readonly string[]
}

const content: Readonly<Record<RegistrationStep, Omit<Step, 'id'>>> = {
  about: {
    title: 'What it is',
    members: [
      'serviceName',
      'agentToolName',
      'summary',
      'description',
      'tags',
      'serviceKind',
      'priceModel',
      'inputModalities',
    ],
  },
  calls: { title: 'How it is called', members: ['invoke', 'healthCheck'] },
  price: { title: 'Price', members: ['pricing', ...TERMS_OF_MODELS] },
  secrets: { title: 'Secrets and signature', members: ['upstreamHeaders', 'signature'] },
  review: { title: 'Review', members: [] },
}

/** The steps of a registration, in their order. */
export const steps: readonly Step[] = registrationSteps.map(id => ({ id, ...content[id] }))

/** Returns the step that can mend an issue: the review lists those that no field is for. */
export function stepOf({ path }: Issue): RegistrationStep {
  const [member = ''] = path.split('.')
  return steps.find(({ members }) => members.includes(member))?.id ?? 'review'
}

/** Returns the first step with an issue, or undefined if there is none. */
export function firstStepOf(issues: readonly Issue[]): RegistrationStep | undefined {
  return registrationSteps.find(id => issues.some(issue => stepOf(issue) === id))
}

/** Returns the step before or after another; that step itself at either end. */
export function stepBeside(step: RegistrationStep, by: -1 | 1): RegistrationStep {
  return registrationSteps[registrationSteps.indexOf(step) + by] ?? step
}
