import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Menu } from '../../../ui/menu.tsx'
import type { Service } from './service-labels.ts'

/** Buttons to switch a service off or on and to delete it. */
export function ServiceActions({ service }: { service: Service }) {
  const { isActive, status } = service
  const [asked, ask] = useState<'off' | 'delete' | null>(null)
  const { switching, deleting } = useActs(service, () => ask(null))
  if (status === 'deleted' || status === 'suspended') return null
  return (
    <>
      {isActive ? (
        <Button icon={<Power aria-hidden className="size-4" />} onClick={() => ask('off')}>
          Switch off
        </Button>
      ) : (
        <Button
          variant="primary"
          icon={<Power aria-hidden className="size-4" />}
          isBusy={switching.isPending}
          onClick={() => switching.mutate(true)}
        >
          Switch on
        </Button>
      )}
      <Menu
        label="More"
        trigger={
          <Button aria-label="More" icon={<Ellipsis aria-hidden className="size-4" />} className="!px-2.5" />
        }
        items={[
          {
            label: isActive ? 'Delete (switch it off first)' : 'Delete',
            icon: <Trash2 aria-hidden />,
            isDanger: true,
            disabled: isActive,
            onSelect: () => ask('delete'),
          },
        ]}
      />
      <OffConfirm
        service={service}
        isOpen={asked === 'off'}
        isBusy={switching.isPending}
        error={switching.error}
        onClose={() => ask(null)}
        onConfirm={() => switching.mutate(false)}
      />
      {asked === 'delete' && (
        <DeleteConfirm
          service={service}
          isBusy={deleting.isPending}
          error={deleting.error}
          onClose={() => ask(null)}
          onConfirm={() => deleting.mutate()}
        />
      )}
    </>
  )
}

function useActs(service: Service, onSwitched: () => void) {
  const navigate = useNavigate()
  const switching = useMutation({
    mutationFn: (next: boolean) =>
      api.updateService({ path: { id: service.serviceId }, body: { isActive: next } }),
    async onSuccess(_, next) {
      onSwitched()
      await queryClient.invalidateQueries({ queryKey: ['services'] })
      toast.done(
        next
          ? 'Service switched on. Agents can find it once a target responds.'
          : 'Service switched off. It cannot be called.',
      )
    },
    onError: (error, next) => next && toast.failed(describeError(error)),
  })
  const deleting = useMutation({
    mutationFn: () => api.deleteService({ path: { id: service.serviceId } }),
    async onSuccess() {
      toast.done(`${service.serviceName} is deleted.`)
      await navigate({ to: '/provider', ignoreBlocker: true })
      await queryClient.invalidateQueries({ queryKey: ['services'] })
    },
  })
  return { switching, deleting }
}

function OffConfirm(props: {
  service: Service
  isOpen: boolean
  isBusy: boolean
  error: unknown
  onClose: () => void
  onConfirm: () => void
}) {
  const { service, isOpen, isBusy, error, onClose, onConfirm } = props
  return (
    <Confirm
      open={isOpen}
      onClose={onClose}
      onConfirm={onConfirm}
      isBusy={isBusy}
      title={`Switch ${service.serviceName} off?`}
      action="Switch off"
      isDanger={false}
    >
      <p>
        It is hidden from agents, and calls are refused with{' '}
        <code className="font-mono text-sm">SERVICE_NOT_FOUND</code>. Calls in flight are completed and paid.
        You can switch it on again at any time.
      </p>
      {isOpen && <Failed error={error} className="mt-3" />}
    </Confirm>
  )
}

function DeleteConfirm(props: {
  service: Service
  isBusy: boolean
  error: unknown
  onClose: () => void
  onConfirm: () => void
}) {
  const { serviceName, agentToolName } = props.service
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const confirm = () => {
    const isRight = typed.trim() === agentToolName
    setWrong(!isRight)
    if (isRight) props.onConfirm()
  }
  return (
    <FormDialog
      isDanger
      title={`Delete ${serviceName}?`}
      action="Delete permanently"
      isBusy={props.isBusy}
      error={props.error}
      onClose={props.onClose}
      onSubmit={confirm}
    >
      <p className="text-muted">
        This cannot be undone, and its tool name cannot be used again. Its earnings and the records of its
        calls are kept.
      </p>
      <Field
        label={
          <>
            Type <code className="font-mono">{agentToolName}</code> to confirm
          </>
        }
        error={isWrong ? 'The tool name does not match.' : undefined}
      >
        <Input
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => {
            setTyped(target.value)
            setWrong(false)
          }}
        />
      </Field>
    </FormDialog>
  )
}
