import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { Tabs } from '../../../ui/layout/tabs.tsx'
import { ServicePrice } from '../../../ui/services/service-price.tsx'
import type { Way } from '../provider-search.ts'
import { CurlTab } from './curl-tab.tsx'
import { JsonTab } from './json-tab.tsx'
import { isMetered, type Manifest, readAt, textAt, tidied } from './manifest.ts'
import { type ManifestDraft, useManifestDraft } from './manifest-draft.ts'
import { ManifestForm } from './manifest-form.tsx'
import { findIssues, type Issue, issuesOf } from './manifest-issues.ts'
import { OpenapiTab } from './openapi-tab.tsx'

/** Registers a service by form, curl command or JSON, which share one draft. */
export function NewServicePage() {
  const { by = 'form' } = useSearch({ from: '/provider/new' })
  const navigate = useNavigate()
  const draft = useManifestDraft()
  const registration = useRegistration(draft)
  const { isStrict, issues, change, submit } = registration
  const { manifest } = draft
  const go = (way: Way) =>
    navigate({
      to: '/provider/new',
      search: way === 'form' ? {} : { by: way },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHead
        title="Register a service"
        description="Use a form, a curl command, an OpenAPI document or JSON. All edit the same draft, which this tab keeps until you register."
      />
      <form
        noValidate
        onSubmit={submit}
        className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]"
      >
        <Tabs
          label="Input format"
          value={by}
          onChange={go}
          tabs={[
            {
              id: 'form',
              label: 'Form',
              content: (
                <ManifestForm
                  // Remount fields that hold their own text when the draft was replaced elsewhere.
                  key={draft.turn}
                  manifest={manifest}
                  issues={issues}
                  isStrict={isStrict}
                  onChange={change}
                />
              ),
            },
            {
              id: 'curl',
              label: 'curl command',
              content: <CurlTab draft={draft} onDone={() => go('form')} />,
            },
            {
              id: 'openapi',
              label: 'OpenAPI',
              content: <OpenapiTab draft={draft} onDone={() => go('form')} />,
            },
            { id: 'json', label: 'JSON manifest', content: <JsonTab draft={draft} issues={issues} /> },
          ]}
        />
        <aside className="flex flex-col gap-4 xl:sticky xl:top-21">
          <Preview manifest={manifest} />
          <RegisterCard registration={registration} />
          {!draft.isEmpty && (
            <Button size="sm" variant="ghost" className="self-start" onClick={() => draft.drop()}>
              Start over
            </Button>
          )}
        </aside>
      </form>
    </>
  )
}

/** The state of a registration: what the manifest lacks, by this page and by the gateway. */
function useRegistration(draft: ManifestDraft) {
  const navigate = useNavigate()
  const { manifest } = draft
  const [isStrict, setStrict] = useState(false)
  const registering = useMutation({
    mutationFn: (body: Manifest) => api.registerService({ body: body as never }),
    async onSuccess({ serviceId }) {
      draft.drop()
      await queryClient.invalidateQueries({ queryKey: ['services'] })
      await navigate({ to: '/provider/$id', params: { id: serviceId }, search: { new: true } })
    },
  })
  const [refused, setRefused] = useState<readonly Issue[]>([])
  const own = useMemo(() => findIssues(manifest), [manifest])
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setStrict(true)
    if (own.length > 0 || draft.fault !== undefined) return
    setRefused([])
    registering.mutate(tidied(manifest), { onError: error => setRefused(issuesOf(error, manifest)) })
  }
  return { isStrict, issues, refused, registering, change, submit }
}

function RegisterCard({ registration }: { registration: ReturnType<typeof useRegistration> }) {
  const { isStrict, issues, refused, registering } = registration
  return (
    <Card>
      <div className="flex flex-col gap-3">
        <Standing issues={issues} isStrict={isStrict} />
        {refused.length === 0 && <Failed error={registering.error} />}
        <Button type="submit" variant="primary" isBusy={registering.isPending}>
          Register service
        </Button>
        <p className="text-sm text-faint">
          It is probed immediately and listed as soon as a target answers. Everything but the price model (per
          call or per token) can be changed later.
        </p>
      </div>
    </Card>
  )
}

/** A preview of the service's card in the market. */
function Preview({ manifest }: { manifest: Manifest }) {
  const name = textAt(manifest, 'serviceName').trim()
  const pricing = previewPrice(manifest)
  return (
    <Card title="In the market">
      <p className={name === '' ? 'font-medium text-faint' : 'font-medium break-words'}>
        {name === '' ? 'Your service' : name}
      </p>
      <p className="mt-1 line-clamp-3 min-h-5 text-sm break-words text-muted">
        {textAt(manifest, 'summary') || 'The description of your service.'}
      </p>
      <p className="mt-3 min-h-10 text-sm">
        {pricing === null ? (
          <span className="text-faint">No price yet</span>
        ) : (
          <ServicePrice pricing={pricing} />
        )}
      </p>
    </Card>
  )
}

const AMOUNT = /^\d{1,12}(?:\.\d{0,6})?$/

function previewPrice(manifest: Manifest) {
  const read = (path: string) => {
    const text = textAt(manifest, path) || textAt(manifest, `pricing.${path}`)
    return AMOUNT.test(text) ? text.replace(/\.$/, '') : null
  }
  if (!isMetered(manifest)) {
    const amount = read('pricing.amount')
    return amount === null ? null : { amount }
  }
  const inputPricePer1MTokensUsdc = read('inputPricePer1MTokensUsdc')
  const outputPricePer1MTokensUsdc = read('outputPricePer1MTokensUsdc')
  if (inputPricePer1MTokensUsdc === null || outputPricePer1MTokensUsdc === null) return null
  return { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc }
}

function Standing({ issues, isStrict }: { issues: readonly Issue[]; isStrict: boolean }) {
  if (issues.length === 0)
    return (
      <p role="status" className="flex items-center gap-2 text-sm">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-accent" />
        Ready to register
      </p>
    )
  return (
    <div role="status" className="text-sm">
      <p className="flex items-center gap-2">
        <CircleAlert aria-hidden className="size-4 shrink-0 text-warn" />
        {issues.length === 1 ? 'One field to complete' : `${issues.length} fields to complete`}
      </p>
      {isStrict && (
        <ul className="mt-2 flex flex-col gap-1.5 text-muted">
          {issues.slice(0, 8).map(({ path, message }) => (
            <li key={`${path}${message}`} className="break-words">
              <code className="font-mono text-xs text-text">{path}</code>
              <br />
              {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
