import { GatewayError } from '@farebox/client/errors'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { describeError, Notice } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { issuesOf } from '../../../ui/forms/issues.ts'
import { Card } from '../../../ui/layout/page.tsx'
import { keepProfile, type Profile, updateProfile } from './profile-update.ts'

const CODE_LENGTH = 6
const emailStates: Readonly<
  Record<Profile['emailVerificationStatus'], readonly [label: string, tone: Tone]>
> = {
  none: ['None', 'neutral'],
  pending: ['Pending verification', 'warn'],
  verified: ['Verified', 'good'],
  locked: ['Locked', 'bad'],
}

/** The email address: verified, waiting for its code, and how to change it. */
export function EmailCard({ profile }: { profile: Profile }) {
  const [label, tone] = emailStates[profile.emailVerificationStatus]
  const [isChanging, setChanging] = useState(false)
  const isEditing = isChanging || (profile.email === null && profile.pendingEmail === null)
  return (
    <Card title="Email" actions={<Badge tone={tone}>{label}</Badge>}>
      <div className="flex flex-col gap-5">
        {profile.email !== null && (
          <Verified profile={profile} isChanging={isChanging} onChange={() => setChanging(true)} />
        )}
        {profile.pendingEmail !== null && !isChanging && (
          <Pending
            key={profile.pendingEmail}
            profile={profile}
            email={profile.pendingEmail}
            onOther={() => setChanging(true)}
          />
        )}
        {isEditing && (
          <EmailForm
            profile={profile}
            onDone={() => setChanging(false)}
            {...(isChanging && { onCancel: () => setChanging(false) })}
          />
        )}
      </div>
    </Card>
  )
}

function Verified(props: { profile: Profile; isChanging: boolean; onChange: () => void }) {
  const { profile, isChanging, onChange } = props
  const [isAsked, ask] = useState(false)
  const removing = useMutation({
    mutationFn: () => updateProfile({ email: null }),
    onSuccess(saved) {
      keepProfile(saved)
      ask(false)
      toast.done('Email removed.')
    },
  })
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0">
        <p className="font-medium break-all">{profile.email}</p>
        <p className="text-sm text-faint">Email verified.</p>
      </div>
      {!isChanging && (
        <span className="flex gap-2">
          {profile.pendingEmail === null && (
            <Button size="sm" onClick={onChange}>
              Change
            </Button>
          )}
          <Button size="sm" variant="danger" onClick={() => ask(true)}>
            Remove
          </Button>
        </span>
      )}
      <Confirm
        open={isAsked}
        onClose={() => ask(false)}
        title="Remove your email?"
        action="Sign and remove"
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate()}
      >
        <p>You will no longer receive email. You can add an address again at any time.</p>
        <Failed error={removing.error} className="mt-3" />
      </Confirm>
    </div>
  )
}

function EmailForm(props: { profile: Profile; onDone: () => void; onCancel?: () => void }) {
  const { profile, onDone, onCancel } = props
  const [email, setEmail] = useState('')
  const [own, setOwn] = useState('')
  const saving = useMutation({
    mutationFn: () => updateProfile({ email: email.trim() }),
    onSuccess(saved) {
      keepProfile(saved)
      onDone()
    },
  })
  const theirs = issuesOf(saving.error)

  function submit(event: FormEvent) {
    event.preventDefault()
    const isEmail = /^\S+@\S+\.\S+$/.test(email.trim())
    setOwn(isEmail ? '' : 'Enter an email address, such as you@example.com.')
    if (isEmail) saving.mutate()
  }

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label={profile.email === null ? 'Email' : 'New email'}
        hint={`We will email you a code. ${describeSendsLeft(profile)}`}
        error={own === '' ? theirs.email : own}
        className="max-w-md"
      >
        <Input
          type="email"
          value={email}
          autoComplete="email"
          placeholder="you@example.com"
          onChange={event => {
            setEmail(event.target.value)
            setOwn('')
          }}
        />
      </Field>
      {theirs.email === undefined && <Failed error={saving.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" isBusy={saving.isPending}>
          Sign and send code
        </Button>
        {onCancel !== undefined && (
          <Button variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  )
}

function Pending(props: { profile: Profile; email: string; onOther: () => void }) {
  const { profile, email, onOther } = props
  const [code, setCode] = useState('')
  const isLocked = profile.emailVerificationStatus === 'locked'
  const isOutOfMails = profile.emailVerificationSendsRemaining === 0
  const { verifying, resending, cancelling } = usePending(profile, email, () => setCode(''))
  const failure = resending.error ?? cancelling.error

  return (
    <form
      noValidate
      className="flex flex-col gap-4 rounded-lg border bg-subtle p-4"
      onSubmit={event => {
        event.preventDefault()
        verifying.mutate(code)
      }}
    >
      <div>
        <p>
          A 6-digit code was sent to <strong className="font-medium break-all">{email}</strong>.
        </p>
        <p className="mt-0.5 text-sm text-faint">It is valid for 10 minutes. {describeSendsLeft(profile)}</p>
      </div>
      {isLocked ? (
        <Notice tone="bad">
          Too many wrong attempts. This code is locked.{' '}
          {isOutOfMails ? 'Try again tomorrow (UTC).' : 'Request a new one.'}
        </Notice>
      ) : (
        <CodeField
          code={code}
          error={verifying.error}
          isBusy={verifying.isPending}
          onType={text => setCode(text.replaceAll(/\D/g, '').slice(0, CODE_LENGTH))}
        />
      )}
      <Failed error={failure} />
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          variant={isLocked ? 'primary' : 'secondary'}
          disabled={isOutOfMails}
          isBusy={resending.isPending}
          onClick={() => resending.mutate()}
        >
          Send a new code
        </Button>
        <Button size="sm" variant="ghost" onClick={onOther}>
          Use another email
        </Button>
        <Button size="sm" variant="ghost" isBusy={cancelling.isPending} onClick={() => cancelling.mutate()}>
          {profile.email === null ? 'Cancel' : 'Keep current email'}
        </Button>
      </div>
    </form>
  )
}

function usePending(profile: Profile, email: string, onResent: () => void) {
  const verifying = useMutation({
    mutationFn: (typed: string) => api.verifyEmailCode({ body: { email, code: typed } }),
    onSuccess() {
      toast.done(`${email} is verified.`)
    },
    // A wrong code may have locked the address, a right one has verified it.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['profile'] }),
  })
  const resending = useMutation({
    mutationFn: () => api.resendEmailCode({ body: { email } }),
    onSuccess(saved) {
      keepProfile(saved)
      onResent()
      verifying.reset()
      toast.done(`A new code was sent to ${email}. The previous code no longer works.`)
    },
  })
  const cancelling = useMutation({
    mutationFn: () => updateProfile({ email: profile.email }),
    onSuccess: keepProfile,
  })
  return { verifying, resending, cancelling }
}

function CodeField(props: {
  code: string
  error: Error | null
  isBusy: boolean
  onType: (text: string) => void
}) {
  const { code, error, isBusy, onType } = props
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field label="Code" error={error === null ? null : describeCodeError(error)}>
        <Input
          value={code}
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder="000000"
          className="!w-40 !font-mono !text-lg tracking-[0.25em]"
          onChange={event => onType(event.target.value)}
        />
      </Field>
      <Button
        type="submit"
        variant="primary"
        disabled={code.length !== CODE_LENGTH}
        isBusy={isBusy}
        className={error === null ? undefined : 'self-center'}
      >
        Confirm
      </Button>
    </div>
  )
}

function describeSendsLeft({ emailVerificationSendsRemaining: left }: Profile): string {
  if (left === 0) return 'No emails left today (UTC).'
  return `${left} ${left === 1 ? 'email' : 'emails'} left today.`
}

function describeCodeError(error: unknown): string {
  if (error instanceof GatewayError && error.code === 'EMAIL_VERIFICATION_INVALID_CODE') {
    const left = error.detail.attemptsRemaining
    return typeof left === 'number'
      ? `Incorrect code. ${left} ${left === 1 ? 'attempt' : 'attempts'} left.`
      : 'Incorrect code.'
  }
  return describeError(error)
}
