import { CodeBlock } from '../../../ui/code-block.tsx'
import { ShownOnce } from '../../../ui/dialogs/shown-once.tsx'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { useFirstCall } from '../first-call.ts'
import type { IssuedToken } from './issued-token.ts'

/** Shows a token, which cannot be shown again, and a first call with it. */
export function TokenDialog({ issued, onClose }: { issued: IssuedToken; onClose: () => void }) {
  const call = useFirstCall(issued.token)
  return (
    <ShownOnce
      title={`The token of ${issued.name}`}
      description="Shown only once: the gateway stores only its hash."
      secret={issued.token}
      noun="token"
      warning="Anyone with this token can spend within its limits. Give it only to your agent."
      onClose={onClose}
    >
      {call === undefined && <Skeleton className="h-72" />}
      {call !== undefined && call.snippets !== null && (
        <div className="flex flex-col gap-2">
          <h3 className="text-sm font-medium">First call: {call.name}</h3>
          <CodeBlock label="A first call" snippets={call.snippets} />
        </div>
      )}
    </ShownOnce>
  )
}
