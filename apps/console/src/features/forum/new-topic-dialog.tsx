import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, readAgain } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { Notice, tellError } from '../../ui/states.tsx'
import { nameOf, openCategories } from './forum-search.ts'

const TITLE_LENGTH_MAX = 200
const BODY_LENGTH_MAX = 20_000
const boards = openCategories.map(value => ({ value, label: nameOf(value) }))

/** Opens a topic. What is written is kept until it is sent. */
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
      readAgain(['forum'])
      onClose()
      await navigate({ to: '/forum/$id', params: { id: topic.topicId } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    opening.mutate()
  }
  return (
    <Dialog
      open
      isStrict
      onClose={onClose}
      title="New topic"
      description="Everybody can read it. Never write a credential."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
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
        {opening.error !== null && <Notice tone="bad">{tellError(opening.error)}</Notice>}
        <Button
          type="submit"
          variant="primary"
          className="self-end"
          isBusy={opening.isPending}
          disabled={title.trim() === '' || body.trim() === ''}
        >
          Open topic
        </Button>
      </form>
    </Dialog>
  )
}
