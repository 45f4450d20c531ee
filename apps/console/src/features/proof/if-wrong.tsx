import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/layout/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { Check } from './check.ts'

/** Contents of a proof page: the gateway's answers and the outcomes of the steps. */
type Shown = { readonly answers: object; readonly checks: readonly Check[] }

/** Instructions for a step that failed. `shown` is saved as evidence; undefined while it loads. */
export function IfWrong({ shown }: { shown: Shown | undefined }) {
  const link = 'rounded text-accent underline underline-offset-2'
  return (
    <Card
      title="If a step fails"
      actions={
        <Button
          size="sm"
          disabled={shown === undefined}
          icon={<Download aria-hidden className="size-3.5" />}
          onClick={() => shown && save(shown)}
        >
          Save the evidence
        </Button>
      }
    >
      <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-sm text-muted marker:text-faint">
        <li>Check again: a new root may have been published between two requests. A real error persists.</li>
        <li>
          Save the evidence: the gateway's responses with their root and the outcome of each step, in one
          file.
        </li>
        <li>
          Run <code className="font-mono text-text">examples/verify-reserves</code> from the source code on
          another machine, and compare the root and the seals with those that others see.
        </li>
        <li>
          Until the error is explained, protect your money:{' '}
          <Link to={'/app/credentials' as string} className={link}>
            revoke your credentials
          </Link>
          , and{' '}
          <Link to={'/provider/withdraw' as string} className={link}>
            withdraw your earnings
          </Link>
          . The vault pays any valid ticket you hold, even without the gateway.
        </li>
      </ol>
    </Card>
  )
}

function save({ answers, checks }: Shown): void {
  const savedAt = new Date().toISOString()
  const outcomes = checks.map(({ title, outcome }) => ({ step: title, outcome }))
  const text = JSON.stringify({ gateway: window.location.origin, savedAt, ...answers, outcomes }, null, 2)
  saveFile(new Blob([text], { type: 'application/json' }), `farebox-proof-${savedAt.slice(0, 10)}.json`)
}
