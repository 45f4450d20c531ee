import type { AnswerOf } from '@farebox/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { RotateDialog } from '../../../ui/dialogs/rotate-dialog.tsx'
import { ShownOnce } from '../../../ui/dialogs/shown-once.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Card, Facts } from '../../../ui/layout/page.tsx'
import { Id } from '../../../ui/values/address.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'

type Issued = AnswerOf<'issueSigningSecret'>
type SigningSecret = AnswerOf<'readSigningSecret'>
type Act = 'rotate' | 'delete'

const refresh = () =>
  Promise.all(
    [['signing-secret'], ['secrets', 'log']].map(queryKey => queryClient.invalidateQueries({ queryKey })),
  )

/** The secret that signs requests to services that ask for HMAC. */
export function SigningCard() {
  const [issued, setIssued] = useState<Issued | null>(null)
  const [asked, setAsked] = useState<Act | null>(null)
  const secret = useQuery({
    queryKey: ['signing-secret'],
    queryFn: ({ signal }) => api.readSigningSecret({ signal }),
  })
  const issuing = useMutation({
    mutationFn: () => api.issueSigningSecret({}),
    async onSuccess(answer) {
      setIssued(answer)
      await refresh()
    },
  })
  const hasSecret = secret.data != null && secret.data.signingSecret !== null
  return (
    <Card
      title="Signing secret"
      actions={
        secret.data !== undefined &&
        (hasSecret ? (
          <Acts onAsk={setAsked} />
        ) : (
          <Button
            size="sm"
            icon={<KeyRound aria-hidden className="size-4" />}
            isBusy={issuing.isPending}
            onClick={() => issuing.mutate()}
          >
            Create signing secret
          </Button>
        ))
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          For services that choose HMAC-SHA256 in their settings. It is about 40 times as fast to verify as
          the gateway’s Ed25519 key.
        </p>
        {secret.data != null && <Keys secret={secret.data} />}
        <Failed error={secret.error ?? issuing.error} />
      </div>
      {asked === 'rotate' && <Rotate onClose={() => setAsked(null)} onIssued={setIssued} />}
      {asked === 'delete' && <Delete onClose={() => setAsked(null)} />}
      {issued !== null && <SigningSecretShown issued={issued} onClose={() => setIssued(null)} />}
    </Card>
  )
}

function Acts({ onAsk }: { onAsk: (act: Act) => void }) {
  return (
    <div className="flex gap-2">
      <Button size="sm" icon={<RotateCw aria-hidden className="size-4" />} onClick={() => onAsk('rotate')}>
        Rotate
      </Button>
      <Button size="sm" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => onAsk('delete')}>
        Delete
      </Button>
    </div>
  )
}

function Keys({ secret: { signingSecret, next } }: { secret: SigningSecret }) {
  if (signingSecret === null) return null
  return (
    <Facts
      items={[
        ['Key ID', <Id key="id" value={signingSecret.keyId} />],
        ['Active since', <TimeAgo key="since" iso={signingSecret.signsFrom} />],
        ...(next === null
          ? []
          : ([
              ['Next key ID', <Id key="next" value={next.keyId} />],
              ['Active from', <TimeAgo key="from" iso={next.signsFrom} />],
            ] as const)),
      ]}
    />
  )
}

function Rotate(props: { onClose: () => void; onIssued: (issued: Issued) => void }) {
  const { onClose, onIssued } = props
  const rotating = useMutation({
    mutationFn: (overlapSeconds: number) => api.rotateSigningSecret({ body: { overlapSeconds } }),
    async onSuccess(answer) {
      onClose()
      onIssued(answer)
      await refresh()
    },
  })
  return (
    <RotateDialog
      noun="signing secret"
      description="Creates a new secret. It signs as soon as the current one stops working."
      hint="Leave enough time to add the new one to your servers, but none if the current one was stolen. Without it, they reject all calls."
      initial="86400"
      rotating={rotating}
      onClose={onClose}
    />
  )
}

function Delete({ onClose }: { onClose: () => void }) {
  const deleting = useMutation({
    mutationFn: () => api.deleteSigningSecret({}),
    async onSuccess() {
      onClose()
      toast.done('The signing secret is deleted.')
      await refresh()
    },
  })
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => deleting.mutate()}
      isBusy={deleting.isPending}
      title="Delete the signing secret?"
      action="Delete"
    >
      <p>Only possible while no service uses it.</p>
      <Failed error={deleting.error} className="mt-3" />
    </Confirm>
  )
}

function SigningSecretShown({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  const { secret, signingSecret } = issued
  return (
    <ShownOnce
      title="Your signing secret"
      description="Shown only once."
      secret={secret}
      noun="secret"
      warning="Anyone with this secret can sign requests to your services as if they came from this gateway. Keep it on your servers only."
      onClose={onClose}
    >
      <Facts
        items={[
          ['Key ID', <Id key="id" value={signingSecret.keyId} />],
          ['Active from', <TimeAgo key="from" iso={signingSecret.signsFrom} />],
        ]}
      />
      <CodeBlock label="Verify with it" snippets={snippetsOf(signingSecret.keyId, window.location.origin)} />
    </ShownOnce>
  )
}

const snippetsOf = (keyId: string, origin: string) => [
  {
    label: 'TypeScript',
    code: `import { verifyFarebox } from '@farebox/client/express'

app.use('/paid', verifyFarebox({
  gatewayUrl: '${origin}',
  publicUrl: 'https://api.example',
  wallet: '0x...',
  secrets: { '${keyId}': process.env.SIGNING_SECRET },
}))`,
  },
]
