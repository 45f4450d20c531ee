import type { FeedbackAnswer } from '@farebox/wire/feedback'
import type { SupportTask } from '@farebox/wire/forum'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, type ForumGateway, startForumGateway } from '../../../test/kit/gateway/forum-gateway.ts'

let gateways: ForumGateway
let admin: Caller

beforeAll(async () => {
  gateways = await startForumGateway()
  admin = gateways.admin
})
afterAll(() => gateways.stop())

type Page = { tasks: SupportTask[]; nextCursor: string | null; code: string }
const list = (query = '', who: Caller = admin) => who.send<Page>(`/admin/support-tasks${query}`)
const close = (taskId: string, body: unknown = { note: 'done' }, who: Caller = admin) =>
  who.send<{ task: SupportTask; code: string }>(`/admin/support-tasks/${taskId}/close`, {
    method: 'POST',
    body,
  })

const read = (taskId: string, who: Caller = admin) =>
  who.send<{ task: SupportTask; code: string }>(`/admin/support-tasks/${taskId}`)

/** Creates a support task by a new report; returns its id. */
async function task(message = 'It broke.'): Promise<string> {
  const { body } = await gateways.stranger().send<FeedbackAnswer>('/feedback', {
    method: 'POST',
    body: { source: 'api', sentiment: 'neutral', category: 'bug', message },
  })
  return body.supportTaskId ?? ''
}

test('lists tasks by status, newest or oldest first, in pages', async () => {
  const [first, second, third] = [await task(), await task(), await task()]
  expect((await close(second)).status).toBe(200)
  const page = await list('?status=open&limit=1')
  expect(page.body.tasks.map(({ taskId }) => taskId)).toEqual([third])
  const next = await list(`?status=open&limit=1&cursor=${page.body.nextCursor}`)
  expect(next.body.tasks.map(({ taskId }) => taskId)).toEqual([first])
  const oldest = await list('?status=open&order=oldest&limit=1')
  expect(oldest.body.tasks.map(({ taskId }) => taskId)).toEqual([first])
  const later = await list(`?status=open&order=oldest&limit=1&cursor=${oldest.body.nextCursor}`)
  expect(later.body.tasks.map(({ taskId }) => taskId)).toEqual([third])
  expect(later.body.nextCursor).toBeNull()
  expect((await list('?status=closed')).body.tasks.map(({ taskId }) => taskId)).toEqual([second])
  expect((await list()).body.tasks).toHaveLength(3)
})

test('a task is closed once, with the note of who did it first; its topic is locked, and the act is audited', async () => {
  const taskId = await task('It broke twice.')
  const answers = await Promise.all([1, 2, 3].map(number => close(taskId, { note: `note ${number}` })))
  const notes = new Set(answers.map(({ status, body }) => `${status} ${body.task.status} ${body.task.note}`))
  expect(notes.size).toBe(1)
  const closed = answers[0]?.body.task
  expect(closed).toMatchObject({
    taskId,
    status: 'closed',
    message: 'It broke twice.',
    walletAddress: null,
    closedBy: admin.address,
    closedAt: expect.any(String),
  })
  expect((await close(taskId, { note: 'later' })).body.task).toEqual(closed)

  const topic = await admin.send(`/forum/topics/${closed?.topicId}`)
  expect(topic.body).toMatchObject({
    topic: {
      category: 'support',
      locked: true,
      author: { walletAddress: null, username: 'anonymous', isStaff: false, isProvider: false },
    },
  })
  const replied = await admin.send(`/forum/topics/${closed?.topicId}/replies`, {
    method: 'POST',
    body: { body: 'too late' },
  })
  expect(replied).toMatchObject({ status: 423, body: { code: 'TOPIC_LOCKED' } })

  const audit = await gateways.gateway.sql('select * from admin_audit where target = $1', [taskId])
  expect(audit).toMatchObject([
    {
      actor: admin.address?.toLowerCase(),
      action: 'support-task.close',
      before: { status: 'open', note: null },
      after: { status: 'closed', note: closed?.note },
      reason: closed?.note,
    },
  ])
})

test('reads one task', async () => {
  const taskId = await task('It broke once more.')
  const [listed] = (await list('?limit=1')).body.tasks
  expect(await read(taskId)).toMatchObject({ status: 200, body: { status: 'success', task: listed } })
  expect(listed).toMatchObject({ taskId, message: 'It broke once more.' })
})

test('an unknown task is SUPPORT_TASK_NOT_FOUND', async () => {
  for (const id of ['task_00000000000000000000000000', '%20']) {
    for (const ask of [close, read])
      expect(await ask(id)).toMatchObject({ status: 404, body: { code: 'SUPPORT_TASK_NOT_FOUND' } })
  }
})

test('a task is not closed without a note', async () => {
  const taskId = await task()
  for (const body of [{}, { note: '' }, { note: ' ' }, { note: 7 }, { note: 'a'.repeat(2_001) }, null]) {
    expect(await close(taskId, body)).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
  }
})

test('an unknown state or page is INVALID_REQUEST', async () => {
  for (const query of ['?status=lost', '?order=random', '?limit=many', '?cursor=%20']) {
    expect(await list(query)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
  }
})

test('only admins see and close tasks', async () => {
  const taskId = await task()
  const [somebody, stranger] = [await gateways.member(), gateways.stranger()]
  expect((await list('', somebody)).body.code).toBe('FORBIDDEN')
  expect((await close(taskId, { note: 'x' }, somebody)).body.code).toBe('FORBIDDEN')
  expect((await read(taskId, somebody)).body.code).toBe('FORBIDDEN')
  expect((await read(taskId, stranger)).body.code).toBe('UNAUTHORIZED')
  expect((await list('', stranger)).body.code).toBe('UNAUTHORIZED')
  expect((await close(taskId, { note: 'x' }, stranger)).body.code).toBe('UNAUTHORIZED')
})
