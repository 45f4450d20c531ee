import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ErrorBody, ErrorCode } from '@farebox/wire/errors'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createMessageSigner } from '../../src/adapters/message-signer.ts'
import type { App } from '../../src/app.ts'
import { openKeyRing } from '../../src/domains/signing/open-key-ring.ts'
import { errorCodesOf, type Operation } from '../../src/http/openapi/contract.ts'
import { createTestDatabase } from '../kit/database/test-database.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type FaultProxy, startFaultProxy } from '../kit/network/database-proxy.ts'
import { type Callers, inviteCallers, type Presented } from '../kit/world/callers.ts'
import { newWallet } from '../kit/world/wallets.ts'

/** Small, so that a body that is too large is quickly sent. */
const REQUEST_BYTES_MAX = 4_096
const DEFECT = 'x-defect'
/** Longer than any of our path segments. */
const LONG_SEGMENT = 'a'.repeat(300)
const TOGETHER = 8
/** A walk is a second or three; a machine with much else to do may need its time. */
const WALK_TIMEOUT_MS = 120_000

let gateway: TestGateway
let proxy: FaultProxy
let callers: Callers
let stopped: Promise<void> | undefined

vi.setConfig({ testTimeout: WALK_TIMEOUT_MS })

beforeAll(async () => {
  const database = await createTestDatabase()
  proxy = await startFaultProxy(database.url)
  const admin = newWallet()
  gateway = await startTestGateway({
    database,
    env: {
      DATABASE_URL: proxy.url,
      ADMIN_WALLETS: admin.address,
      REQUEST_BYTES_MAX: String(REQUEST_BYTES_MAX),
    },
    extraRoutes: addDefect,
  })
  callers = await inviteCallers(gateway, admin)
})
afterAll(async () => {
  await (stopped ?? gateway.stop())
  await proxy.stop()
})

const operations = () => gateway.gateway.operations.all
const takesBody = ({ method }: Operation) => method !== 'GET'
const urlOf = ({ url }: Operation, segment = 'none') =>
  `${gateway.url}${url.replaceAll(/:[A-Za-z]+/g, segment)}`

/** Makes every operation fail with an internal error, on demand. */
function addDefect(app: App): void {
  app.addHook('onRequest', async request => {
    if (request.headers[DEFECT] !== undefined) throw new Error('A defect.')
  })
}

async function ask(operation: Operation, headers: Presented, body?: string): Promise<Response> {
  const { method } = operation
  const answer = await fetch(urlOf(operation), { method, headers, ...(body !== undefined && { body }) })
  await answer.arrayBuffer()
  return answer
}

/** Runs work for every operation, a few at a time. */
async function each(of: readonly Operation[], work: (operation: Operation) => Promise<void>): Promise<void> {
  const left = [...of]
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: TOGETHER }, worker))
}

/** Operations that have not answered a code that comes with what they are. */
function without(codesOf: (operation: Operation) => readonly ErrorCode[]): string[] {
  return operations().flatMap(operation => {
    const own = new Set(operation.contract.errors)
    return codesOf(operation)
      .filter(code => !own.has(code) && errorCodesOf(operation).includes(code))
      .map(code => `${operation.contract.id} ${code}`)
      .filter(cell => !gateway.observer.seen.has(cell))
  })
}

test('refuses unauthorised callers with the reason', async () => {
  await each(operations(), async operation => {
    for (const presented of callers.refused) {
      // Admitted callers would execute it: another test's matter.
      if (operation.contract.access === 'public') return
      if (isAdmitted(operation, presented)) continue
      const { status } = await ask(operation, presented)
      expect([401, 403, 429], `${operation.contract.id}`).toContain(status)
    }
  })
  expect(
    without(() => [
      ...(['UNAUTHORIZED', 'WALLET_SUSPENDED', 'FORBIDDEN', 'CREDENTIAL_INVALID', 'RATE_LIMITED'] as const),
      ...(['CREDENTIAL_INACTIVE', 'PROVIDER_SECRET_INVALID'] as const),
    ]),
  ).toEqual([])
})

test('refuses an agent credential as a session at every operation of an owner', async () => {
  const owners = operations().filter(({ contract }) => contract.access === 'wallet')
  expect(owners.length).toBeGreaterThan(0)
  const agent = { authorization: `Bearer ${callers.admitted.agent['x-credential']}` }
  await each(owners, async operation => {
    expect([operation.contract.id, (await ask(operation, agent)).status]).toEqual([
      operation.contract.id,
      401,
    ])
  })
})

test('refuses an agent token at every operation of an owner or an admin, in any header', async () => {
  const token = callers.admitted.agent['x-credential'] ?? ''
  expect(token).toMatch(/^agt_/)
  const owners = operations().filter(({ contract: { access } }) => access === 'wallet' || access === 'admin')
  expect(owners.length).toBeGreaterThan(30)
  await each(owners, async operation => {
    for (const presented of [
      { authorization: `Bearer ${token}` },
      { 'x-credential': token },
      { 'x-api-key': token },
    ]) {
      const { method, contract } = operation
      const answer = await fetch(urlOf(operation), { method, headers: presented })
      const { code } = (await answer.json()) as ErrorBody
      // Limits by address come first there.
      expect(['UNAUTHORIZED', 'RATE_LIMITED'], `${contract.id} ${answer.status}`).toContain(code)
    }
  })
})

/** True if a request that is refused elsewhere would be admitted here. */
function isAdmitted({ contract: { access } }: Operation, presented: Presented): boolean {
  const { admitted } = callers
  const isOwner = presented.authorization === admitted.wallet.authorization
  const isNobody = Object.keys(presented).length === 0
  if (access === 'wallet' || access === 'agentOrWallet') return isOwner && !isNobody
  // A token that is not valid counts as none there.
  return access === 'anyone' && presented.authorization !== callers.suspended.authorization
}

test('refuses an unreadable body before doing anything', async () => {
  const json = { 'content-type': 'application/json' }
  await each(operations().filter(takesBody), async operation => {
    const presented = callers.admitted[operation.contract.access]
    await ask(operation, { ...presented, ...json }, JSON.stringify('a'.repeat(REQUEST_BYTES_MAX)))
    await ask(operation, { ...presented, 'content-type': 'text/plain' }, 'a')
    await ask(operation, { ...presented, ...json }, '{"a":')
    if (operation.schema.body !== undefined) await ask(operation, { ...presented, ...json }, '"a"')
  })
  expect(
    without(operation =>
      takesBody(operation)
        ? [
            ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
            ...(operation.schema.body === undefined
              ? []
              : [operation.contract.invalidBodyCode ?? 'INVALID_PAYLOAD']),
          ]
        : [],
    ),
  ).toEqual([])
})

test("refuses the gateway's own calls wherever they could be paid", async () => {
  const ring = await openKeyRing(gateway.gateway.deps)
  const sign = createMessageSigner(ring.current, Date.now)
  const looping = operations().filter(operation => errorCodesOf(operation).includes('LOOP_DETECTED'))
  await each(looping, async operation => {
    const { method, contract } = operation
    const headers = { 'farebox-invocation-id': 'inv_1' }
    const flat = sign({ method, targetUri: urlOf(operation), headers, body: null })
    const signature = Object.fromEntries(
      Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(2 * at, 2 * at + 2)),
    )
    const presented = callers.admitted[contract.access]
    expect((await ask(operation, { ...presented, ...headers, ...signature })).status, contract.id).toBe(508)
  })
  expect(without(() => ['LOOP_DETECTED'])).toEqual([])
})

test('refuses a page size that is not a number', async () => {
  const paged = operations().filter(({ schema }) => 'limit' in ((schema.querystring as Shaped)?.shape ?? {}))
  expect(paged.length).toBeGreaterThan(0)
  await each(paged, async operation => {
    const presented = callers.admitted[operation.contract.access]
    const answer = await fetch(`${urlOf(operation)}?limit=many`, { headers: presented })
    await answer.arrayBuffer()
    expect(answer.status, operation.contract.id).toBe(400)
  })
})

test('answers 404 for an impossible path, and refuses an unreadable one', async () => {
  const withParams = operations().filter(({ schema }) => schema.params !== undefined)
  await each(withParams, async operation => {
    const { method, contract } = operation
    const presented = callers.admitted[contract.access]
    for (const [segment, code] of [
      [LONG_SEGMENT, 'NOT_FOUND'],
      ['%ff', 'INVALID_REQUEST'],
    ] as const) {
      const answer = await fetch(urlOf(operation, segment), { method, headers: presented })
      expect(((await answer.json()) as ErrorBody).code, `${contract.id} ${segment}`).toBe(code)
      gateway.observer.note(contract.id, code)
    }
  })
})

test('answers anything but HTTP with an error', async () => {
  await each(operations(), async ({ method, url, contract }) => {
    const answer = await exchange(`${method} ${url} HTTP/1.1\r\nhost: x\r\nno header\r\n\r\n`)
    expect(answer, contract.id).toContain('"code":"INVALID_REQUEST"')
    gateway.observer.note(contract.id, 'INVALID_REQUEST')
  })
})

test('reports an internal error without details', async () => {
  await each(operations(), async operation => {
    const { method } = operation
    const answer = await fetch(urlOf(operation), { method, headers: { [DEFECT]: '1' } })
    expect([answer.status, await answer.text()], operation.contract.id).toEqual([
      500,
      expect.not.stringContaining('A defect'),
    ])
  })
  expect(without(() => ['INTERNAL'])).toEqual([])
})

test('never fails with an internal error without its database', async () => {
  proxy.refuse()
  await each(operations(), async operation => {
    const presented = callers.admitted[operation.contract.access]
    const { status } = await ask(operation, presented)
    expect([200, 400, 401, 404, 415, 503], `${operation.contract.id}: ${status}`).toContain(status)
  })
  proxy.pass()
})

test('reports that the gateway is stopping', async () => {
  const begun: Socket[] = []
  for (const { method, url } of operations()) {
    const socket = open()
    begun.push(socket)
    socket.write(`${method} ${url.replaceAll(/:[A-Za-z]+/g, 'none')} HTTP/1.1\r\nhost: x\r\n`)
  }
  await Promise.all(begun.map(socket => once(socket, 'connect')))
  // Everything sent before has arrived when a later connection has its answer.
  await exchange('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  stopped = gateway.stop()
  await new Promise(setImmediate)
  const answers = begun.map(readAll)
  for (const socket of begun) socket.write('\r\n')
  for (const answer of await Promise.all(answers)) expect(answer).toContain('UNAVAILABLE')
  await stopped
  expect(without(() => ['UNAVAILABLE'])).toEqual([])
})

type Shaped = { readonly shape?: Readonly<Record<string, unknown>> } | undefined

function open(): Socket {
  const { hostname, port } = new URL(gateway.url)
  return connect(Number(port), hostname).setEncoding('utf8')
}

function exchange(request: string): Promise<string> {
  const socket = open()
  socket.write(request)
  return readAll(socket)
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
