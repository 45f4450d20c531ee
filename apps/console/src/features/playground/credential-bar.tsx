import { formatUsdc } from '@farebox/money'
import { useMutation } from '@tanstack/react-query'
import { ChevronsUpDown, KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { keepCredential, type TrialCredential, useCredential } from '../../session/credential-store.ts'
import { mintCredential, TRIAL_LIMIT } from '../../session/mint-credential.ts'
import { MintProblem } from '../../session/mint-problem.tsx'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Field, Input } from '../../ui/forms/field.tsx'
import { formatAmount } from '../../ui/values/amount.tsx'
import { readAmount } from '../../ui/values/read-amount.ts'

const TOKEN = /^agt_[0-9A-Za-z]{49}$/
const TOKEN_LENGTH_MAX = 100

/** The credential that pays for calls, with a dialog to change it. */
export function CredentialBar() {
  const credential = useCredential()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex h-12 min-w-0 items-center gap-3 rounded-lg border border-line-strong bg-raised px-3 text-left transition-colors hover:bg-hover sm:w-76"
      >
        <KeyRound aria-hidden className="size-4 shrink-0 text-faint" />
        <span className="flex min-w-0 flex-1 flex-col leading-tight">
          <span className="text-xs text-faint">Credential</span>
          <span className="truncate font-medium">
            {credential === null ? 'None yet' : report(credential)}
          </span>
        </span>
        <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-faint" />
      </button>
      {isOpen && <CredentialDialog credential={credential} onClose={() => setOpen(false)} />}
    </>
  )
}

function report({ name, limitUsdc, token }: TrialCredential): string {
  return limitUsdc === null ? `agt_…${token.slice(-4)}` : `${name} · up to ${formatAmount(limitUsdc)} USDC`
}

function CredentialDialog(props: { credential: TrialCredential | null; onClose: () => void }) {
  const { credential, onClose } = props
  return (
    <Dialog
      open
      onClose={onClose}
      title="Credential"
      description="Pays for calls. It is kept only in this tab's session storage until you close the tab."
    >
      <div className="flex flex-col gap-5">
        {credential !== null && (
          <div className="flex items-center justify-between gap-3 rounded-lg border bg-subtle px-3 py-2">
            <p className="min-w-0 truncate text-sm">
              In use: <span className="font-medium">{report(credential)}</span>
            </p>
            <Button size="sm" onClick={() => keepCredential(null)}>
              Remove
            </Button>
          </div>
        )}
        <MintForm onDone={onClose} />
        <div aria-hidden className="flex items-center gap-3 text-xs text-faint">
          <span className="h-px flex-1 bg-line" /> or <span className="h-px flex-1 bg-line" />
        </div>
        <PasteForm onDone={onClose} />
      </div>
    </Dialog>
  )
}

function MintForm({ onDone }: { onDone: () => void }) {
  const session = useSession()
  const [typed, setTyped] = useState(TRIAL_LIMIT)
  const [problem, setProblem] = useState<string | null>(null)
  const minting = useMutation({ mutationFn: mintCredential, onSuccess: isDone => isDone && onDone() })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readAmount(typed)
    const fault = read === null ? 'Enter a budget.' : 'error' in read ? read.error : null
    setProblem(fault)
    if (read !== null && 'amount' in read) minting.mutate(formatUsdc(read.amount))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
      <Field
        label="Create one with a budget of"
        hint="Valid for one day, 60 calls per minute. You can revoke it under Credentials."
        error={problem}
      >
        <Input
          unit="USDC"
          inputMode="decimal"
          value={typed}
          onChange={event => {
            setTyped(event.target.value)
            setProblem(null)
          }}
        />
      </Field>
      {minting.error !== null && <MintProblem error={minting.error} />}
      <Button type="submit" variant="primary" className="self-start" isBusy={minting.isPending}>
        {session === null ? 'Sign in and create' : 'Create'}
      </Button>
    </form>
  )
}

function PasteForm({ onDone }: { onDone: () => void }) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const text = token.trim()
    if (!TOKEN.test(text)) {
      setProblem('A token starts with agt_ and has 53 characters.')
      return
    }
    keepCredential({ token: text, name: 'pasted', limitUsdc: null, wallet: null })
    onDone()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="Paste an existing token" error={problem}>
        <Input
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="agt_…"
          maxLength={TOKEN_LENGTH_MAX}
          className="font-mono"
          value={token}
          onChange={event => {
            setToken(event.target.value)
            setProblem(null)
          }}
        />
      </Field>
      <Button type="submit" className="self-start" disabled={token.trim() === ''}>
        Use token
      </Button>
    </form>
  )
}

/** Shown in place of the call button until there is a credential: creates one with a click. */
export function CredentialNeeded() {
  const session = useSession()
  const [isPasting, setPasting] = useState(false)
  const minting = useMutation({ mutationFn: () => mintCredential(TRIAL_LIMIT) })
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-dashed border-line-strong p-4">
      <p className="text-sm text-muted">
        Calls require a credential. Create one that can spend up to{' '}
        <b className="font-medium text-text">0.50 USDC</b> within a day. It is kept in this tab only.
      </p>
      {minting.error !== null && <MintProblem error={minting.error} />}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" isBusy={minting.isPending} onClick={() => minting.mutate()}>
          {session === null ? 'Sign in and create one' : 'Create one'}
        </Button>
        <Button onClick={() => setPasting(true)}>Paste a token</Button>
      </div>
      {isPasting && <CredentialDialog credential={null} onClose={() => setPasting(false)} />}
    </div>
  )
}
