import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { FormDialog } from '../ui/dialogs/form-dialog.tsx'
import { toast } from '../ui/feedback/toast.tsx'
import { Field, Textarea } from '../ui/forms/field.tsx'
import { Select } from '../ui/forms/select.tsx'
import { Segments } from '../ui/layout/segments.tsx'

const MESSAGE_LENGTH_MAX = 4_000
const sentiments = [
  { value: 'helpful', label: 'Good' },
  { value: 'neutral', label: 'Neutral' },
  { value: 'not_helpful', label: 'Bad' },
] as const
const categories = [
  { value: 'other', label: 'Something else' },
  { value: 'bug', label: 'Bug report' },
  { value: 'feature_request', label: 'Feature request' },
  { value: 'docs_issue', label: 'Documentation' },
  { value: 'billing', label: 'Billing' },
  { value: 'account', label: 'Account' },
  { value: 'abuse', label: 'Abuse' },
] as const

/** Sends feedback to the operator, with the path of the page and nothing else. */
export function FeedbackDialog({ onClose }: { onClose: () => void }) {
  const [sentiment, setSentiment] = useState<(typeof sentiments)[number]['value']>('neutral')
  const [category, setCategory] = useState<(typeof categories)[number]['value']>('other')
  const [message, setMessage] = useState('')
  const sending = useMutation({
    mutationFn: () =>
      api.submitFeedback({
        body: { source: 'console', sentiment, category, message, route: window.location.pathname },
      }),
    onSuccess: () => {
      toast.done('Thank you. Your feedback was sent.')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Feedback"
      description="Tell us what works, what does not and what is missing. Secrets are removed before your message is stored."
      action="Send"
      isBusy={sending.isPending}
      isReady={message.trim() !== ''}
      error={sending.error}
      onClose={onClose}
      onSubmit={() => sending.mutate()}
    >
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Segments label="Rating" options={sentiments} value={sentiment} onChange={setSentiment} />
        <Select label="About" size="sm" options={categories} value={category} onChange={setCategory} />
      </div>
      <Field label="Message">
        <Textarea
          required
          rows={5}
          maxLength={MESSAGE_LENGTH_MAX}
          value={message}
          onChange={event => setMessage(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}
