import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from '../../../ui/button.tsx'
import { PageHead } from '../../../ui/layout/page.tsx'
import { Tabs } from '../../../ui/layout/tabs.tsx'
import type { RegistrationStep, Way } from '../provider-search.ts'
import { CurlTab } from './curl-tab.tsx'
import { JsonTab } from './json-tab.tsx'
import { useManifestDraft } from './manifest-draft.ts'
import { MarketPreview } from './market-preview.tsx'
import { OpenapiTab } from './openapi-tab.tsx'
import { RegisterCard } from './register-card.tsx'
import { StepsForm } from './steps-form.tsx'
import { useRegistration } from './use-registration.ts'

/** Registers a service by form, curl command, OpenAPI document or JSON, which share one draft. */
export function NewServicePage() {
  const { by, step, go, onStep } = usePlace()
  const draft = useManifestDraft()
  const isByForm = by === 'form'
  const registration = useRegistration(draft, { step: isByForm ? step : null, onStep })
  const { manifest } = draft
  return (
    <>
      <PageHead
        title="Register a service"
        description="Use a form, a curl command, an OpenAPI document or JSON. All edit the same draft, which this tab keeps until you register."
      />
      <form
        noValidate
        onSubmit={registration.submit}
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
                <StepsForm
                  // Remount fields that hold their own text when the draft was replaced elsewhere.
                  key={draft.turn}
                  manifest={manifest}
                  registration={registration}
                  step={step}
                  onStep={onStep}
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
            {
              id: 'json',
              label: 'JSON manifest',
              content: <JsonTab draft={draft} issues={registration.issues} />,
            },
          ]}
        />
        <aside className="flex flex-col gap-4 xl:sticky xl:top-21">
          <MarketPreview manifest={manifest} />
          {!isByForm && <RegisterCard registration={registration} />}
          {!draft.isEmpty && (
            <Button size="sm" variant="ghost" className="self-start" onClick={registration.startOver}>
              Start over
            </Button>
          )}
        </aside>
      </form>
    </>
  )
}

/** Returns the open input format and step, which the URL holds, and how to open others. */
function usePlace() {
  const { by = 'form', step = 'about' } = useSearch({ from: '/provider/new' })
  const navigate = useNavigate()
  const go = (way: Way) =>
    navigate({
      to: '/provider/new',
      search: way === 'form' ? {} : { by: way },
      replace: true,
      resetScroll: false,
    })
  const onStep = (next: RegistrationStep) =>
    navigate({ to: '/provider/new', search: next === 'about' ? {} : { step: next }, resetScroll: false })
  return { by, step, go, onStep }
}
