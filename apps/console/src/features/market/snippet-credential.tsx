import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useCredential } from '../../session/credential-store.ts'
import { mintCredential, TRIAL_LIMIT } from '../../session/mint-credential.ts'
import { MintProblem } from '../../session/mint-problem.tsx'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'

/** Puts a credential of the signed-in wallet into the code below; nothing for visitors. */
export function SnippetCredential() {
  const session = useSession()
  const credential = useCredential()
  const minting = useMutation({ mutationFn: () => mintCredential(TRIAL_LIMIT) })
  if (credential !== null)
    return (
      <p className="mb-2 flex items-center gap-1.5 text-sm text-muted">
        <KeyRound aria-hidden className="size-4 shrink-0 text-accent" />
        Copied code includes the credential of this tab and runs as is.
      </p>
    )
  if (session === null) return null
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted">
      <Button
        size="sm"
        icon={<KeyRound aria-hidden className="size-4" />}
        isBusy={minting.isPending}
        onClick={() => minting.mutate()}
      >
        Insert a credential
      </Button>
      <span>Creates one that can spend {TRIAL_LIMIT} USDC within one day.</span>
      {minting.error !== null && <MintProblem error={minting.error} />}
    </div>
  )
}
