import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MailSink, startMailSink } from '../../src/dev/mail-sink.ts'
import { scrape } from '../kit/gateway/prometheus.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type KeptLog, keepLog } from '../kit/log-lines.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { deposit } from '../kit/world/world.ts'

const PRICE_USDC = '0.010000'
/** Lines that belong to no request and no job. */
const OF_NOBODY =
  /^(an idle |the job queue reports a problem|traces could not be sent|a sample for the metrics failed)/

/** Keys of the gateway itself, which are never published. */
const ofGateway = {
  JWT_SECRET: randomBytes(32).toString('hex'),
  ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  METRICS_TOKEN: `metrics-${randomBytes(16).toString('hex')}`,
}

/** Everything secret that was issued or sent, by kind. */
const secrets: Record<string, string> = { ...ofGateway }
/** Every answer: where it came from, and all of it. */
const answers: { request: string; status: number; text: string }[] = []

let on: TestGateway
let kept: KeptLog
let mail: MailSink
let upstream: TestProvider
let asked = 0

const key = generatePrivateKey()
const account = privateKeyToAccount(key)
const person = { account, token: '' }

/** One request, with an id of its own; its answer is kept. */
async function ask(
  method: string,
  path: string,
  sent: { headers?: Record<string, string>; body?: unknown; raw?: string } = {},
) {
  asked += 1
  const body = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
  const answer = await fetch(`${on.url}${path}`, {
    method,
    headers: {
      'x-request-id': `story-${asked}`,
      ...(person.token !== '' && { authorization: `Bearer ${person.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(body !== undefined && { body }),
  })
  const text = await answer.text()
  answers.push({
    request: `${method} ${path.split('?')[0]}`,
    status: answer.status,
    text: `${JSON.stringify([...answer.headers])}\n${text}`,
  })
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: answer.status, body: isJson ? JSON.parse(text) : {} }
}
const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  ask(method, `/api/v1${path}`, {
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
  })

beforeAll(async () => {
  kept = keepLog('debug')
  ;[mail, upstream] = await Promise.all([startMailSink(), startProvider()])
  on = await startTestGateway({
    log: kept.log,
    env: {
      ...ofGateway,
      LOG_LEVEL: 'debug',
      SMTP_URL: mail.url,
      MAIL_FROM: 'Farebox <no-reply@farebox.example>',
      ADMIN_WALLETS: account.address,
      PROBE_INTERVAL_SECONDS: '1',
    },
  })
  secrets.TICKET_SIGNER_KEY = on.chain.ticketSignerKey
})
afterAll(async () => {
  await on.stop()
  await Promise.all([mail.stop(), upstream.stop()])
})

async function sign(path: string, method: string): Promise<{ message: string; signature: string }> {
  const { body } = await api(method, path)
  const message: string = body.challenge
  return { message, signature: await account.signMessage({ message }) }
}

async function signIn(): Promise<void> {
  const { address } = account
  const signed = await sign(`/auth/challenge?address=${address}`, 'GET')
  const { body } = await api('POST', '/auth/verify', { address, ...signed })
  person.token = body.token
  Object.assign(secrets, { key, session: body.token, signature: signed.signature })
}

async function verifyEmail(): Promise<void> {
  const email = 'ada@example.com'
  const signed = await sign('/auth/me/profile/challenge', 'POST')
  secrets.profileSignature = signed.signature
  expect((await api('PUT', '/auth/me/profile', { ...signed, email })).status).toBe(200)
  await until('the code is mailed', () => mail.mails(email).length > 0)
  const code = /\d{6}/.exec(mail.mails(email)[0]?.subject ?? '')?.[0] ?? ''
  secrets.emailCode = code
  const wrong = code === '000000' ? '111111' : '000000'
  await api('POST', '/auth/email/verify-code', { email, code: wrong })
  expect((await api('POST', '/auth/email/verify-code', { email, code })).status).toBe(200)
}

async function provide(): Promise<string> {
  secrets.upstreamHeader = `key-${randomBytes(20).toString('hex')}`
  const { body } = await api('POST', '/services', {
    serviceName: 'Weather',
    pricing: { currency: 'USDC', amount: PRICE_USDC },
    upstreamHeaders: { 'x-api-key': secrets.upstreamHeader },
    invoke: { method: 'POST', targets: [{ url: upstream.url }] },
  })
  const issued = await api('POST', '/secrets/provider/issue', { name: 'reports' })
  secrets.providerSecret = tokenIn(issued.body, /psk_\w+/)
  await ask('GET', '/api/v1/provider/services', {
    headers: { authorization: `Bearer ${secrets.providerSecret}` },
  })
  const webhook = await api('POST', '/webhooks', {
    url: `${upstream.url}hook`,
    events: ['withdrawal.updated'],
  })
  secrets.webhookSecret = tokenIn(webhook.body, /whsec_[\w+/=]+/)
  await api('POST', `/webhooks/${webhook.body.webhook.id}/test`)
  const signing = await api('POST', '/secrets/signing')
  const rotated = await api('POST', '/secrets/signing/rotate', { overlapSeconds: 0 })
  secrets.signingSecret = tokenIn(signing.body, /sigsec_[\w+/=]+/)
  secrets.nextSigningSecret = tokenIn(rotated.body, /sigsec_[\w+/=]+/)
  const change = { signature: 'hmac-sha256' }
  expect((await api('PUT', `/services/${body.serviceId}`, change)).status).toBe(200)
  return body.serviceId
}

async function pay(serviceId: string): Promise<void> {
  await deposit(on, person, '5')
  const issued = await api('POST', '/credentials/agent/issue', { name: 'agent' })
  secrets.agentToken = tokenIn(issued.body, /agt_\w+/)
  const invoke = (token: string, more: object = {}) =>
    api(
      'POST',
      '/agent/invoke',
      { serviceId, costUsdc: PRICE_USDC, payload: { body: { q: 1 } }, ...more },
      { 'x-credential': token, authorization: '' },
    )
  expect((await invoke(secrets.agentToken)).status).toBe(200)
  upstream.respondWith((_, response) => sendJson(response, 500, { sorry: true }))
  expect((await invoke(secrets.agentToken)).status).toBe(502)
  upstream.respondWith((_, response) => sendJson(response, 200, {}))
  const rotated = await api('POST', `/credentials/agent/${issued.body.credential.credential_id}/rotate`, {})
  secrets.rotatedToken = tokenIn(rotated.body, /agt_\w+/)
  expect((await invoke(secrets.agentToken)).status).toBe(401)
  await ask('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${secrets.rotatedToken}` },
    body: { model: serviceId, messages: [{ role: 'user', content: 'Hello.' }] },
  })
  await ask('POST', '/mcp', {
    headers: {
      authorization: `Bearer ${secrets.rotatedToken}`,
      accept: 'application/json, text/event-stream',
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
}

async function govern(): Promise<void> {
  const made = await api('POST', '/admin/vouchers', {
    amountUsdc: '1',
    count: 1,
    maxRedemptions: 1,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  })
  secrets.voucherCode = tokenIn(made.body, /FBX-[\w-]+/)
  expect((await api('POST', '/balance/vouchers/redeem', { voucherCode: secrets.voucherCode })).status).toBe(
    200,
  )
  await api('POST', '/admin/reconcile', {})
}

/** Requests that carry secrets where none belongs, and others that fail. */
async function blunder(): Promise<void> {
  const { agentToken = '', session = '', providerSecret = '', webhookSecret = '' } = secrets
  await api('GET', `/services/discover?query=${agentToken}&token=${session}`)
  await api('GET', `/nobody/${providerSecret}/${webhookSecret}`)
  await api('GET', `/agent/invocations/${agentToken}`)
  await api('GET', `/services/${session.slice(0, 150)}`)
  await api('GET', '/auth/me', undefined, { authorization: `Bearer ${agentToken}` })
  await api('GET', '/auth/me', undefined, { authorization: `Basic ${btoa(`ada:${session}`)}` })
  await api('GET', '/credentials/agent/list', undefined, { cookie: `session=${session}` })
  await ask('POST', '/api/v1/auth/verify', { raw: `{"signature": "${secrets.signature}", ` })
  await api('POST', '/auth/verify', { address: account.address, message: 'no', signature: secrets.signature })
  await api('POST', '/balance/vouchers/redeem', { voucherCode: `${secrets.voucherCode}X` })
  await api('POST', '/services', { serviceName: 1, upstreamHeaders: { 'x-api-key': secrets.upstreamHeader } })
  await api('POST', '/services', {
    serviceName: 'Echo',
    pricing: { currency: 'USDC', amount: '1' },
    invoke: { targets: [{ url: `http://user:${secrets.upstreamHeader}@127.0.0.1/` }] },
  })
  await ask('GET', '/metrics', { headers: { authorization: `Bearer ${secrets.METRICS_TOKEN}x` } })
}

/** Faults of our own side, in the middle of things. */
async function breakDown(): Promise<void> {
  const { rotatedToken = '' } = secrets
  await on.sql('alter table forum_topics rename to forum_topics_elsewhere')
  expect((await api('GET', '/forum/topics')).status).toBe(500)
  await on.sql('alter table forum_topics_elsewhere rename to forum_topics')
  await on.sql('alter table credentials rename to credentials_elsewhere')
  const lost = await api('POST', '/credentials/agent/issue', { name: rotatedToken })
  await on.sql('alter table credentials_elsewhere rename to credentials')
  expect(lost.status).toBe(500)
  await on.sql(
    // Of this database only: the other test files' gateways are on the same server.
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'farebox' and state = 'idle'`,
  )
  await until('the database is back', async () => (await api('GET', '/auth/me')).status === 200)
}

function tokenIn(body: unknown, pattern: RegExp): string {
  const token = pattern.exec(JSON.stringify(body))?.[0]
  if (token === undefined) throw new Error(`No ${pattern} in ${JSON.stringify(body)}`)
  return token
}

describe('failure 61: no secret in logs, errors or the database in clear', () => {
  let dump = ''
  beforeAll(async () => {
    await signIn()
    await verifyEmail()
    await pay(await provide())
    await govern()
    await blunder()
    await breakDown()
    expect((await api('POST', '/auth/logout')).status).toBe(200)
    await until('the webhook was told', async () => {
      const reported = await scrape(on, ofGateway.METRICS_TOKEN)
      return reported.value('farebox_webhook_attempts_total', { outcome: 'delivered' }) > 0
    })
    dump = await dumpDatabase(on)
  }, 60_000)

  test('the scenario has issued a secret of every kind', () => {
    expect(Object.values(secrets).filter(secret => secret === '')).toEqual([])
    expect(Object.keys(secrets).sort()).toEqual(
      [
        'signingSecret',
        'nextSigningSecret',
        'ENCRYPTION_KEY',
        'JWT_SECRET',
        'METRICS_TOKEN',
        'TICKET_SIGNER_KEY',
        'agentToken',
        'emailCode',
        'key',
        'profileSignature',
        'providerSecret',
        'rotatedToken',
        'session',
        'signature',
        'upstreamHeader',
        'voucherCode',
        'webhookSecret',
      ].sort(),
    )
  })

  test('its mails and webhooks were counted', async () => {
    const reported = await scrape(on, ofGateway.METRICS_TOKEN)
    expect(reported.value('farebox_mails_total')).toBe(
      reported.value('farebox_mails_total', { outcome: 'sent' }),
    )
    expect(reported.value('farebox_mails_total')).toBe(mail.mails('ada@example.com').length)
    const isDone = { task: 'mail-verification-code', outcome: 'done' }
    expect(reported.value('farebox_queue_attempts_total', isDone)).toBe(1)
  })

  test('the search finds each of them, in every form', () => {
    for (const [name, secret] of Object.entries(secrets)) {
      const bytes = Buffer.from(secret)
      const forms = [secret, bytes.toString('hex').toUpperCase(), `"${bytes.toString('base64')}"`]
      // Six digits are looked for as such.
      for (const form of name === 'emailCode' ? [secret, `"${secret}"`] : forms) {
        expect(found(`{"a": "b"} ${form} c`)).toContain(name)
      }
    }
    const issued = answers.filter(({ text }) => found(text).length > 0).map(({ request }) => request)
    expect(issued).toContain('POST /api/v1/credentials/agent/issue')
    expect(issued).toContain('POST /api/v1/webhooks')
  })

  test('none is in the log, at debug level, even before redaction', () => {
    const text = kept.text()
    expect(kept.lines.length).toBeGreaterThan(30)
    for (const level of ['info', 'warn', 'error'])
      expect(kept.lines.some(line => line.level === level)).toBe(true)
    expect(found(text)).toEqual([])
    expect(kept.lines.filter(line => JSON.stringify(line).includes('[redacted]'))).toEqual([])
  })

  test('none is in the database in clear: as text, as bytes or in base64', () => {
    expect(dump).toContain(account.address.toLowerCase())
    expect(dump.length).toBeGreaterThan(10_000)
    expect(found(dump)).toEqual([])
    // Of the keys that sign requests to providers neither, in PKCS #8 or as a JWK.
    expect(dump).not.toMatch(/MC4CAQAwBQYDK2Vw|302e020100300506032b6570|"d" ?:/)
  })

  test('none is in any answer except the one that issues it', () => {
    const mayReport: Readonly<Record<string, readonly string[]>> = {
      'POST /api/v1/auth/verify': ['session'],
      'POST /api/v1/credentials/agent/issue': ['agentToken'],
      'POST /api/v1/secrets/provider/issue': ['providerSecret'],
      'POST /api/v1/webhooks': ['webhookSecret'],
      'POST /api/v1/secrets/signing': ['signingSecret'],
      'POST /api/v1/secrets/signing/rotate': ['nextSigningSecret'],
      'POST /api/v1/admin/vouchers': ['voucherCode'],
      'POST /api/v1/balance/vouchers/redeem': ['voucherCode'],
    }
    const reported = answers.flatMap(({ request, status, text }) => {
      const rotated = request.endsWith('/rotate') ? ['rotatedToken'] : []
      const may = status === 200 ? (mayReport[request] ?? rotated) : []
      return found(text)
        .filter(name => !may.includes(name))
        .map(name => `${name} in ${status} of ${request}`)
    })
    expect(reported).toEqual([])
  })

  test('every line of a request has its id, and every request has exactly one access line', () => {
    const homeless = kept.lines.filter(
      ({ requestId, job, msg }) => requestId === undefined && job === undefined && !OF_NOBODY.test(msg),
    )
    expect(homeless).toEqual([])
    const access = kept.lines.filter(({ msg }) => msg === 'request')
    for (let id = 1; id <= asked; id += 1) {
      const lines = access.filter(({ requestId }) => requestId === `story-${id}`)
      expect([id, lines.length]).toEqual([id, 1])
    }
  })

  test('access lines name the operation and nothing that was sent', () => {
    const access = kept.lines.filter(({ msg }) => msg === 'request')
    const members = new Set(access.flatMap(line => Object.keys(line)))
    expect([...members].sort()).toEqual(
      [
        'code',
        'invocationId',
        'level',
        'method',
        'ms',
        'msg',
        'operation',
        'requestId',
        'status',
        'time',
      ].sort(),
    )
    const failed = access.find(({ operation, status }) => operation === 'invokeService' && status === 401)
    expect(failed).toMatchObject({ level: 'info', method: 'POST', code: 'CREDENTIAL_INVALID' })
  })

  test('an access line is at info for a refusal or failure, and at debug for a success', () => {
    const access = kept.lines.filter(({ msg }) => msg === 'request')
    const levels = (isMeant: (status: number) => boolean) =>
      new Set(access.filter(({ status }) => isMeant(Number(status))).map(({ level }) => level))
    expect(levels(status => status < 400)).toEqual(new Set(['debug']))
    expect(levels(status => status >= 400)).toEqual(new Set(['info']))
  })

  test('an internal fault is an error with its cause, without the values of any statement', () => {
    const [fault] = kept.lines.filter(({ level, msg }) => level === 'error' && msg === 'request failed')
    expect(fault).toMatchObject({
      code: 'INTERNAL',
      requestId: expect.stringMatching(/^story-/),
      err: { code: '42P01', message: expect.stringContaining('does not exist') },
    })
    expect(Object.keys(fault?.err as object).sort()).toEqual(['code', 'message', 'stack', 'type'])
  })
})

/** The names of the secrets that a text holds, in any of the forms that they may have there. */
function found(text: string): string[] {
  const lower = text.toLowerCase()
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (/^\d{6}$/.test(secret)) {
      // Six digits turn up in times, sums and ids; alone, they are a code.
      const alone = new RegExp(`(?<![\\w.:+-])${secret}(?![\\w.:-])`)
      return alone.test(text) ? [name] : []
    }
    const bare = secret.replace(/^0x/, '')
    const forms = [bare.toLowerCase(), Buffer.from(secret).toString('hex')]
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
    const bytes = /^[0-9a-f]+$/i.test(bare)
      ? Buffer.from(bare, 'hex').toString('base64').replace(/=+$/, '')
      : base64
    const isThere = forms.some(form => lower.includes(form)) || text.includes(base64) || text.includes(bytes)
    return isThere ? [name] : []
  })
}

/** Every row of every table, the queue's too, as text. */
async function dumpDatabase(gateway: TestGateway): Promise<string> {
  const tables = await gateway.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await gateway.sql<{ text: string }>(`select to_jsonb(t)::text as text from ${name} t`)
    texts.push(name, ...rows.map(({ text }) => text))
  }
  return texts.join('\n')
}
