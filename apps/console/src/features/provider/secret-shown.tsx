import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import type { IssuedSecret } from './secret-form.tsx'

/** A secret, the only time that it is shown, and what to do with it. */
export function SecretShown({ secret, onClose }: { secret: IssuedSecret; onClose: () => void }) {
  const { name, secretKey } = secret
  return (
    <Dialog
      open
      isStrict
      onClose={onClose}
      className="!max-w-2xl"
      title={`The key of ${name}`}
      description="It is shown this once, and kept by nobody here: the gateway stores only its hash."
      footer={
        <Button variant="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2 rounded-lg border border-line-strong bg-subtle py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 py-1 font-mono text-sm break-all">{secretKey}</code>
          <CopyButton text={secretKey} label="Copy key" />
        </div>
        <Notice tone="warn">
          Whoever has it sees what your services earn, and can charge calls that wait for their usage. It
          belongs on your servers only.
        </Notice>
        <CodeBlock label="What to do with it" snippets={snippetsOf(secretKey, window.location.origin)} />
      </div>
    </Dialog>
  )
}

const snippetsOf = (key: string, origin: string) => [
  {
    label: 'Calls that wait',
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
