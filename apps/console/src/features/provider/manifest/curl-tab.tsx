import type { AnswerOf } from '@farebox/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { Field, Textarea } from '../../../ui/forms/field.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { DraftNotes } from './draft-notes.tsx'
import { readAt } from './manifest.ts'
import type { ManifestDraft } from './manifest-draft.ts'

const EXAMPLE = `curl https://api.weather.example/v1/now \\
  -H 'X-Api-Key: 3f9c' \\
  --json '{"city":"Lisbon"}'`

/** Fills the draft from a curl command, which is parsed and never run. */
export function CurlTab({ draft, onDone }: { draft: ManifestDraft; onDone: () => void }) {
  const [command, setCommand] = useState('')
  const reading = useMutation({
    mutationFn: (curlCommand: string) => api.draftService({ body: { curlCommand } }),
    onSuccess({ manifest }) {
      const price = readAt(draft.manifest, 'pricing.amount')
      const isPriced = 'pricing' in manifest || manifest.serviceKind === 'llm'
      draft.take({ ...manifest, ...(!isPriced && { pricing: { amount: price ?? '', currency: 'USDC' } }) })
    },
  })
  return (
    <div className="flex flex-col gap-5">
      <Card>
        <div className="flex flex-col gap-3">
          <Field
            label="curl command"
            hint="Paste it as you would run it in a shell. The command is parsed but never run. Headers with keys are stored encrypted when you register."
            error={reading.error === null ? undefined : describeError(reading.error)}
          >
            <Textarea
              rows={7}
              className="font-mono text-sm"
              spellCheck={false}
              placeholder={EXAMPLE}
              value={command}
              onChange={({ target }) => setCommand(target.value)}
              onKeyDown={event => {
                if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
                  event.preventDefault()
                  reading.mutate(command)
                }
              }}
            />
          </Field>
          <Button
            className="self-start"
            isBusy={reading.isPending}
            disabled={command.trim() === ''}
            onClick={() => reading.mutate(command)}
          >
            Parse command
          </Button>
        </div>
      </Card>
      {reading.data !== undefined && <Found found={reading.data} onDone={onDone} />}
    </div>
  )
}

function Found({ found, onDone }: { found: AnswerOf<'draftService'>; onDone: () => void }) {
  const { manifest, warnings, unsupported } = found
  return (
    <Card title="Parsed command">
      <div role="status" className="flex flex-col gap-3">
        <p className="break-words">
          <span className="font-medium">{String(manifest.serviceName)}</span>{' '}
          <span className="text-muted">
            by {String(readAt(manifest, 'invoke.method'))} {String(readAt(manifest, 'invoke.targets.0.url'))}
          </span>
        </p>
        <DraftNotes warnings={warnings} unsupported={unsupported} />
        <Button variant="secondary" className="self-start" onClick={onDone}>
          Continue in the form
        </Button>
      </div>
    </Card>
  )
}
