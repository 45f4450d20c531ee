import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice, Skeleton } from '../../ui/states.tsx'
import { useFirstCall } from './first-call.ts'
import type { IssuedToken } from './issued-token.ts'

/** A token, the only time that it is shown, and a first call with it. */
export function TokenDialog({ issued, onClose }: { issued: IssuedToken; onClose: () => void }) {
  const call = useFirstCall(issued.token)
  return (
    <Dialog
      open
      isStrict
      onClose={onClose}
      className="!max-w-2xl"
      title={`The token of ${issued.name}`}
      description="It is shown this once, and kept by nobody here: the gateway stores only its hash."
      footer={
        <Button variant="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2 rounded-lg border border-line-strong bg-subtle py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 py-1 font-mono text-sm break-all">{issued.token}</code>
          <CopyButton text={issued.token} label="Copy token" />
        </div>
        <Notice tone="warn">
          Whoever has it can spend within its limits. Give it to your agent, and to nobody else.
        </Notice>
        {call === undefined && <Skeleton className="h-72" />}
        {call !== undefined && call.snippets !== null && (
          <div className="flex flex-col gap-2">
            <h3 className="text-sm font-medium">A first call, of {call.name}</h3>
            <CodeBlock label="A first call" snippets={call.snippets} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
