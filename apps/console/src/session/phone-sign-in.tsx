import { ArrowLeft, Smartphone } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, buttonClass } from '../ui/button.tsx'
import { CopyTextButton } from '../ui/copy.tsx'
import { describeError, Notice, Skeleton } from '../ui/feedback/states.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { loadWallets, useWallet } from '../wallet/use-wallet.ts'
import { signInWith } from './sign-in.ts'

type Step =
  | { readonly is: 'reaching' }
  | { readonly is: 'code'; readonly uri: string }
  | { readonly is: 'signing' }
  | { readonly is: 'trouble'; readonly error: unknown }

/** Signs in with a wallet on a phone: shows the pairing code, then waits for the signature. */
export function PhoneSignIn(props: { choice: string; expected: string | null; onBack: () => void }) {
  const { choice, expected, onBack } = props
  const [step, setStep] = useState<Step>({ is: 'reaching' })
  const [attempt, setAttempt] = useState(0)
  const isPaired = useWallet().kind === 'phone'

  // biome-ignore lint/correctness/useExhaustiveDependencies: a further attempt begins anew
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const show = (next: Step) => {
      if (!signal.aborted) setStep(next)
    }
    show({ is: 'reaching' })
    signInWith(choice, expected, {
      signal,
      onCode: uri => show({ is: 'code', uri }),
      onPaired: () => show({ is: 'signing' }),
    }).catch(error => show({ is: 'trouble', error })) // the dialog closes by itself on success
    return () => controller.abort()
  }, [choice, expected, attempt])

  async function takeAnother() {
    setStep({ is: 'reaching' })
    await (await loadWallets()).leavePhone().catch(() => undefined)
    setAttempt(attempt + 1)
  }

  return (
    <div className="flex flex-col gap-4">
      <Shown step={step} />
      <div className="flex flex-wrap items-center gap-2 border-t pt-4">
        <Button
          size="sm"
          variant="ghost"
          icon={<ArrowLeft aria-hidden className="size-4" />}
          onClick={onBack}
        >
          Other wallets
        </Button>
        <div className="ml-auto flex gap-2">
          {step.is === 'code' && <CopyTextButton text={step.uri} label="Copy link" />}
          {isPaired && (step.is === 'signing' || step.is === 'trouble') && (
            <Button size="sm" onClick={takeAnother}>
              Use another phone
            </Button>
          )}
          {step.is === 'trouble' && (
            <Button size="sm" variant="primary" onClick={() => setAttempt(attempt + 1)}>
              Try again
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

function Shown({ step }: { step: Step }) {
  switch (step.is) {
    case 'reaching':
      return (
        <Scene
          picture={<Skeleton className="size-full rounded-lg" />}
          title="Creating a code for your phone"
        />
      )
    case 'code':
      return (
        <Scene
          picture={<QrCode text={step.uri} label="Code for the wallet on your phone" />}
          title="Scan this with your wallet"
        >
          Open the wallet on your phone, choose WalletConnect or its scanner, and approve the connection.
          <a
            href={step.uri}
            className={buttonClass({ size: 'sm', className: 'mt-2 not-pointer-coarse:hidden' })}
          >
            Open a wallet on this device
          </a>
        </Scene>
      )
    case 'signing':
      return (
        <Scene
          picture={<Smartphone aria-hidden className="size-20 animate-breathe text-accent" strokeWidth={1} />}
          title="Sign on your phone"
        >
          Connected. Open the wallet on your phone and sign the message.
        </Scene>
      )
    case 'trouble':
      return (
        <div role="alert">
          <Notice tone="bad">{describeError(step.error)}</Notice>
        </div>
      )
  }
}

/** A picture of constant size with a title and instructions. */
function Scene({ picture, title, children }: { picture: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-4 pt-1">
      <div className="flex size-64 items-center justify-center">{picture}</div>
      <div role="status" className="flex min-h-16 max-w-sm flex-col items-center gap-1 text-center">
        <p className="font-medium">{title}</p>
        {children !== undefined && (
          <div className="flex flex-col items-center text-sm text-muted text-balance">{children}</div>
        )}
      </div>
    </div>
  )
}
