import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card, Facts } from '../../../ui/layout/page.tsx'
import { ServicePrice } from '../../../ui/services/service-price.tsx'
import type { RegistrationStep } from '../provider-search.ts'
import { type Manifest, readAt, textAt } from './manifest.ts'
import { encodingOf } from './manifest-body.tsx'
import { signatures } from './manifest-form.tsx'
import { draftedKind, draftedPrice, Earned } from './market-preview.tsx'
import { steps } from './registration-steps.ts'

type Fact = readonly [name: string, value: ReactNode]

/** Everything that will be registered, by step, with the way back to each. */
export function Review({
  manifest,
  onStep,
}: {
  manifest: Manifest
  onStep: (step: RegistrationStep) => void
}) {
  const facts: Readonly<Partial<Record<RegistrationStep, readonly Fact[]>>> = {
    about: aboutOf(manifest),
    calls: callsOf(manifest),
    price: priceOf(manifest),
    secrets: secretsOf(manifest),
  }
  return steps.map(({ id, title }) => {
    const items = facts[id]
    if (items === undefined) return null
    return (
      <Card
        key={id}
        title={title}
        actions={
          <Button size="sm" variant="ghost" onClick={() => onStep(id)}>
            Change
          </Button>
        }
      >
        <Facts items={items} />
      </Card>
    )
  })
}

const missing = <span className="text-faint">Missing</span>

function aboutOf(manifest: Manifest): Fact[] {
  const tags = readAt(manifest, 'tags')
  return [
    ['Name', textAt(manifest, 'serviceName') || missing],
    ['Tool name', textAt(manifest, 'agentToolName') || 'Derived from the name'],
    ['Summary', textAt(manifest, 'summary') || 'None'],
    ['Description', textAt(manifest, 'description') || 'None'],
    ['Tags', Array.isArray(tags) ? tags.join(', ') : 'None'],
  ]
}

function callsOf(manifest: Manifest): Fact[] {
  const targets = readAt(manifest, 'invoke.targets')
  const urls = Array.isArray(targets) ? targets.map(target => String(readAt(target, 'url') ?? '')) : []
  const schema = readAt(manifest, 'invoke.request.body')
  return [
    ['Method', textAt(manifest, 'invoke.method') || 'POST'],
    [
      urls.length === 1 ? 'Target' : 'Targets',
      urls.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a target is its place
        <span key={index} className="block break-all">
          {url || missing}
        </span>
      )),
    ],
    ['Body', encodingOf(manifest).label],
    ['Request schema', schema === undefined ? 'None: every payload is accepted' : 'Checked before each call'],
    ['Health check', readAt(manifest, 'healthCheck') === undefined ? 'Any status below 500' : 'Custom rules'],
  ]
}

function priceOf(manifest: Manifest): Fact[] {
  const pricing = draftedPrice(manifest)
  if (pricing === null) return [['Price', missing]]
  const modelKind = draftedKind(manifest)
  return [
    ['Price', <ServicePrice key="price" pricing={pricing} modelKind={modelKind} />],
    ['You earn', <Earned key="earned" pricing={pricing} modelKind={modelKind} />],
  ]
}

function secretsOf(manifest: Manifest): Fact[] {
  const headers = Object.keys((readAt(manifest, 'upstreamHeaders') as object | undefined) ?? {})
  const signature = readAt(manifest, 'signature')
  return [
    ['Headers', headers.length === 0 ? 'None' : headers.join(', ')],
    ['Calls are signed by', (signatures.find(({ value }) => value === signature) ?? signatures[0]).label],
  ]
}
