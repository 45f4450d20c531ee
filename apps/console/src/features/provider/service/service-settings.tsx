import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { AskBeforeLeaving } from '../../../ui/forms/ask-before-leaving.tsx'
import { type Manifest, tidied } from '../manifest/manifest.ts'
import { ManifestForm } from '../manifest/manifest-form.tsx'
import { issuesOf } from '../manifest/manifest-issues.ts'
import { useIssues } from '../manifest/use-issues.ts'
import type { Service } from './service-labels.ts'

/** The terms of a model that can be changed, besides its prices. */
const TERMS = [
  'inputModalities',
  'llmDialect',
  'upstreamModel',
  'modelFamily',
  'defaultMaxOutputTokens',
  'mediaTokens',
  'contextTokens',
] as const

/** Returns the editable part of a manifest. Prices are changed separately. */
function manifestOf(service: Service): Manifest {
  const {
    serviceName,
    agentToolName,
    summary,
    description,
    tags,
    invoke,
    healthCheck,
    serviceKind,
    priceModel,
    signature,
  } = service
  const { method, request, response, timeoutMs, encoding, contentType } = invoke
  const { streamIdleTimeoutMs, streamMaxMs } = invoke
  return {
    serviceName,
    agentToolName,
    summary,
    description,
    serviceKind,
    priceModel,
    ...(tags.length > 0 && { tags }),
    invoke: {
      method,
      request,
      response,
      timeoutMs,
      streamIdleTimeoutMs,
      streamMaxMs,
      encoding,
      contentType,
      targets: invoke.targets.map(({ url, weight, healthPath }) => ({ url, weight, healthPath })),
    },
    ...(healthCheck !== null && { healthCheck }),
    signature,
    ...(service.serviceKind === 'llm' && modelTermsOf(service)),
    pricing: service.pricing,
  }
}

/** Returns the saved terms of a model, besides its prices: also those that are only announced. */
function modelTermsOf(service: Extract<Service, { serviceKind: 'llm' }>): Manifest {
  const terms = { ...service, ...service.scheduledPricing }
  return Object.fromEntries(TERMS.filter(name => terms[name] !== null).map(name => [name, terms[name]]))
}

/** Returns the changed top-level members, as an update replaces them whole; removed ones are null. */
function changesOf(before: Manifest, after: Manifest): Record<string, unknown> {
  const [last, next] = [tidied(before), tidied(after)]
  const names = [
    'serviceName',
    'agentToolName',
    'summary',
    'description',
    'tags',
    ...TERMS,
    'invoke',
    'healthCheck',
    'upstreamHeaders',
    'signature',
  ]
  return Object.fromEntries(
    names
      .filter(name => JSON.stringify(last[name]) !== JSON.stringify(next[name]))
      .map(name => [name, next[name] ?? null]),
  )
}

/** The editable manifest of a service. */
export function ServiceSettings({ service }: { service: Service }) {
  const [before, setBefore] = useState(() => manifestOf(service))
  const [manifest, setManifest] = useState(before)
  const [turn, setTurn] = useState(0)
  const changes = useMemo(() => changesOf(before, manifest), [before, manifest])
  const own = useIssues(manifest)
  const saving = useMutation({
    mutationFn: () => api.updateService({ path: { id: service.serviceId }, body: changes as never }),
    async onSuccess(answer) {
      const saved = manifestOf(answer.service)
      setBefore(saved)
      setManifest(saved)
      setTurn(turn + 1)
      toast.done('Saved. Changes apply to new calls.')
      await queryClient.invalidateQueries({ queryKey: ['services'] })
    },
  })
  const theirs = useMemo(() => issuesOf(saving.error, manifest), [saving.error, manifest])
  const isSame = Object.keys(changes).length === 0
  const isOpen = service.status === 'active' || service.status === 'inactive'

  function submit(event: FormEvent) {
    event.preventDefault()
    if (own?.length === 0 && !isSame) saving.mutate()
  }

  if (!isOpen) return <p className="text-muted">This service is {service.status} and cannot be changed.</p>
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <AskBeforeLeaving isUnsaved={!isSame} />
      <ManifestForm
        key={turn}
        isStrict
        hasHeaders={service.hasUpstreamHeaders}
        manifest={manifest}
        issues={[...(own ?? []), ...theirs]}
        onChange={next => {
          setManifest(next)
          if (saving.error !== null) saving.reset()
        }}
      />
      {theirs.length === 0 && <Failed error={saving.error} />}
      <div className="sticky bottom-0 -mx-1 flex flex-wrap items-center justify-end gap-2 border-t bg-page px-1 py-3">
        <p className="mr-auto text-sm text-muted" aria-live="polite">
          {isSame ? 'No changes.' : describeChanges(own?.length ?? 0)}
        </p>
        <Button
          disabled={isSame}
          onClick={() => {
            setManifest(before)
            setTurn(turn + 1)
          }}
        >
          Discard changes
        </Button>
        <Button
          type="submit"
          variant="primary"
          disabled={isSame || own?.length !== 0}
          isBusy={saving.isPending}
        >
          Save
        </Button>
      </div>
    </form>
  )
}

function describeChanges(wrong: number): string {
  if (wrong === 0) return 'Unsaved changes.'
  return `${wrong} ${wrong === 1 ? 'field' : 'fields'} to fix`
}
