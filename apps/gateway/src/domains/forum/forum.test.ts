import type { Reply, Topic, TopicRead, TopicsPage, VoteAnswer } from '@farebox/wire/forum'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, type ForumGateway, startForumGateway } from '../../../test/kit/gateway/forum-gateway.ts'
import { countStatuses } from '../../../test/kit/world/world.ts'

let gateways: ForumGateway
let alice: Caller
let bob: Caller

beforeAll(async () => {
  gateways = await startForumGateway()
  alice = await gateways.member()
  bob = await gateways.member()
})
afterAll(() => gateways.stop())

type Refusal = { code: string; detail: Record<string, unknown> }
const NOBODYS = 'top_00000000000000000000000000'

const open = (who: Caller, change: Record<string, unknown> = {}) =>
  who.send<{ topic: Topic } & Refusal>('/forum/topics', {
    method: 'POST',
    body: { title: 'A title', category: 'general', body: 'A text.', ...change },
  })
const opened = async (who: Caller, change: Record<string, unknown> = {}): Promise<Topic> => {
  const { status, body } = await open(who, change)
  expect(status).toBe(200)
  return body.topic
}
const list = (query: string, who: Caller = gateways.stranger()) =>
  who.send<TopicsPage & Refusal>(`/forum/topics?${query}`)
const read = (topicId: string, query = '', who: Caller = gateways.stranger()) =>
  who.send<TopicRead & Refusal>(`/forum/topics/${topicId}${query}`)
const reply = (who: Caller, topicId: string, body: unknown = 'A reply.') =>
  who.send<{ reply: Reply } & Refusal>(`/forum/topics/${topicId}/replies`, { method: 'POST', body: { body } })
const vote = (who: Caller, topicId: string, method: 'POST' | 'DELETE' = 'POST') =>
  who.send<VoteAnswer & Refusal>(`/forum/topics/${topicId}/vote`, { method })
const titles = ({ body }: { body: TopicsPage }) => body.topics.map(({ title }) => title)

describe('a topic', () => {
  test('is answered, listed and read with the name of its author, its text as it was given', async () => {
    await gateways.gateway.sql('update wallets set username = $2 where address = $1', [
      alice.address?.toLowerCase(),
      'Ada <b>',
    ])
    const body = '<script>alert(1)</script>\n\n  & "quotes" \u{1f600}'
    const topic = await opened(alice, { title: 'Is <b> escaped?', body })
    expect(topic).toEqual({
      topicId: expect.stringMatching(/^top_/),
      title: 'Is <b> escaped?',
      category: 'general',
      excerpt: '<script>alert(1)</script> & "quotes" \u{1f600}',
      author: { walletAddress: alice.address, username: 'Ada <b>', isStaff: false, isProvider: false },
      replyCount: 0,
      voteCount: 0,
      createdAt: topic.createdAt,
      lastActivityAt: expect.any(String),
      pinned: false,
      locked: false,
    })
    expect((await list('q=escaped')).body.topics).toEqual([topic])
    expect((await read(topic.topicId)).body).toEqual({
      status: 'success',
      topic: { ...topic, body, voted: false },
      replies: [],
      nextCursor: null,
    })
  })

  test.each<[string, Record<string, unknown>]>([
    ['title', { title: '' }],
    ['title', { title: ' ' }],
    ['title', { title: 'a'.repeat(201) }],
    ['title', { title: 'Read this \u202eyadot' }],
    ['title', { title: 'a'.padEnd(40, '\u0301') }],
    ['title', { title: 'two\nlines' }],
    ['title', { title: undefined }],
    ['category', { category: 'gossip' }],
    ['category', { category: undefined }],
    ['body', { body: ' \n' }],
    ['body', { body: 'a'.repeat(20_001) }],
    ['body', { body: 'a\u0000b' }],
    ['body', { body: undefined }],
  ])('with a bad %s is INVALID_PAYLOAD', async (name, change) => {
    const { status, body } = await open(alice, change)
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(body.detail).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path: name })]),
    })
  })

  test('may be written with the joiners of its language', async () => {
    const title = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937'
    expect(await opened(alice, { title })).toMatchObject({ title })
  })

  test('of the maximum length is accepted', async () => {
    const topic = await opened(alice, { title: '漢'.repeat(200), body: '漢'.repeat(20_000) })
    expect((await read(topic.topicId)).body.topic.body).toHaveLength(20_000)
  })

  test('needs a wallet', async () => {
    expect(await open(gateways.stranger())).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  })

  test('on an admin board can be opened by admins only', async () => {
    for (const category of ['announcements', 'support']) {
      expect(await open(alice, { category })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
      expect((await open(gateways.admin, { category, title: 'From us' })).status).toBe(200)
    }
    expect(titles(await list('category=announcements'))).toEqual(['From us'])
  })

  test('that does not exist is TOPIC_NOT_FOUND for every operation', async () => {
    for (const answer of [
      await read(NOBODYS),
      await read('%20'),
      await reply(alice, NOBODYS),
      await vote(alice, NOBODYS),
      await vote(alice, NOBODYS, 'DELETE'),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'TOPIC_NOT_FOUND' } })
    }
  })
})

test('marks staff in lists, topics and replies, whatever the usernames', async () => {
  await gateways.gateway.sql(`update wallets set username = 'Support'`)
  const topic = await opened(alice, { title: 'Who are you?' })
  await reply(gateways.admin, topic.topicId)
  await reply(bob, topic.topicId)
  const { body } = await read(topic.topicId)
  expect(body.topic.author).toEqual({
    walletAddress: alice.address,
    username: 'Support',
    isStaff: false,
    isProvider: false,
  })
  expect(body.replies.map(({ author }) => [author.walletAddress, author.isStaff])).toEqual([
    [gateways.admin.address, true],
    [bob.address, false],
  ])
  await opened(gateways.admin, { title: 'Staffed topic' })
  expect((await list('q=Staffed')).body.topics[0]?.author.isStaff).toBe(true)
})

test('marks authors who are providers', async () => {
  const topic = await opened(alice, { title: 'Which API?' })
  await reply(bob, topic.topicId)
  await gateways.gateway.sql('update wallets set is_provider = address = $1', [bob.address?.toLowerCase()])
  const { body } = await read(topic.topicId)
  expect(body.topic.author.isProvider).toBe(false)
  expect(body.replies[0]?.author).toMatchObject({ walletAddress: bob.address, isProvider: true })
})

describe('the support board', () => {
  test('is visible to admins only', async () => {
    const topic = await opened(gateways.admin, { category: 'support', title: 'Quietly' })
    for (const who of [gateways.stranger(), alice]) {
      expect(await list('category=support', who)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
      expect((await list('q=Quietly', who)).body.pagination.total).toBe(0)
      expect((await read(topic.topicId, '', who)).body.code).toBe('TOPIC_NOT_FOUND')
    }
    expect((await reply(alice, topic.topicId)).body.code).toBe('TOPIC_NOT_FOUND')
    expect((await vote(alice, topic.topicId)).body.code).toBe('TOPIC_NOT_FOUND')
    expect(titles(await list('category=support', gateways.admin))).toContain('Quietly')
    expect((await reply(gateways.admin, topic.topicId)).status).toBe(200)
    expect((await read(topic.topicId, '', gateways.admin)).body.replies).toHaveLength(1)
  })
})

describe('replies', () => {
  test('are counted, move the topic up and come in pages, oldest first', async () => {
    const [older, newer] = [
      await opened(alice, { category: 'agents', title: 'older' }),
      await opened(alice, { category: 'agents', title: 'newer' }),
    ]
    expect(titles(await list('category=agents'))).toEqual(['newer', 'older'])
    for (const text of ['one', 'two', 'three']) {
      const { status, body } = await reply(bob, older.topicId, text)
      expect(status).toBe(200)
      expect(body.reply).toMatchObject({
        replyId: expect.stringMatching(/^rep_/),
        topicId: older.topicId,
        body: text,
        author: { walletAddress: bob.address },
      })
    }
    expect((await list('category=agents')).body.topics).toMatchObject([
      { title: 'older', replyCount: 3 },
      { title: 'newer', replyCount: 0, lastActivityAt: newer.lastActivityAt },
    ])
    const first = await read(older.topicId, '?limit=2')
    expect(first.body.replies.map(({ body }) => body)).toEqual(['one', 'two'])
    const second = await read(older.topicId, `?limit=2&cursor=${first.body.nextCursor}`)
    expect(second.body.replies.map(({ body }) => body)).toEqual(['three'])
    expect(second.body.nextCursor).toBeNull()
  })

  test('that arrive in parallel are all counted', async () => {
    const { topicId } = await opened(alice)
    const writers = await Promise.all(Array.from({ length: 20 }, () => gateways.member()))
    const answers = await Promise.all(writers.map(writer => reply(writer, topicId)))
    expect(countStatuses(answers)).toEqual({ 200: 20 })
    const { body } = await read(topicId)
    expect([body.topic.replyCount, body.replies.length]).toEqual([20, 20])
  })

  test('need a wallet, and a text', async () => {
    const { topicId } = await opened(alice)
    expect((await reply(gateways.stranger(), topicId)).body.code).toBe('UNAUTHORIZED')
    for (const text of ['', ' ', 7, 'a'.repeat(20_001)]) {
      expect(await reply(alice, topicId, text)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_PAYLOAD' },
      })
    }
  })

  test('reject an invalid cursor with INVALID_REQUEST', async () => {
    const { topicId } = await opened(alice)
    expect((await read(topicId, '?cursor=%20')).body.code).toBe('INVALID_REQUEST')
    expect((await read(topicId, '?limit=many')).body.code).toBe('INVALID_REQUEST')
  })
})

describe('votes', () => {
  test('count once per wallet, and can be taken back', async () => {
    const { topicId } = await opened(alice)
    expect((await vote(alice, topicId)).body).toEqual({
      status: 'success',
      topicId,
      voted: true,
      voteCount: 1,
    })
    expect((await vote(alice, topicId)).body.voteCount).toBe(1)
    expect((await vote(bob, topicId)).body.voteCount).toBe(2)
    expect((await read(topicId, '', bob)).body.topic).toMatchObject({ voted: true, voteCount: 2 })
    expect((await vote(bob, topicId, 'DELETE')).body).toMatchObject({ voted: false, voteCount: 1 })
    expect((await vote(bob, topicId, 'DELETE')).body.voteCount).toBe(1)
    expect((await read(topicId, '', bob)).body.topic).toMatchObject({ voted: false, voteCount: 1 })
  })

  test('that arrive in parallel count once per wallet', async () => {
    const { topicId } = await opened(alice)
    const voters = await Promise.all(Array.from({ length: 10 }, () => gateways.member()))
    const answers = await Promise.all(
      [...voters, ...voters, ...voters].map((voter, index) =>
        voter.send(`/forum/topics/${topicId}/vote`, {
          method: 'POST',
          on: index % 2 === 0 ? gateways.gateway : gateways.other,
        }),
      ),
    )
    expect(countStatuses(answers)).toEqual({ 200: 30 })
    expect((await read(topicId)).body.topic.voteCount).toBe(10)
  })

  test('need a wallet', async () => {
    const { topicId } = await opened(alice)
    expect((await vote(gateways.stranger(), topicId)).body.code).toBe('UNAUTHORIZED')
    expect((await vote(gateways.stranger(), topicId, 'DELETE')).body.code).toBe('UNAUTHORIZED')
  })
})

describe('the list', () => {
  test('has pages, and clamps their numbers', async () => {
    for (const number of [1, 2, 3]) await opened(alice, { category: 'providers', title: `page ${number}` })
    const first = await list('category=providers&pageSize=2')
    expect(first.body.pagination).toEqual({ total: 3, page: 1, pageSize: 2 })
    expect(titles(first)).toEqual(['page 3', 'page 2'])
    expect(titles(await list('category=providers&pageSize=2&page=2'))).toEqual(['page 1'])
    const past = await list('category=providers&pageSize=2&page=3')
    expect(past.body).toMatchObject({ topics: [], pagination: { total: 3, page: 3 } })
    expect((await list('')).body.pagination).toMatchObject({ page: 1, pageSize: 20 })
    expect((await list('page=0&pageSize=999')).body.pagination).toMatchObject({ page: 1, pageSize: 50 })
  })

  test.each(['page=one', 'pageSize=all', 'category=gossip', 'sort=best', `q=${'a'.repeat(201)}`, 'q=%00'])(
    '%s is INVALID_REQUEST',
    async query => {
      expect(await list(query)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
    },
  )

  test('is sorted by votes, then activity, when sorted by top', async () => {
    const word = 'zebrafish'
    const [low, tied, high] = [
      await opened(alice, { title: `low ${word}` }),
      await opened(alice, { title: `tied ${word}` }),
      await opened(alice, { title: `high ${word}` }),
    ]
    for (const who of [alice, bob]) await vote(who, high.topicId)
    expect(titles(await list(`q=${word}&sort=top`))).toEqual([`high ${word}`, `tied ${word}`, `low ${word}`])
    await reply(bob, low.topicId)
    await vote(bob, tied.topicId)
    await vote(bob, low.topicId)
    expect(titles(await list(`q=${word}&sort=top`))).toEqual([`high ${word}`, `low ${word}`, `tied ${word}`])
  })

  test('finds words in titles and texts by stem, and titles despite typos', async () => {
    await opened(alice, { title: 'Webhook signatures', body: 'Deliveries fail on Thursdays.' })
    const found = ['Webhook signatures']
    for (const query of ['webhook', 'signature', 'delivery failing', 'thursday', 'webhok', 'sigantures']) {
      expect([query, titles(await list(`q=${encodeURIComponent(query)}`))]).toEqual([query, found])
    }
    expect(titles(await list('q=webhook&category=general'))).toEqual(found)
    expect(titles(await list('q=webhook&category=agents'))).toEqual([])
    expect(titles(await list('q=xylophone'))).toEqual([])
    expect(titles(await list('q=a'))).toEqual([])
  })

  test('finds at most 200 topics by a misspelt text, however many nearly match', async () => {
    await gateways.gateway.sql(
      `insert into forum_topics (id, category, title, body)
       select 'top_hummingbird' || n, 'agents', 'Hummingbird ' || n, 'A text.' from generate_series(1, 250) n`,
    )
    const total = async (q: string) => (await list(`q=${q}&category=agents`)).body.pagination.total
    expect([await total('hummingbird'), await total('humingbird')]).toEqual([250, 200])
    expect((await list('q=humingbird&category=agents&page=10')).body.topics).toHaveLength(20)
  })

  test('accepts any text as a search', async () => {
    const odd = ["'", '"', '\\', "a' or 1=1 --", '%', '_', '!!!', '( | &', ':*', '漢字', ' ', 'the', '<->']
    for (const query of odd) {
      expect([query, (await list(`q=${encodeURIComponent(query)}`)).status]).toEqual([query, 200])
    }
  })

  test('lists topics for a reader with an invalid token', async () => {
    const answer = await gateways
      .stranger()
      .send('/forum/topics', { headers: { authorization: 'Bearer a.b.c' } })
    expect(answer.status).toBe(200)
    expect((await read(NOBODYS, '', { ...gateways.stranger(), token: null })).status).toBe(404)
  })
})

describe('rate limits', () => {
  const HOURS_WORTH = { topics: 100, replies: 300 }

  test('return RATE_LIMITED to one wallet across both gateways', async () => {
    const [writer, { topicId }] = [await gateways.member(), await opened(alice)]
    const address = writer.address?.toLowerCase()
    const { sql } = gateways.gateway
    await sql(
      `insert into forum_topics (id, category, title, body, author)
       select 'top_flood' || n, 'general', 'flood', 'flood', $1 from generate_series(1, $2::int) n`,
      [address, HOURS_WORTH.topics - 1],
    )
    await sql(
      `insert into forum_replies (id, topic_id, author, body)
       select 'rep_flood' || n, $3, $1, 'flood' from generate_series(1, $2::int) n`,
      [address, HOURS_WORTH.replies - 1, topicId],
    )
    const both = [gateways.gateway, gateways.other, gateways.gateway, gateways.other]
    const topics = await Promise.all(
      both.map(on =>
        writer.send<Refusal>('/forum/topics', {
          method: 'POST',
          on,
          body: { title: 'a', category: 'general', body: 'a' },
        }),
      ),
    )
    const replies = await Promise.all(
      both.map(on =>
        writer.send<Refusal>(`/forum/topics/${topicId}/replies`, { method: 'POST', on, body: { body: 'a' } }),
      ),
    )
    for (const answers of [topics, replies]) {
      expect(countStatuses(answers)).toEqual({ 200: 1, 429: 3 })
      const refused = answers.find(({ status }) => status === 429)
      expect(refused?.body).toMatchObject({ code: 'RATE_LIMITED', detail: { retryAfterSeconds: 3_600 } })
    }
    await sql(`update forum_topics set created_at = created_at - interval '1 hour' where author = $1`, [
      address,
    ])
    expect((await open(writer)).status).toBe(200)
    await sql(`update forum_topics set hidden_at = now() where title = 'flood'`)
  })

  test('return RATE_LIMITED to one client, whatever it writes', async () => {
    const [flood, { topicId }] = [gateways.stranger(), await opened(alice)]
    await gateways.atOnce(async () => {
      const unsigned = Array.from({ length: 600 }, () => vote(flood, topicId))
      expect(countStatuses(await Promise.all(unsigned))).toEqual({ 401: 600 })
      for (const answer of [
        await open(flood),
        await reply(flood, topicId),
        await vote(flood, topicId),
        await vote(flood, topicId, 'DELETE'),
      ]) {
        expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
        expect(answer.headers['retry-after']).toBeDefined()
      }
    })
  })
})
