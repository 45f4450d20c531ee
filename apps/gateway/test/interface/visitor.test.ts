import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Answer, type Sent, send } from '../kit/network/http.ts'
import { newWallet } from '../kit/world/wallets.ts'

// Somebody without a wallet's session or an agent's credential, by the names of the interface.

const REPORTS_PER_HOUR = 10

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const ask = <Body = Record<string, unknown>>(path: string, sent: Sent = {}) =>
  send<Body>(gateway.url, path, sent)
const isJson = ({ headers }: Answer<unknown>) => /^application\/json\b/.test(headers['content-type'] ?? '')

describe('a visitor without a token', () => {
  test('may request and verify a challenge', async () => {
    const wallet = newWallet()
    const asked = await ask<{ challenge: string }>(`/api/v1/auth/challenge?address=${wallet.address}`)
    expect([asked.status, isJson(asked), typeof asked.body.challenge]).toEqual([200, true, 'string'])
    const message = asked.body.challenge
    const signature = await wallet.signMessage({ message })
    const body = { address: wallet.address, message, signature }
    const verified = await ask('/api/v1/auth/verify', { method: 'POST', body })
    expect([verified.status, isJson(verified), typeof verified.body.token]).toEqual([200, true, 'string'])
  })

  test('may browse services: a plain array, and a registry in pages', async () => {
    const found = await ask<unknown[]>('/api/v1/services/discover?limit=5&search_query=weather')
    expect([found.status, isJson(found), found.body]).toEqual([200, true, []])
    const registry = await ask('/marketplace/registry.json')
    expect([registry.status, isJson(registry), registry.body]).toEqual([
      200,
      true,
      {
        status: 'success',
        query: { q: '', tag: '', page: 1, pageSize: 10 },
        pagination: {
          page: 1,
          pageSize: 10,
          total: 0,
          totalPages: expect.any(Number),
          hasNextPage: false,
          hasPreviousPage: false,
        },
        services: [],
      },
    ])
    const capped = await ask('/marketplace/registry.json?page=0&pageSize=101&q=a&tag=b')
    expect(capped.body.query).toEqual({ q: 'a', tag: 'b', page: 1, pageSize: 100 })
  })

  test('may send feedback and read the topics of the forum', async () => {
    const report = {
      source: 'docs',
      sentiment: 'not_helpful',
      category: 'docs_issue',
      route: '/docs/invoke',
      message: 'The example does not run. Ask me: ada@example.com',
      context: { pageTitle: 'Invoke' },
    }
    const sent = await ask('/api/v1/feedback', { method: 'POST', body: report })
    expect([sent.status, isJson(sent), sent.body]).toEqual([
      200,
      true,
      {
        status: 'success',
        feedbackId: expect.any(String),
        redacted: true,
        supportCaseCreated: false,
      },
    ])
    const bug = await ask('/api/v1/feedback', { method: 'POST', body: { ...report, category: 'bug' } })
    expect(bug.body).toMatchObject({ supportCaseCreated: true, supportTaskId: expect.any(String) })

    const query = 'page=1&pageSize=51&category=general&q=anything&sort=top'
    const topics = await ask(`/api/v1/forum/topics?${query}`)
    expect([topics.status, isJson(topics), topics.body]).toEqual([
      200,
      true,
      { status: 'success', topics: [], pagination: { total: 0, page: 1, pageSize: 50 } },
    ])
    expect((await ask('/api/v1/forum/topics?sort=latest')).status).toBe(200)
  })

  test('is RATE_LIMITED after ten reports in an hour; invalid ones do not count', async () => {
    const report = { source: 'docs', sentiment: 'neutral', message: 'Fine.' }
    const print = (body: object) => ask('/api/v1/feedback', { method: 'POST', body })
    const bad = await print({ ...report, sentiment: 'undecided' })
    expect([bad.status, bad.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    const answers: Answer[] = []
    while (answers.at(-1)?.status !== 429 && answers.length < REPORTS_PER_HOUR + 1)
      answers.push(await print(report))
    const refused = answers.at(-1)
    expect([refused?.status, refused?.body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(refused?.headers['ratelimit-policy']).toBe(`"feedback";q=${REPORTS_PER_HOUR};w=3600`)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('finds the endpoints under /api/v1 and the registry outside of it, and neither elsewhere', async () => {
    const elsewhere = ['/services/discover', '/api/v2/services/discover', '/api/v1/marketplace/registry.json']
    for (const path of elsewhere) {
      const answer = await ask(path)
      expect([answer.status, answer.body]).toMatchObject([404, { code: 'NOT_FOUND' }])
    }
  })

  const forWallets: [Sent['method'], string][] = [
    ['GET', '/auth/me'],
    ['POST', '/auth/me/profile/challenge'],
    ['PUT', '/auth/me/profile'],
    ['POST', '/auth/email/verify-code'],
    ['POST', '/credentials/agent/issue'],
    ['POST', '/secrets/provider/issue'],
    ['GET', '/balance'],
    ['POST', '/balance/deposit/intent'],
    ['POST', '/balance/deposit/intents/dep_none/confirm'],
    ['GET', '/services'],
    ['POST', '/services'],
    ['PUT', '/services/svc_none'],
    ['DELETE', '/services/svc_none'],
    ['GET', '/services/svc_none/health/history'],
    ['POST', '/providers/withdrawals/intent'],
    ['POST', '/providers/withdrawals/wd_none/complete'],
    ['GET', '/providers/withdrawals'],
  ]
  test.each(forWallets)('needs the JWT of a wallet at %s %s', async (method, path) => {
    const agents = { authorization: `Bearer ${gateway.gateway.deps.ids.token('agt')}` }
    for (const headers of [{}, agents]) {
      const refused = await ask(`/api/v1${path}`, { headers, ...(method && { method }) })
      expect([refused.status, isJson(refused), refused.body]).toMatchObject([
        401,
        true,
        { code: 'UNAUTHORIZED', message: expect.stringMatching(/\S/) },
      ])
    }
  })

  test.each(['/agent/invoke', '/agent/discovery/search'])(
    'needs an agent credential at POST %s, not the JWT of a wallet',
    async path => {
      const wallet = newWallet()
      const { body } = await ask<{ challenge: string }>(`/api/v1/auth/challenge?address=${wallet.address}`)
      const message = body.challenge
      const signature = await wallet.signMessage({ message })
      const session = await ask<{ token: string }>('/api/v1/auth/verify', {
        method: 'POST',
        body: { address: wallet.address, message, signature },
      })
      for (const presented of [{}, { token: session.body.token }]) {
        const refused = await ask(`/api/v1${path}`, { method: 'POST', body: {}, ...presented })
        expect([refused.status, isJson(refused), refused.body]).toMatchObject([
          401,
          true,
          { code: 'CREDENTIAL_INVALID', message: expect.stringMatching(/\S/) },
        ])
      }
    },
  )
})
