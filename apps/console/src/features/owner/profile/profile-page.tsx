import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { AskBeforeLeaving } from '../../../ui/forms/ask-before-leaving.tsx'
import { Checkbox, Field, Input } from '../../../ui/forms/field.tsx'
import { issuesOf } from '../../../ui/forms/issues.ts'
import { Card, Facts, PageHead } from '../../../ui/layout/page.tsx'
import { Address } from '../../../ui/values/address.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { EmailCard } from './profile-email.tsx'
import { keepProfile, type Profile, updateProfile } from './profile-update.ts'

/** The profile of a wallet: name, email and notifications. */
export function ProfilePage() {
  const profile = useQuery({ queryKey: ['profile'], queryFn: ({ signal }) => api.readProfile({ signal }) })
  const { data } = profile
  return (
    <>
      <PageHead
        title="Profile"
        description="Your wallet is your account. Name and email are optional. You sign every change with your wallet."
      />
      {profile.error !== null && data === undefined ? (
        <Card>
          <ErrorState error={profile.error} onRetry={profile.refetch} />
        </Card>
      ) : (
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
          <div className="flex min-w-0 flex-col gap-5">
            <Card title="Name and notifications">
              {data === undefined ? (
                <Skeleton className="h-44" />
              ) : (
                <NameForm key={`${data.username} ${data.notifications}`} profile={data} />
              )}
            </Card>
            {data === undefined ? <Skeleton className="h-56" /> : <EmailCard profile={data} />}
          </div>
          <Card title="Wallet">
            {data === undefined ? <Skeleton className="h-24" /> : <ProfileIdentity profile={data} />}
          </Card>
        </div>
      )}
    </>
  )
}

function ProfileIdentity({ profile }: { profile: Profile }) {
  return (
    <Facts
      items={[
        ['Address', <Address key="address" value={profile.wallet_address} />],
        [
          'Roles',
          <span key="roles" className="flex flex-wrap gap-1">
            {profile.roles.map(role => (
              <Badge key={role}>{role}</Badge>
            ))}
          </span>,
        ],
        ['Member since', <TimeAgo key="since" iso={profile.createdAt} />],
      ]}
    />
  )
}

const NAME_MAX = 64

function NameForm({ profile }: { profile: Profile }) {
  const [username, setUsername] = useState(profile.username)
  const [notifications, setNotifications] = useState(profile.notifications)
  const [own, setOwn] = useState('')
  const saving = useMutation({
    mutationFn: () => updateProfile({ username: username.trim(), notifications }),
    onSuccess(saved) {
      keepProfile(saved)
      toast.done('Profile saved.')
    },
  })
  const theirs = issuesOf(saving.error)
  const isChanged = username.trim() !== profile.username || notifications !== profile.notifications

  function submit(event: FormEvent) {
    event.preventDefault()
    if (username.trim() === '') {
      setOwn('Enter a name or keep the current one.')
      return
    }
    saving.mutate()
  }

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <AskBeforeLeaving isUnsaved={isChanged} />
      <Field
        label="Display name"
        hint="Shown with your forum posts."
        error={own === '' ? theirs.username : own}
        className="max-w-md"
      >
        <Input
          value={username}
          maxLength={NAME_MAX}
          autoComplete="nickname"
          onChange={event => {
            setUsername(event.target.value)
            setOwn('')
          }}
        />
      </Field>
      <div className="flex flex-col gap-1">
        <Checkbox
          label="Notify me about events"
          checked={notifications}
          onChange={event => setNotifications(event.target.checked)}
        />
        <p className="pl-6 text-sm text-faint">
          Verification codes are always sent. To notify programs, use webhooks.
        </p>
      </div>
      {theirs.username === undefined && <Failed error={saving.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" disabled={!isChanged} isBusy={saving.isPending}>
          Sign and save
        </Button>
        {saving.isPending && (
          <span className="text-sm text-muted" aria-live="polite">
            Sign the request in your wallet.
          </span>
        )}
      </div>
    </form>
  )
}
