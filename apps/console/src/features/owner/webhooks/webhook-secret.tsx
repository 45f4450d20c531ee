import { CodeBlock } from '../../../ui/code-block.tsx'
import { ShownOnce } from '../../../ui/dialogs/shown-once.tsx'

/** A secret that was just issued, with the URL of its webhook. */
export type IssuedSecret = { readonly url: string; readonly secret: string; readonly isRotated: boolean }

/** Shows a secret, which cannot be shown again, and how to verify signatures with it. */
export function SecretDialog({ issued, onClose }: { issued: IssuedSecret; onClose: () => void }) {
  return (
    <ShownOnce
      title={issued.isRotated ? 'New secret' : 'Webhook secret'}
      description="Shown only once. Use it to verify the signatures of deliveries."
      secret={issued.secret}
      noun="secret"
      onClose={onClose}
    >
      <div className="flex flex-col gap-2">
        <h3 className="text-sm font-medium">Verify a delivery (Standard Webhooks)</h3>
        <CodeBlock label="Verify a delivery" snippets={snippets} />
      </div>
    </ShownOnce>
  )
}

const snippets = [
  {
    label: 'TypeScript',
    code: `import { Webhook } from 'standardwebhooks'

// The raw body, before any parser.
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, request.headers)
// Act on each request.headers['webhook-id'] once, and answer 2xx.`,
  },
  {
    label: 'Python',
    code: `import os

from standardwebhooks.webhooks import Webhook

# The raw body, before any parser.
event = Webhook(os.environ["WEBHOOK_SECRET"]).verify(body, request.headers)
# Act on each request.headers["webhook-id"] once, and answer 2xx.`,
  },
]
