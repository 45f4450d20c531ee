import { FlaskConical, Smartphone, Wallet } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { describeError, Notice, Skeleton } from '../ui/feedback/states.tsx'
import { loadCode } from '../ui/state/reachability.ts'
import { shorten } from '../ui/values/address.tsx'
import type { WalletChoice } from '../wallet/engine.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { signInWith } from './sign-in.ts'
import { useSignInRequest } from './sign-in-request.ts'

const PhoneSignIn = lazy(() =>
  loadCode(() => import('./phone-sign-in.tsx')).then(({ PhoneSignIn }) => ({ default: PhoneSignIn })),
)

/** The sign-in dialog. Render it once in the app; {@link requestSignIn} opens it. */
export function SignInDialog() {
  const request = useSignInRequest()
  if (request === null) return null
  const hasExpired = request.reason === 'expired'
  return (
    <Dialog
      open
      isStrict
      onClose={() => request.settle(null)}
      title={
        hasExpired
          ? 'Your session has ended'
          : request.address === null
            ? 'Sign in with your wallet'
            : `Connect ${shorten(request.address)}`
      }
      description={
        hasExpired
          ? 'Sign in again with the same wallet to continue where you left off.'
          : 'You sign a message for free. No transaction is sent.'
      }
    >
      <Wallets expected={request.address} />
    </Dialog>
  )
}

function Wallets({ expected }: { expected: string | null }) {
  const { isReady, choices } = useWallet()
  const [busy, setBusy] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [phone, setPhone] = useState<string | null>(null)

  async function choose(id: string) {
    setBusy(id)
    setError(null)
    try {
      await signInWith(id, expected) // the dialog closes when the session is set
    } catch (problem) {
      setError(problem)
    }
    setBusy(null)
  }

  const injected = choices.filter(({ kind }) => kind === 'injected')
  const byPhone = choices.find(({ kind }) => kind === 'phone')
  const development = choices.find(({ kind }) => kind === 'development')
  if (phone !== null)
    return (
      <Suspense fallback={<Skeleton className="h-96" />}>
        <PhoneSignIn choice={phone} expected={expected} onBack={() => setPhone(null)} />
      </Suspense>
    )
  return (
    <div className="flex flex-col gap-3">
      {error !== null && <Notice tone="bad">{describeError(error)}</Notice>}
      {!isReady && <Skeleton className="h-11" />}
      {isReady && injected.length === 0 && (
        <p className="rounded-lg border border-dashed px-3 py-2.5 text-sm text-muted">
          No wallet was found in this browser. Install one that announces itself (EIP-6963), such as MetaMask
          or Rabby, and reload the page{byPhone === undefined ? '' : ', or use a wallet on your phone'}.
        </p>
      )}
      {injected.map(choice => (
        <Choice
          key={choice.id}
          choice={choice}
          isBusy={busy === choice.id}
          disabled={busy !== null}
          onChoose={choose}
        />
      ))}
      {byPhone !== undefined && (
        <Choice choice={byPhone} isBusy={false} disabled={busy !== null} onChoose={setPhone} />
      )}
      {development !== undefined && (
        <div className="mt-1 flex flex-col gap-2 border-t pt-4">
          <Choice
            choice={development}
            isBusy={busy === development.id}
            disabled={busy !== null}
            onChoose={choose}
          />
          <p className="text-sm text-faint">
            A key created in this browser for test money only. Available because this gateway runs in
            development mode.
          </p>
        </div>
      )}
    </div>
  )
}

function Choice(props: {
  choice: WalletChoice
  isBusy: boolean
  disabled: boolean
  onChoose: (id: string) => void
}) {
  const { id, icon, kind } = props.choice
  const name = kind === 'phone' ? `${props.choice.name}: a wallet on your phone` : props.choice.name
  const picture =
    kind === 'development' ? (
      <FlaskConical aria-hidden className="size-5 text-warn" />
    ) : kind === 'phone' ? (
      <Smartphone aria-hidden className="size-5 text-faint" />
    ) : icon === undefined ? (
      <Wallet aria-hidden className="size-5 text-faint" />
    ) : (
      <img src={icon} alt="" className="size-5 rounded" />
    )
  return (
    <Button
      className="!h-auto min-h-11 justify-start py-2 text-left !whitespace-normal [&>svg]:shrink-0"
      isBusy={props.isBusy}
      disabled={props.disabled}
      icon={picture}
      onClick={() => props.onChoose(id)}
    >
      {props.isBusy ? `${name}: waiting for your signature` : name}
    </Button>
  )
}
