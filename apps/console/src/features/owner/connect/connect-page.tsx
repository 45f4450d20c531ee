import type { AnswerOf, InputOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { receiverOf } from '@farebox/wire/receiver'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { useSession } from '../../../session/session.ts'
import { requestSignIn } from '../../../session/sign-in-request.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, Facts, PageHead } from '../../../ui/layout/page.tsx'
import { Address } from '../../../ui/values/address.tsx'
import { type Body, type Fields, newFields, useCredentialFields } from '../credentials/credential-fields.ts'
import { CredentialInputs } from '../credentials/credential-inputs.tsx'
import { isWithoutBalance, NothingToSpend } from '../credentials/nothing-to-spend.tsx'

type Authorization = AnswerOf<'readAuthorization'>
type Asked = InputOf<'authorizeClient'>['body']['request']

const ASKED_MEMBERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'state',
  'resource',
  'scope',
]
const DAY = 86_400

/** Returns the authorization request in a query string; members that it has twice are left out. */
function readAsked(query: string): Asked {
  const given = new URLSearchParams(query)
  const members = ASKED_MEMBERS.flatMap(name => {
    const [value, ...more] = given.getAll(name)
    return value === undefined || value === '' || more.length > 0 ? [] : [[name, value]]
  })
  return Object.fromEntries(members) as Asked
}

/**
 * The authorization endpoint of OAuth: a client asks for a credential, and the owner decides and sets its limits. The
 * browser then goes back to the client.
 */
export function ConnectPage() {
  // As the client wrote it: the router would take a state of digits for a number.
  const [query] = useState(() => location.search)
  const asked = readAsked(query)
  const { data, error, refetch } = useQuery({
    queryKey: ['authorization', query],
    queryFn: ({ signal }) => api.readAuthorization({ query: asked, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <div className="mx-auto w-full max-w-xl py-8">
      {error !== null && <NotPossible error={error} onRetry={refetch} />}
      {error === null && data === undefined && <Skeleton className="h-96" />}
      {data !== undefined && <Consent asked={asked} authorization={data} />}
    </div>
  )
}

/** The reason for a refusal. The client learns it only on a click, since it chose the address itself. */
function NotPossible({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const redirectTo = error instanceof GatewayError ? error.detail.redirectTo : undefined
  const isWrong = error instanceof GatewayError && error.code === 'INVALID_REQUEST'
  return (
    <>
      <ErrorState
        isPage
        title="This client cannot be connected"
        error={error}
        {...(!isWrong && { onRetry })}
      />
      {typeof redirectTo === 'string' && (
        <p className="text-center">
          <a href={redirectTo} className={buttonClass({})}>
            Back to {receiverOf(redirectTo)}
          </a>
        </p>
      )}
    </>
  )
}

function Consent({ asked, authorization }: { asked: Asked; authorization: Authorization }) {
  const { client, redirectHost, isLoopback, deniedUrl } = authorization
  const session = useSession()
  const [goingTo, setGoingTo] = useState<string | null>(null)
  const leave = (url: string) => {
    setGoingTo(url)
    location.assign(url)
  }
  if (goingTo !== null) {
    return (
      <EmptyState isPage icon={<Plug />} title={`Returning to ${redirectHost}`}>
        You can close this page once the client has continued. If nothing happens,{' '}
        <a href={goingTo} className="text-accent hover:underline">
          open the link
        </a>
        .
      </EmptyState>
    )
  }
  return (
    <>
      <PageHead
        title={`Connect ${client.name}?`}
        description="It requests a credential that spends from your balance within the limits you set here."
      />
      <div className="flex flex-col gap-5">
        <Card title="Client">
          <Facts
            items={[
              ['Name, not verified', client.name],
              [
                'Returns to',
                <span key="host">
                  <b className="font-mono font-medium break-all">{redirectHost}</b>
                  {isLoopback && <span className="text-muted">, a program on this computer</span>}
                </span>,
              ],
              ...(session === null
                ? []
                : [['Paid by', <Address key="payer" value={session.address} />] as const]),
            ]}
          />
          <Notice tone="warn" className="mt-4">
            Any program can use this name. Continue only if you just started this from the client and
            recognize the address it returns to.
          </Notice>
        </Card>
        {session === null ? (
          <SignIn onDeny={() => leave(deniedUrl)} />
        ) : (
          <Limits
            key={session.address}
            asked={asked}
            name={client.name}
            onDone={leave}
            onDeny={() => leave(deniedUrl)}
          />
        )}
      </div>
    </>
  )
}

function SignIn({ onDeny }: { onDeny: () => void }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="primary" onClick={() => requestSignIn()}>
        Sign in with your wallet
      </Button>
      <Button onClick={onDeny}>Deny</Button>
    </div>
  )
}

/** Limits that an owner should have to raise, not to think of. */
const initialFields: Fields = {
  ...newFields,
  creditLimit: '5',
  resetInterval: 'monthly',
  expiry: String(30 * DAY),
}

function Limits(props: { asked: Asked; name: string; onDone: (url: string) => void; onDeny: () => void }) {
  const allowing = useMutation({
    mutationFn: (credential: Body) => api.authorizeClient({ body: { request: props.asked, credential } }),
    async onSuccess({ redirectTo }) {
      props.onDone(redirectTo)
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
    },
  })
  const isBroke = isWithoutBalance(allowing.error)
  const { inputs, otherError, submit } = useCredentialFields({
    initial: { ...initialFields, name: props.name },
    error: isBroke ? null : allowing.error,
    onSubmit: allowing.mutate,
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit()
  }
  return (
    <Card title="Limits">
      <form noValidate className="flex flex-col gap-4" onSubmit={onSubmit}>
        {isBroke && <NothingToSpend isOtherTab />}
        <CredentialInputs {...inputs} />
        <Failed error={otherError} />
        <div className="flex flex-wrap gap-2 border-t pt-4">
          <Button type="submit" variant="primary" isBusy={allowing.isPending}>
            Allow
          </Button>
          <Button disabled={allowing.isPending} onClick={props.onDeny}>
            Deny
          </Button>
          <p className="basis-full text-sm text-faint">
            You can change the limits or revoke the credential at any time.
          </p>
        </div>
      </form>
    </Card>
  )
}
