import { registerServiceBody } from '@farebox/wire/manifest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get, post } from '../../../test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { arrive, type Person } from '../../../test/kit/world/world.ts'

let on: TestGateway
let upstream: TestProvider
let alice: Person
beforeAll(async () => {
  on = await startTestGateway()
  upstream = await startProvider()
  alice = await arrive(on)
})
afterAll(async () => {
  await upstream.stop()
  await on.stop()
})

type Parsed = { code: string; manifest: Record<string, unknown>; warnings: unknown[]; message: string }
const parse = (body: unknown, token: string = alice.token) =>
  post<Parsed>(on, '/services/parse-curl', { token, body })

describe('POST /services/parse-curl', () => {
  test('drafts a manifest that can be registered once a price is added', async () => {
    const curlCommand = `curl ${upstream.url}v1/now -H 'X-Api-Key: k3y' --json '{"city":"Lisbon"}'`
    const { status, body } = await parse({ curlCommand })
    expect([status, body]).toMatchObject([200, { status: 'success', unsupported: [] }])
    const before = upstream.calls.length
    const manifest = { ...body.manifest, pricing: { amount: '0.01' } }
    const registered = await post(on, '/services', { token: alice.token, body: manifest })
    expect(registered).toMatchObject({ status: 200, body: { service: { hasUpstreamHeaders: true } } })
    expect(upstream.calls).toHaveLength(before)
  })

  test('INVALID_PAYLOAD for an invalid command, without echoing it; UNAUTHORIZED without a session', async () => {
    for (const body of [
      {},
      { curlCommand: 7 },
      { curlCommand: '' },
      { curlCommand: 'x'.repeat(65_537) },
      { curlCommand: "wget 's3cret" },
      { curlCommand: 'wget s3cret' },
    ]) {
      const answer = await parse(body)
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
      expect(JSON.stringify(answer.body)).not.toContain('s3cret')
    }
    const stranger = await parse({ curlCommand: 'curl a.example' }, 'nobody')
    expect([stranger.status, stranger.body.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  test('RATE_LIMITED after sixty requests in a minute', async () => {
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => parse({ curlCommand: 'curl a.example' })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(5)
    expect(refused[0]?.body.code).toBe('RATE_LIMITED')
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('GET /services/registration-guide', () => {
  type Guide = {
    fields: { name: string; required: boolean; description: string; schema: Record<string, unknown> }[]
    examples: Record<'fixed' | 'llm', { invoke: { targets: { url: string }[] } }>
    limits: Record<string, unknown>
    steps: string[]
    requirements: string[]
    signatures: { keys: string }
    nextSteps: { method: string; path: string }[]
  }
  const read = async () => {
    const { status, body } = await get<Guide>(on, '/services/registration-guide')
    expect(status).toBe(200)
    return body
  }

  test('lists every writable member with its limits, and marks the required ones', async () => {
    const { fields, limits } = await read()
    const writable = Object.entries(registerServiceBody.shape).flatMap(([name, member]) =>
      member.meta()?.readOnly === true ? [] : [name],
    )
    expect(fields.map(({ name }) => name).sort()).toEqual(writable.sort())
    expect(fields.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'serviceName',
      'invoke',
    ])
    const of = (name: string) => fields.find(field => field.name === name)?.schema
    expect(of('serviceName')).toMatchObject({ type: 'string', minLength: 1, maxLength: 80 })
    expect(of('invoke')).toMatchObject({
      properties: { targets: { minItems: 1, maxItems: limits.targetsPerService } },
    })
    for (const { description } of fields) expect(description).toMatch(/\.$/)
  })

  test('has an example of each service kind that registers once its targets are replaced', async () => {
    const { examples } = await read()
    for (const example of Object.values(examples)) {
      expect(registerServiceBody.safeParse(example).error).toBeUndefined()
      const targets = [{ url: upstream.url }]
      const body = { ...example, invoke: { ...example.invoke, targets } }
      expect(await post(on, '/services', { token: alice.token, body })).toMatchObject({ status: 200 })
    }
  })

  test('points to existing keys and paths', async () => {
    const { signatures, nextSteps, steps, requirements } = await read()
    expect(requirements.join(' ')).toContain('serviceName and invoke.targets')
    for (const step of ['/auth/challenge', '/services', '/withdrawals/intent'])
      expect(steps.join(' ')).toContain(step)
    expect((await fetch(signatures.keys)).status).toBe(200)
    for (const { method, path } of nextSteps) {
      const url = on.url + path.replace('{id}', 'svc_nothing')
      const { status } = await fetch(url, { method, headers: { authorization: `Bearer ${alice.token}` } })
      expect([404, 405]).not.toContain(path.includes('{id}') ? 200 : status)
    }
  })
})
