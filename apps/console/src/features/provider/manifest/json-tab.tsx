import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Field, Textarea } from '../../../ui/forms/field.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import type { ManifestDraft } from './manifest-draft.ts'
import type { Issue } from './manifest-issues.ts'

/** The draft as JSON, as `POST /services` accepts it. */
export function JsonTab({ draft, issues }: { draft: ManifestDraft; issues: readonly Issue[] }) {
  const { data } = useQuery({
    queryKey: ['registration-guide'],
    queryFn: ({ signal }) => api.readRegistrationGuide({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Card
      title="Manifest"
      actions={
        <span className="flex flex-wrap gap-2">
          {(['fixed', 'llm'] as const).map(kind => (
            <Button
              key={kind}
              size="sm"
              variant="ghost"
              disabled={data === undefined}
              onClick={() => data && draft.writeText(JSON.stringify(data.examples[kind], null, 2))}
            >
              {kind === 'fixed' ? 'Example' : 'Example for models'}
            </Button>
          ))}
        </span>
      }
    >
      <Field label="JSON" error={draft.fault}>
        <Textarea
          rows={24}
          className="font-mono text-sm"
          spellCheck={false}
          value={draft.text}
          onChange={({ target }) => draft.writeText(target.value)}
        />
      </Field>
      {draft.fault === undefined && issues.length > 0 && (
        <ul aria-label="Errors" className="mt-3 flex flex-col gap-1.5 text-sm">
          {issues.map(({ path, message }) => (
            <li key={`${path}${message}`} className="break-words">
              <code className="font-mono text-xs text-danger">{path}</code>{' '}
              <span className="text-muted">{message}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
