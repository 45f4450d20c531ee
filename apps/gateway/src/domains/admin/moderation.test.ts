import type { Reply, Topic, TopicRead, TopicsPage } from '@farebox/wire/forum'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, type ForumGateway, startForumGateway } from '../../../test/kit/gateway/forum-gateway.ts'
import { countStatuses } from '../../../test/kit/world/world.ts'

let gateways: ForumGateway
let admin: Caller
let alice: Caller

beforeAll(async () => {
  gateways = await startForumGateway()
  admin = gateways.admin
  alice = await gateways.member()
})
afterAll(() => gateways.stop())

async function topic(title = 'A title'): Promise<string> {
  const { body } = await alice.send<{ topic: Topic }>('/forum/topics', {
    method: 'POST',
    body: { title, category: 'general', body: 'A text.' },
  })
  return body.topic.topicId
}
const reply = (topicId: string) =>
  alice.send<{ reply: Reply; code: string }>(`/forum/topics/${topicId}/replies`, {
    method: 'POST',
    body: { body: 'A reply.' },
  })
const act = (topicId: string, name: string, who: Caller = admin) =>
  who.send<{ topic: Topic; code: string }>(`/admin/forum/topics/${topicId}/${name}`, { method: 'POST' })
const remove = (path: string, who: Caller = admin) =>
  who.send<{ code: string }>(`/admin/forum/${path}`, { method: 'DELETE' })
const read = (topicId: string) => gateways.stranger().send<TopicRead>(`/forum/topics/${topicId}`)
const titles = async () => {
  const { body } = await gateways.stranger().send<TopicsPage>('/forum/topics?pageSize=50')
  return body.topics.map(({ title }) => title)
}
const audited = (target: string) =>
  gateways.gateway.sql('select actor, action, before, after from admin_audit where target = $1 order by id', [
    target,
  ])

test('a pinned topic is listed first until it is unpinned', async () => {
  const topicId = await topic('pinned')
  await topic('newer')
  expect((await act(topicId, 'pin')).body.topic).toMatchObject({ topicId, pinned: true })
  expect((await act(topicId, 'pin')).body.topic.pinned).toBe(true)
  expect((await titles()).slice(0, 2)).toEqual(['pinned', 'newer'])
  expect((await act(topicId, 'unpin')).body.topic.pinned).toBe(false)
  expect((await titles()).slice(0, 2)).toEqual(['newer', 'pinned'])
  expect(await audited(topicId)).toMatchObject([
    {
      actor: admin.address?.toLowerCase(),
      action: 'topic.pin',
      before: { pinned: false },
      after: { pinned: true },
    },
    { action: 'topic.pin', before: { pinned: true }, after: { pinned: true } },
    { action: 'topic.unpin', before: { pinned: true }, after: { pinned: false } },
  ])
})

test('a locked topic takes no replies until it is unlocked, and can be voted for', async () => {
  const topicId = await topic()
  expect((await act(topicId, 'lock')).body.topic.locked).toBe(true)
  expect(await reply(topicId)).toMatchObject({ status: 423, body: { code: 'TOPIC_LOCKED' } })
  expect((await read(topicId)).body.topic).toMatchObject({ locked: true, replyCount: 0 })
  expect((await alice.send(`/forum/topics/${topicId}/vote`, { method: 'POST' })).status).toBe(200)
  expect((await act(topicId, 'unlock')).body.topic.locked).toBe(false)
  expect((await reply(topicId)).status).toBe(200)
  expect((await audited(topicId)).map(({ action }) => action)).toEqual(['topic.lock', 'topic.unlock'])
})

test('a removed topic is hidden from everybody, and stays in the log', async () => {
  const topicId = await topic('gone')
  const answers = await Promise.all([1, 2, 3].map(() => remove(`topics/${topicId}`)))
  expect(countStatuses(answers)).toEqual({ 200: 1, 404: 2 })
  expect(answers.find(({ status }) => status === 404)?.body.code).toBe('TOPIC_NOT_FOUND')
  expect(await titles()).not.toContain('gone')
  expect((await read(topicId)).status).toBe(404)
  expect((await reply(topicId)).body.code).toBe('TOPIC_NOT_FOUND')
  expect(await audited(topicId)).toMatchObject([
    { action: 'topic.remove', before: { title: 'gone', excerpt: 'A text.' }, after: null },
  ])
})

test('a removed reply is hidden and no longer counted', async () => {
  const topicId = await topic()
  const { reply: gone } = (await reply(topicId)).body
  await reply(topicId)
  const answers = await Promise.all([1, 2, 3].map(() => remove(`replies/${gone.replyId}`)))
  expect(countStatuses(answers)).toEqual({ 200: 1, 404: 2 })
  expect(answers.find(({ status }) => status === 404)?.body.code).toBe('NOT_FOUND')
  const { body } = await read(topicId)
  expect([body.topic.replyCount, body.replies.length]).toEqual([1, 1])
  expect(await audited(gone.replyId)).toMatchObject([
    { action: 'reply.remove', before: { topicId, body: 'A reply.' }, after: null },
  ])
})

describe('moderation', () => {
  const acts = ['pin', 'unpin', 'lock', 'unlock']
  const nobodys = 'top_00000000000000000000000000'

  test('rejects an unknown topic or reply', async () => {
    for (const name of acts) expect((await act(nobodys, name)).body.code).toBe('TOPIC_NOT_FOUND')
    expect((await remove(`topics/${nobodys}`)).body.code).toBe('TOPIC_NOT_FOUND')
    expect((await remove('replies/rep_00000000000000000000000000')).body.code).toBe('NOT_FOUND')
  })

  test('is for admins only', async () => {
    const topicId = await topic()
    const { replyId } = (await reply(topicId)).body.reply
    const callers = [
      ['FORBIDDEN', alice],
      ['UNAUTHORIZED', gateways.stranger()],
    ] as const
    for (const [code, who] of callers) {
      for (const name of acts) expect((await act(topicId, name, who)).body.code).toBe(code)
      expect((await remove(`topics/${topicId}`, who)).body.code).toBe(code)
      expect((await remove(`replies/${replyId}`, who)).body.code).toBe(code)
    }
    expect((await read(topicId)).body.topic).toMatchObject({ pinned: false, locked: false, replyCount: 1 })
  })
})
