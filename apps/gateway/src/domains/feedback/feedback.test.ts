import type { FeedbackAnswer } from '@farebox/wire/feedback'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, type ForumGateway, startForumGateway } from '../../../test/kit/gateway/forum-gateway.ts'
import type { Answer } from '../../../test/kit/network/http.ts'
import { countStatuses } from '../../../test/kit/world/world.ts'

let gateways: ForumGateway

beforeAll(async () => {
  gateways = await startForumGateway()
})
afterAll(() => gateways.stop())

const good = { source: 'docs', sentiment: 'not_helpful', message: 'The second example does not run.' }

const report = (
  who: Caller,
  body: Record<string, unknown> = {},
  more: { on?: ForumGateway['gateway'] } = {},
) =>
  who.send<FeedbackAnswer & { code: string; detail: Record<string, unknown> }>('/feedback', {
    method: 'POST',
    body: { ...good, ...body },
    ...more,
  })

type Stored = {
  wallet: string | null
  category: string
  route: string | null
  message: string
  context: unknown
  redacted: boolean
}
const stored = async (id: string) => {
  const [row] = await gateways.gateway.sql<Stored>(
    'select wallet, category, route, message, context, redacted from feedback_reports where id = $1',
    [id],
  )
  return row
}

describe('a report', () => {
  test('needs no session, and gets the category other when it names none', async () => {
    const { status, body } = await report(gateways.stranger(), {
      route: '/docs/invoke',
      context: { pageTitle: 'Invoke' },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      feedbackId: expect.stringMatching(/^fb_/),
      redacted: false,
      supportCaseCreated: false,
    })
    expect(await stored(body.feedbackId)).toEqual({
      wallet: null,
      category: 'other',
      route: '/docs/invoke',
      message: good.message,
      context: { pageTitle: 'Invoke' },
      redacted: false,
    })
  })

  test('is bound to the wallet of its session token', async () => {
    const alice = await gateways.member()
    const { body } = await report(alice)
    expect((await stored(body.feedbackId))?.wallet).toBe(alice.address?.toLowerCase())
  })

  test.each(['a.b.c', `agt_${'a'.repeat(49)}`])(
    'is kept, bound to no wallet, when it comes with the invalid token %.8s',
    async token => {
      const headers = { authorization: `Bearer ${token}` }
      const kept = await gateways
        .stranger()
        .send<FeedbackAnswer>('/feedback', { method: 'POST', body: good, headers })
      expect(kept.status).toBe(200)
      expect(await stored(kept.body.feedbackId)).toMatchObject({ wallet: null })
    },
  )

  test('of a suspended wallet is refused', async () => {
    const eve = await gateways.member()
    await gateways.gateway.sql('update wallets set suspended_at = now() where address = $1', [
      eve.address?.toLowerCase(),
    ])
    expect(await report(eve)).toMatchObject({ status: 403, body: { code: 'WALLET_SUSPENDED' } })
  })

  test('is stored without its secrets, wherever they stand', async () => {
    const key = generatePrivateKey()
    const { body } = await report(gateways.stranger(), {
      message: `Mail ada@example.com, my key is ${key}`,
      route: '/login?email=ada%40example.com',
      context: { deep: [{ 'ada@example.com': key.slice(2) }], password: 'hunter2', title: 'kept' },
    })
    expect(body.redacted).toBe(true)
    const row = await stored(body.feedbackId)
    expect(row).toMatchObject({
      redacted: true,
      message: 'Mail [redacted:email], my key is [redacted:privatekey]',
      context: { title: 'kept' },
    })
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`ada|hunter2|${key.slice(2)}`))
  })

  test.each<[string, Record<string, unknown>]>([
    ['source', { source: 'fax' }],
    ['source', { source: undefined }],
    ['sentiment', { sentiment: 'angry' }],
    ['sentiment', { sentiment: undefined }],
    ['category', { category: 'praise' }],
    ['message', { message: undefined }],
    ['message', { message: '' }],
    ['message', { message: ' \n ' }],
    ['message', { message: 'a'.repeat(4_001) }],
    ['message', { message: 'a\u0000b' }],
    ['message', { message: 7 }],
    ['route', { route: 'a'.repeat(2_001) }],
    ['context', { context: [] }],
    ['context', { context: { a: 'a'.repeat(16_385) } }],
  ])('with a bad %s is INVALID_PAYLOAD, and does not count toward a limit', async (name, change) => {
    const { status, body } = await report(gateways.stranger(), change)
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(body.detail).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path: name })]),
    })
  })

  test('with a context that is nested too deep is INVALID_PAYLOAD', async () => {
    const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) })
    expect((await report(gateways.stranger(), { context: { a: deep(19) } })).status).toBe(200)
    expect((await report(gateways.stranger(), { context: { a: deep(30) } })).body.code).toBe(
      'INVALID_PAYLOAD',
    )
  })

  test('is accepted with the longest message and the largest context', async () => {
    const { status, body } = await report(gateways.stranger(), {
      category: 'bug',
      message: 'a@b.co '.repeat(571),
      context: { text: 'b'.repeat(16_000) },
    })
    expect([status, body.supportCaseCreated]).toEqual([200, true])
  })
})

describe('support', () => {
  test.each(['bug', 'billing', 'account', 'abuse'])('has something to do about %s', async category => {
    const { body } = await report(gateways.stranger(), { category })
    expect(body).toMatchObject({
      supportCaseCreated: true,
      supportTaskId: expect.stringMatching(/^task_/),
    })
  })

  test.each(['docs_issue', 'feature_request', 'other'])('has nothing to do about %s', async category => {
    const { body } = await report(gateways.stranger(), { category })
    expect(body.supportCaseCreated).toBe(false)
    expect(body).not.toHaveProperty('supportTaskId')
  })

  test('sees the report without secrets', async () => {
    const alice = await gateways.member()
    const { body } = await report(alice, {
      category: 'billing',
      message: 'Charged twice!\nMy mail: ada@example.com',
      route: '/usage',
      context: { plan: 'x', token: 'y' },
    })
    const { body: page } = await gateways.admin.send<{ tasks: Record<string, unknown>[] }>(
      '/admin/support-tasks?status=open&limit=1',
    )
    expect(page.tasks).toMatchObject([
      {
        taskId: body.supportTaskId,
        category: 'billing',
        status: 'open',
        title: 'billing: Charged twice!',
        message: 'Charged twice!\nMy mail: [redacted:email]',
        walletAddress: alice.address,
        report: {
          feedbackId: body.feedbackId,
          source: 'docs',
          sentiment: 'not_helpful',
          route: '/usage',
          context: { plan: 'x', token: '[redacted:credential]' },
          redacted: true,
        },
        note: null,
      },
    ])
  })
})

describe('too many reports', () => {
  test('of one client are RATE_LIMITED, and those of others accepted', async () => {
    const client = gateways.stranger()
    for (let sent = 0; sent < 10; sent += 1) expect((await report(client)).status).toBe(200)
    const refused = await report(client)
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.headers.ratelimit).toMatch(/^"feedback";r=0;t=\d+$/)
    expect((await report(gateways.stranger())).status).toBe(200)
  })

  test('of one wallet are RATE_LIMITED, across gateways, clients and parallel requests', async () => {
    const { address } = await gateways.member()
    const token = (await gateways.member({ address: address as `0x${string}` })).token ?? ''
    const { gateway, other } = gateways
    const send = async (on: typeof gateway): Promise<Answer<{ code: string; detail: object }>> => {
      const headers = { authorization: `Bearer ${token}` }
      const body = { ...good, category: 'bug' }
      const answer = await gateways
        .stranger()
        .send<{ code: string; detail: object }>('/feedback', { method: 'POST', body, headers, on })
      // The reports wait for each other, on a slow machine longer than the statement timeout of public requests.
      return answer.status === 503 ? send(on) : answer
    }
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => send(index % 2 === 0 ? gateway : other)),
    )
    expect(countStatuses(answers)).toEqual({ 200: 10, 429: 14 })
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({
      code: 'RATE_LIMITED',
      detail: { policy: 'feedback-per-wallet', retryAfterSeconds: expect.any(Number) },
    })
    const [tasks] = await gateways.gateway.sql<{ count: number }>(
      `select count(*)::int as count from support_tasks s join forum_topics t on t.id = s.topic_id where t.author = $1`,
      [address?.toLowerCase()],
    )
    expect(tasks?.count).toBe(10) // refused reports leave no task
  })
})
