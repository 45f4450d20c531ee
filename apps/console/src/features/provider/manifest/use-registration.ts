import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { type RegistrationStep, registrationSteps } from '../provider-search.ts'
import { type Manifest, readAt, tidied } from './manifest.ts'
import type { ManifestDraft } from './manifest-draft.ts'
import { type Issue, issuesOf } from './manifest-issues.ts'
import { firstStepOf, stepBeside, stepOf } from './registration-steps.ts'
import { useIssues } from './use-issues.ts'

/** The state of a registration: what the manifest lacks, by this page and by the gateway. */
export type Registration = ReturnType<typeof useRegistration>

/**
 * @param at.step   the open step of the form; null while the draft is edited another way
 * @param at.onStep opens a step
 */
export function useRegistration(
  draft: ManifestDraft,
  at: { readonly step: RegistrationStep | null; readonly onStep: (step: RegistrationStep) => void },
) {
  const { step, onStep } = at
  const { manifest } = draft
  const [checked, setChecked] = useState<ReadonlySet<RegistrationStep>>(new Set())
  const registering = useRegistering(draft)
  const [refused, setRefused] = useState<readonly Issue[]>([])
  // On a phone the schema takes longer than the page, and a draft that is not begun lacks everything.
  const found = useIssues(manifest, !draft.isEmpty || checked.size > 0)
  const own = found ?? []
  const broken = draft.fault === undefined ? [] : [{ path: 'JSON', message: draft.fault }]
  const issues = [...broken, ...own, ...refused.filter(({ path }) => !own.some(each => each.path === path))]
  const change = (next: Manifest) => {
    // Keep the gateway's issues until their fields change.
    setRefused(before =>
      before.filter(
        ({ path }) => JSON.stringify(readAt(next, path)) === JSON.stringify(readAt(manifest, path)),
      ),
    )
    draft.write(next)
  }
  const show = (shown: readonly Issue[]) => {
    const first = firstStepOf(shown)
    if (step !== null && first !== undefined) onStep(first)
  }
  const register = () => {
    setChecked(new Set(registrationSteps))
    // An empty draft lacks what the first step asks for.
    if (found === undefined) return step === null ? undefined : onStep('about')
    if (own.length + broken.length > 0) return show([...broken, ...own])
    setRefused([])
    registering.mutate(tidied(manifest), {
      onError(error) {
        const theirs = issuesOf(error, manifest)
        setRefused(theirs)
        show(theirs)
      },
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (step === null || step === 'review') return register()
    setChecked(new Set([...checked, step]))
    if (found !== undefined && !issues.some(issue => stepOf(issue) === step)) onStep(stepBeside(step, 1))
  }
  const startOver = () => {
    setChecked(new Set())
    setRefused([])
    registering.reset()
    draft.drop()
    if (step !== null) onStep('about')
  }
  const isReady = found !== undefined
  const canSubmit = isReady || draft.isEmpty
  return { isReady, canSubmit, checked, issues, refused, registering, change, submit, startOver }
}

function useRegistering(draft: ManifestDraft) {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (body: Manifest) => api.registerService({ body: body as never }),
    async onSuccess({ serviceId }) {
      draft.drop()
      await queryClient.invalidateQueries({ queryKey: ['services'] })
      await navigate({ to: '/provider/$id', params: { id: serviceId }, search: { new: true } })
    },
  })
}
