import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../src/http/openapi/contract.ts'
import { type FuzzFixture, startFuzzFixture } from '../fuzz/fixture.ts'
import { post } from '../kit/network/http.ts'
import { newWallet, sessionFor } from '../kit/world/wallets.ts'
import { mint, ownerWith, register } from '../kit/world/world.ts'

// Broken object level authorization, for each operation: a stranger with all possible rights requests somebody else's
// records by their true ids.

/** Operations on others' records that are allowed to everybody: those of market and forum. */
const FOR_ALL = [
  'readService',
  'readMarketService',
  'readMarketHealth',
  'readModel',
  'getPaidResource',
  'callPaidResource',
  'readTopic',
  'createReply',
  'voteTopic',
  'unvoteTopic',
]

/** Operations of the contract that name a thing in their path, but for those of admins. */
const NAMING = Object.entries(readContract().paths).flatMap(([path, methods]) =>
  Object.values(methods)
    .filter(({ security }) => path.includes('{') && !security.some(way => 'adminToken' in way))
    .map(({ operationId }) => operationId),
)

type Contracts = { paths: Record<string, Record<string, { operationId: string; security: object[] }>> }
function readContract(): Contracts {
  return JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
}

let fixture: FuzzFixture
let stranger: { token: string; agent: string; secret: string }
beforeAll(async () => {
  fixture = await startFuzzFixture()
  const { on } = fixture
  const person = await ownerWith(on, '5')
  await register(on, person, { targets: ['http://127.0.0.1:9/'], priceUsdc: '0.01' })
  const { token } = person
  const issued = await post<{ secret: { secretKey: string } }>(on, '/secrets/provider/issue', {
    token,
    body: { name: 'server', rpm: 100_000 },
  })
  stranger = { token, agent: (await mint(on, person)).token, secret: issued.body.secret.secretKey }
})
afterAll(() => fixture.stop())

const rightsOf = ({ contract: { access } }: Operation): Readonly<Record<string, string>> => {
  if (access === 'agent' || access === 'agentOrWallet') return { 'x-credential': stranger.agent }
  return { authorization: `Bearer ${access === 'providerSecret' ? stranger.secret : stranger.token}` }
}

test("failure 59: another account's objects look nonexistent to a stranger, at every operation", async () => {
  const named = fixture.on.gateway.operations.all.filter(
    ({ contract: { id } }) => NAMING.includes(id) && !FOR_ALL.includes(id),
  )
  expect([...named.map(({ contract }) => contract.id), ...FOR_ALL].sort()).toEqual(NAMING.toSorted())
  const ask = async (operation: Operation, idFor: (name: string) => string) => {
    const example = operation.contract.exampleBody
    const path = operation.url.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => idFor(name))
    const takesBody = example !== undefined
    const answer = await fetch(fixture.on.url + path, {
      method: operation.method,
      headers: { ...rightsOf(operation), ...(takesBody && { 'content-type': 'application/json' }) },
      ...(takesBody && { body: JSON.stringify(example) }),
    })
    const { code } = (await answer.json()) as { code?: string }
    return { status: answer.status, code }
  }
  for (const operation of named) {
    const path = operation.url.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const theirs = await ask(operation, name => {
      const [id] = fixture.idsFor(path, name)
      expect(id, `${operation.contract.id} ${name}`).toBeDefined()
      return id ?? ''
    })
    const nobodys = await ask(operation, name => {
      const [id = ''] = fixture.idsFor(path, name)
      return id.replace(/.$/, last => (last === '0' ? '1' : '0'))
    })
    expect([operation.contract.id, theirs]).toEqual([operation.contract.id, nobodys])
    expect([operation.contract.id, theirs.status]).toEqual([operation.contract.id, 404])
  }
})

test('lists contain nothing of other accounts', async () => {
  const { on } = fixture
  const token = await sessionFor(on.gateway.deps, newWallet().address)
  const ids = ['credentials', 'secrets', 'invocations', 'deposits', 'webhooks', 'withdrawals'].flatMap(kind =>
    fixture.idsFor(`/${kind}`, kind === 'withdrawals' ? 'withdrawalId' : 'id'),
  )
  expect(ids.length).toBeGreaterThan(15)
  const lists = on.gateway.operations.all.filter(
    ({ method, schema, contract: { access } }) =>
      method === 'GET' && schema.params === undefined && (access === 'wallet' || access === 'anyone'),
  )
  expect(lists.length).toBeGreaterThan(10)
  for (const { url, contract } of lists) {
    const answer = await fetch(on.url + url, { headers: { authorization: `Bearer ${token}` } })
    const text = await answer.text()
    // Records that are unique may not exist for somebody new.
    expect([200, 404], contract.id).toContain(answer.status)
    expect([contract.id, ids.filter(id => text.includes(id))]).toEqual([contract.id, []])
  }
})
