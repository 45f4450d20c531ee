import { CodeBlock } from '../../../ui/code-block.tsx'
import { ShownOnce } from '../../../ui/dialogs/shown-once.tsx'
import type { IssuedSecret } from './secret-form.tsx'

/** Shows a secret, which cannot be shown again, and how to use it. */
export function SecretShown({ secret, onClose }: { secret: IssuedSecret; onClose: () => void }) {
  const { name, secretKey } = secret
  return (
    <ShownOnce
      title={`The key of ${name}`}
      description="Shown only once: the gateway stores only its hash."
      secret={secretKey}
      noun="key"
      warning="Anyone with this secret can see the earnings of your services and charge calls that are waiting for a usage report. Keep it on your servers only."
      onClose={onClose}
    >
      <CodeBlock label="Usage" snippets={snippetsOf(secretKey, window.location.origin)} />
    </ShownOnce>
  )
}

const snippetsOf = (key: string, origin: string) => [
  {
    label: 'Pending calls',
    code: `curl '${origin}/api/v1/provider/invocations?status=PROCESSING' \\
  -H 'Authorization: Bearer ${key}'`,
  },
  {
    label: 'Report usage',
    code: `curl ${origin}/api/v1/provider/invocations/$INVOCATION/usage \\
  -H 'Authorization: Bearer ${key}' \\
  --json '{"inputTokens": 412, "outputTokens": 96}'`,
  },
]
