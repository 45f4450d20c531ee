import type { AnswerOf } from '@farebox/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { useDraft } from '../../../ui/forms/draft.ts'
import { Checkbox, Field, Input, Textarea } from '../../../ui/forms/field.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { DraftNotes } from './draft-notes.tsx'
import { readAt } from './manifest.ts'
import type { ManifestDraft } from './manifest-draft.ts'

type Reading = AnswerOf<'draftServicesFromOpenapi'>
/** Maximum number of operations that are drafted at once. */
const DRAFTS_MAX = 20

/** Drafts services from an OpenAPI document. The document stays in this tab, so that one can be drafted after another. */
export function OpenapiTab({ draft, onDone }: { draft: ManifestDraft; onDone: () => void }) {
  const [document, write] = useDraft('service.openapi')
  const [serverUrl, setServerUrl] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const reading = useMutation({
    mutationFn: (operations: readonly string[]) =>
      api.draftServicesFromOpenapi({
        body: { document, operations: [...operations], ...(serverUrl !== '' && { serverUrl }) },
      }),
  })
  const take = ({ manifest }: Reading['drafts'][number]) => {
    const price = readAt(draft.manifest, 'pricing.amount')
    draft.take({ ...manifest, pricing: { amount: price ?? '', currency: 'USDC' } })
    onDone()
  }
  return (
    <div className="flex flex-col gap-5">
      <Source
        document={document}
        onDocument={text => {
          write(text)
          setChosen([])
          reading.reset()
        }}
        serverUrl={serverUrl}
        onServerUrl={setServerUrl}
        error={reading.error}
        isBusy={reading.isPending}
        onRead={() => reading.mutate([])}
      />
      {reading.data !== undefined && (
        <Operations
          reading={reading.data}
          chosen={chosen}
          onChoose={setChosen}
          onDraft={() => reading.mutate(chosen)}
        />
      )}
      {reading.data?.drafts.map(each => (
        <Drafted key={each.operation} drafted={each} onTake={() => take(each)} />
      ))}
    </div>
  )
}

function Source(props: {
  document: string
  onDocument: (text: string) => void
  serverUrl: string
  onServerUrl: (url: string) => void
  error: Error | null
  isBusy: boolean
  onRead: () => void
}) {
  const { document, onDocument, serverUrl, onServerUrl, error, isBusy, onRead } = props
  return (
    <Card>
      <div className="flex flex-col gap-3">
        <Field
          label="OpenAPI document"
          hint="Version 3.0 or 3.1, JSON or YAML, in one file. Nothing is fetched or registered."
          error={error === null ? undefined : describeError(error)}
        >
          <Textarea
            rows={9}
            className="font-mono text-sm"
            spellCheck={false}
            placeholder={'openapi: 3.1.0\npaths:\n  /pets/{id}:'}
            value={document}
            onChange={({ target }) => onDocument(target.value)}
          />
        </Field>
        <Field label="Or upload a file">
          <Input
            type="file"
            accept=".json,.yaml,.yml"
            onChange={async ({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) onDocument(await file.text())
            }}
          />
        </Field>
        <Field label="Server" hint="If empty, the first server of the document.">
          <Input
            inputMode="url"
            placeholder="https://api.example.com"
            value={serverUrl}
            onChange={({ target }) => onServerUrl(target.value.trim())}
          />
        </Field>
        <Button className="self-start" isBusy={isBusy} disabled={document.trim() === ''} onClick={onRead}>
          Parse document
        </Button>
      </div>
    </Card>
  )
}

function Operations(props: {
  reading: Reading
  chosen: readonly string[]
  onChoose: (operations: readonly string[]) => void
  onDraft: () => void
}) {
  const { reading, chosen, onChoose, onDraft } = props
  const { operations, title } = reading
  return (
    <Card title={title === '' ? 'Operations' : `Operations of ${title}`}>
      <div className="flex flex-col gap-3">
        <ul aria-label="Operations" className="flex max-h-96 flex-col gap-2 overflow-y-auto">
          {operations.map(({ operation, summary, isDeprecated, problem }) => (
            <li key={operation} className="flex flex-col">
              <Checkbox
                label={isDeprecated ? `${operation} (deprecated)` : operation}
                disabled={problem !== null}
                checked={chosen.includes(operation)}
                onChange={({ target }) =>
                  onChoose(
                    target.checked ? [...chosen, operation] : chosen.filter(each => each !== operation),
                  )
                }
              />
              <p className="pl-6 text-sm break-words text-muted">{problem ?? summary}</p>
            </li>
          ))}
        </ul>
        <Button
          variant="secondary"
          className="self-start"
          disabled={chosen.length === 0 || chosen.length > DRAFTS_MAX}
          onClick={onDraft}
        >
          Draft {chosen.length === 1 ? '1 service' : `${chosen.length} services`}
        </Button>
      </div>
    </Card>
  )
}

function Drafted({ drafted, onTake }: { drafted: Reading['drafts'][number]; onTake: () => void }) {
  const { operation, manifest, warnings, unsupported } = drafted
  return (
    <Card title={String(manifest.serviceName)}>
      <div role="status" className="flex flex-col gap-3">
        <p className="break-words text-muted">
          {operation} at {String(readAt(manifest, 'invoke.targets.0.url'))}
        </p>
        <DraftNotes warnings={warnings} unsupported={unsupported} />
        <Button variant="secondary" className="self-start" onClick={onTake}>
          Continue with {operation}
        </Button>
      </div>
    </Card>
  )
}
