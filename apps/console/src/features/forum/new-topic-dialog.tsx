import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, refreshQueries } from '../../api.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { useDraft } from '../../ui/forms/draft.ts'
import { Field, Input, Textarea } from '../../ui/forms/field.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { nameOf, openCategories } from './forum-search.ts'

const TITLE_LENGTH_MAX = 200
const BODY_LENGTH_MAX = 20_000
const boards = openCategories.map(value => ({ value, label: nameOf(value) }))

/** Opens a topic. The text is kept as a draft until it is sent. */
export function NewTopicDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [title, writeTitle, dropTitle] = useDraft('topic.title')
  const [body, writeBody, dropBody] = useDraft('topic.body')
  const [category, setCategory] = useState<(typeof openCategories)[number]>('general')
  const opening = useMutation({
    mutationFn: () => api.createTopic({ body: { title, category, body } }),
    async onSuccess({ topic }) {
      dropTitle()
      dropBody()
      refreshQueries(['forum'])
      onClose()
      await navigate({ to: '/forum/$id', params: { id: topic.topicId } })
    },
  })
  return (
    <FormDialog
      title="New topic"
      description="Topics are public. Never post a credential."
      action="Open topic"
      isBusy={opening.isPending}
      isReady={title.trim() !== '' && body.trim() !== ''}
      error={opening.error}
      onClose={onClose}
      onSubmit={() => opening.mutate()}
    >
      <Field label="Title">
        <Input
          required
          maxLength={TITLE_LENGTH_MAX}
          value={title}
          onChange={event => writeTitle(event.target.value)}
        />
      </Field>
      <Field label="Board">
        <Select options={boards} value={category} onChange={setCategory} />
      </Field>
      <Field label="Text">
        <Textarea
          required
          rows={7}
          maxLength={BODY_LENGTH_MAX}
          value={body}
          onChange={event => writeBody(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}
