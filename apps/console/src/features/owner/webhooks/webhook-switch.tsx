import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import type { Webhook } from './webhook-labels.ts'

/** Disables an active webhook, and enables a disabled one. */
export const switchWebhook = ({ id, status }: Webhook) =>
  api.updateWebhook({ path: { id }, body: { isActive: status !== 'active' } })

/** Shows what became of a webhook that was switched; `status` is the one before. */
export function announceSwitched({ status }: Webhook): void {
  toast.done(
    status === 'active' ? 'Switched off. Events are queued.' : 'Switched on. Queued events are being sent.',
  )
}

/** The button that switches a webhook off or on from the list. */
export function WebhookSwitch({ webhook }: { webhook: Webhook }) {
  const switching = useMutation({
    mutationFn: switchWebhook,
    async onSuccess(_, before) {
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
      announceSwitched(before)
    },
    onError: error => toast.failed(describeError(error)),
  })
  const action = webhook.status === 'active' ? 'Switch off' : 'Switch on'
  return (
    <Button
      size="sm"
      aria-label={`${action} ${webhook.url}`}
      isBusy={switching.isPending}
      onClick={event => {
        // Does not open the row.
        event.stopPropagation()
        switching.mutate(webhook)
      }}
    >
      {action}
    </Button>
  )
}
