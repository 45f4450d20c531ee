import { parseUsdc } from '@farebox/money'
import { tokenDigest } from '@farebox/wire/tokens'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/gateway.ts'
import { startProvider, type TestProvider } from '../../../test/provider.ts'
import { send } from '../../../test/wallets.ts'
import { arrive, invoke, mint, ownerWith, type Person, post, register, until } from '../../../test/world.ts'
import type { Db } from '../../ports.ts'
import type { Admission, HoldRequest } from './admit.ts'
import { type CallLedger, createCallLedger, type Settled } from './commit-calls.ts'
import type { Metering } from './metering-rules.ts'
import { NOTHING, type Settlement } from './rules.ts'

const PRICE_USDC = '0.010000'
const PRICE = parseUsdc(PRICE_USDC)
const ROOM = { placesMax: 100, waitMsMax: 1_000 }

/** A batch that reads sends this statement; one that remembers does not. */
const READS = 'budgets_lock_credentials'

let other: TestGateway
let upstream: TestProvider
let provider: Person
let owner: Person
let credential: { token: string; id: string }
let serviceId: string
let calls: CallLedger
let statements: string[]
let made = 0
let losses = 0

beforeAll(async () => {
  other = await startTestGateway()
  upstream = await startProvider()
  provider = await arrive(other)
})
afterAll(async () => {
  await upstream.stop()
  await other.stop()
})
beforeEach(async () => {
  owner = await ownerWith(other, '0.05')
  credential = await mint(other, owner)
  serviceId = await register(other, provider, { targets: [upstream.url], priceUsdc: PRICE_USDC })
  statements = []
  const { batchDb, config, ids, instanceId, clock, metrics } = other.gateway.deps
  calls = createCallLedger(
    { batchDb: watched(batchDb), databaseLosses: () => losses, config, ids, instanceId, clock, metrics },
    { monthlyDefault: parseUsdc('1000'), lowBalance: parseUsdc('1'), lanes: 1, room: ROOM },
  )
})
afterEach(() => other.assertBooks())

/** A database that tells the names of its statements. */
function watched(db: Db): Db {
  return {
    query: statement => db.query(statement),
    transaction: work =>
      db.transaction(tx =>
        work({
          inTransaction: true,
          query: statement => {
            statements.push(statement.name ?? '')
            return tx.query(statement)
          },
        }),
      ),
  }
}

/** Calls until both steps are decided on what is remembered, after a memory that was wrong. */
async function warmUpAgain(): Promise<void> {
  await until('rows are remembered again', async () => (await call()).remembered.every(Boolean))
}

async function request(more: Partial<HoldRequest> = {}): Promise<HoldRequest> {
  made += 1
  const number = made
  const [service] = await other.sql<{ version: string }>('select version from services where id = $1', [
    serviceId,
  ])
  const invocationId = `inv_memory${number}`
  return {
    ...{ invocationId, credentialId: credential.id, owner: owner.account.address.toLowerCase() },
    ...{ idempotencyKey: invocationId, requestHash: Buffer.alloc(32, number), counted: null },
    tokenDigest: tokenDigest(credential.token),
    quote: { serviceId, provider: provider.account.address.toLowerCase(), hold: PRICE, metering: null },
    service: { id: serviceId, version: BigInt(service?.version ?? 0), names: [serviceId] },
    ...more,
  }
}

function settlementOf(
  held: HoldRequest,
  admission: Admission,
): Extract<Settlement, { readonly answer: unknown }> {
  if (admission.kind !== 'held') throw new Error(`The call is ${admission.kind}.`)
  return {
    ...{ invocationId: held.invocationId, credentialId: held.credentialId, owner: held.owner },
    ...{
      provider: provider.account.address.toLowerCase(),
      serviceId,
      hold: PRICE,
      drawnAt: admission.drawnAt,
    },
    ...{ from: 'PENDING', status: 'SUCCEEDED', charge: PRICE, fee: NOTHING.fee, errorCode: null },
    ...{ latencyMs: 1, attempts: 1, recording: null, metered: null, answer: { httpStatus: 200, body: '{}' } },
  }
}

/** One whole call; whether its hold and its settlement were decided on what was remembered. */
async function call(): Promise<{ admission: Admission; settled: Settled; remembered: boolean[] }> {
  const held = await request()
  statements = []
  const admission = await calls.hold(held)
  const isHoldRemembered = !statements.includes(READS)
  statements = []
  const settled = await calls.settle(settlementOf(held, admission))
  return { admission, settled, remembered: [isHoldRemembered, !statements.includes(READS)] }
}

/** Calls until both steps are decided on what is remembered. */
async function warmUp(): Promise<void> {
  expect((await call()).remembered[0]).toBe(false)
  expect(await call()).toMatchObject({ settled: { kind: 'settled', isNew: true }, remembered: [true, true] })
}

const code = (admission: Admission) =>
  admission.kind === 'refused' ? [admission.error.code, admission.error.context.limit] : [admission.kind]

test('rows that this gateway wrote last are not read again', async () => {
  await warmUp()
  expect((await call()).remembered).toEqual([true, true])
})

test('nothing is remembered past a loss of the database', async () => {
  await warmUp()
  losses += 1
  expect((await call()).remembered[0]).toBe(false)
})

test('money that somebody else has spent meanwhile is not spent again', async () => {
  await warmUp()
  for (const left of [3, 2, 1]) {
    const answer = await invoke(other, credential, { serviceId, costUsdc: PRICE_USDC, payload: {} })
    expect([left, answer.status]).toEqual([left, 200])
  }
  expect(code(await calls.hold(await request()))).toEqual(['BUDGET_EXHAUSTED', 'owner_balance'])
})

test('a limit that was lowered meanwhile binds the very next call', async () => {
  await warmUp()
  const body = { perCallLimitUsdc: '0.005' }
  const changed = await send(other.url, '/api/v1/balance/spending-limit', {
    method: 'PUT',
    token: owner.token,
    body,
  })
  expect(changed.status).toBe(200)
  expect(code(await calls.hold(await request()))).toEqual(['BUDGET_EXHAUSTED', 'policy_per_call'])
})

test('a credential that was revoked meanwhile is refused', async () => {
  await warmUp()
  await post(other, `/credentials/agent/${credential.id}/revoke`, { token: owner.token, body: {} })
  expect(code(await calls.hold(await request()))[0]).toBe('CREDENTIAL_INACTIVE')
})

test('a service that was changed or switched off meanwhile is quoted anew', async () => {
  await warmUp()
  const quoted = await request()
  const path = `/api/v1/services/${serviceId}`
  await send(other.url, path, { method: 'PUT', token: provider.token, body: { isActive: false } })
  expect((await calls.hold(quoted)).kind).toBe('requote')
})

test('a key that somebody else has used meanwhile is known', async () => {
  await warmUp()
  const paid = await invoke(other, credential, {
    ...{ serviceId, costUsdc: PRICE_USDC, payload: {}, idempotencyKey: 'elsewhere' },
  })
  expect(paid.status).toBe(200)
  const admission = await calls.hold(await request({ idempotencyKey: 'elsewhere' }))
  expect(code(admission)[0]).toBe('IDEMPOTENCY_CONFLICT')
})

test('a call that was ended meanwhile is not ended again', async () => {
  await warmUp()
  const held = await request()
  const settlement = settlementOf(held, await calls.hold(held))
  const elsewhere = createCallLedger(other.gateway.deps, {
    monthlyDefault: parseUsdc('1000'),
    lowBalance: parseUsdc('1'),
    lanes: 1,
    room: ROOM,
  })
  const released = {
    ...settlement,
    ...NOTHING,
    status: 'FAILED_RETRYABLE',
    errorCode: 'GATEWAY_INTERRUPTED',
  } as const
  expect(await elsewhere.settle(released)).toEqual({ kind: 'settled', isNew: true })
  expect(await calls.settle(settlement)).toMatchObject({
    kind: 'lost',
    state: { status: 'FAILED_RETRYABLE' },
  })
})

test('a call that was ended meanwhile comes to wait for no usage, and its neighbours in the batch are held', async () => {
  owner = await ownerWith(other, '5')
  credential = await mint(other, owner)
  await warmUp()
  const metering: Metering = {
    inputPricePer1M: PRICE,
    outputPricePer1M: PRICE,
    cacheReadPricePer1M: null,
    cacheWritePricePer1M: null,
    maxInputTokens: 2_000,
    maxOutputTokens: 10,
    preAuthMode: 'explicit',
    isStreamed: false,
  }
  const quote = { serviceId, provider: provider.account.address.toLowerCase(), hold: PRICE, metering }
  const held = await request({ quote })
  const { answer: _, metered: __, ...open } = settlementOf(held, await calls.hold(held))
  const elsewhere = createCallLedger(other.gateway.deps, {
    ...{ monthlyDefault: parseUsdc('1000'), lowBalance: parseUsdc('1'), lanes: 1, room: ROOM },
  })
  const answer = { httpStatus: 503, body: '{}' }
  const released = { ...open, ...NOTHING, status: 'FAILED_RETRYABLE', errorCode: 'X', answer } as const
  expect((await elsewhere.settle({ ...released, metered: null })).kind).toBe('settled')
  // What was wrong is seen by the next batch, which reads; the one after it remembers again.
  await warmUpAgain()

  const neighbour = await request()
  const waits = {
    ...open,
    ...NOTHING,
    status: 'PROCESSING',
    reason: 'usage_missing',
    pendingResult: null,
  } as const
  const [admission, settled] = await Promise.all([calls.hold(neighbour), calls.settle(waits)])
  expect(settled).toMatchObject({ kind: 'lost', state: { status: 'FAILED_RETRYABLE' } })
  expect(admission.kind).toBe('held')
  await calls.settle(settlementOf(neighbour, admission))
})

test('a refusal is decided on what is read', async () => {
  await warmUp()
  const tooMuch = { serviceId, provider: '0xb', hold: parseUsdc('1'), metering: null }
  statements = []
  expect(code(await calls.hold(await request({ quote: tooMuch })))).toEqual([
    'BUDGET_EXHAUSTED',
    'owner_balance',
  ])
  expect(statements).toContain(READS)
})

test('a known key beside a new call is known, although it could not be paid again', async () => {
  await warmUp()
  const paid = await request()
  await calls.settle(settlementOf(paid, await calls.hold(paid)))
  const repeated: HoldRequest = {
    ...paid,
    invocationId: (await request()).invocationId,
    quote: { serviceId, provider: '0xb', hold: parseUsdc('1'), metering: null },
  }
  const others = [await request(), await request()]
  const admissions = await Promise.all([...others, repeated].map(each => calls.hold(each)))
  expect(admissions.map(code)).toEqual([['held'], ['held'], ['known']])
})

test('calls at once, on memory and not, take exactly what is there', async () => {
  await warmUp()
  const requests = await Promise.all(Array.from({ length: 12 }, () => request()))
  const admissions = await Promise.all(requests.map(one => calls.hold(one)))
  const kinds = admissions.map(({ kind }) => kind)
  expect(kinds.filter(kind => kind === 'held')).toHaveLength(3)
  const open = requests.filter((_, index) => kinds[index] === 'held')
  const settled = await Promise.all(
    open.map((held, index) => {
      const admission = admissions.filter(({ kind }) => kind === 'held')[index]
      return admission === undefined ? null : calls.settle(settlementOf(held, admission))
    }),
  )
  expect(settled.every(outcome => outcome?.kind === 'settled')).toBe(true)
})
