import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createInvocations } from '../../src/domains/invocation/create-invocations.ts'
import { recoverCalls } from '../../src/domains/invocation/recovery/recover-calls.ts'
import { createServiceDirectory } from '../../src/domains/services/find-callable.ts'
import { lockLedger } from '../kit/database/row-locks.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { chatBody, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { CHARGE, EVENTS, type RawModel, sends, startRawModel, WHOLE } from '../kit/llm/raw-model.ts'
import { report } from '../kit/llm/shapes.ts'
import { type Listener, listen } from '../kit/llm/stream-listener.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { balanceOf, countStatuses, invoke, issueSecret, mint } from '../kit/world/world.ts'

const FUNDS = 1_000_000n
/** Maximum runs of a race until one of its outcomes. */
const RACES_MAX = 5
const SECRETS = { JWT_SECRET: 'a'.repeat(64), ENCRYPTION_KEY: 'b'.repeat(64) }

/** Two gateways on one database, with leases of a second, and a model. */
let market: LlmMarket
let second: TestGateway
let raw: RawModel
beforeAll(async () => {
  const env = { ...SECRETS, LEASE_SECONDS: '1' }
  market = await openLlmMarket({ env })
  second = await startTestGateway({ env, share: market })
  raw = await startRawModel(market)
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await raw.stop()
  await second.stop()
  await market.stop()
})

const callOf = (idempotencyKey: string) => ({
  serviceId: raw.service,
  idempotencyKey,
  payload: { body: chatBody({ stream: true }) },
})
const calls = (payer: Payer) =>
  market.sql<{ id: string; status: string; charged: string }>(
    'select id, status, charged::text from invocations where credential_id = $1',
    [payer.id],
  )

describe('a stream that is longer than the lease', () => {
  /** Waits until leases have been renewed, and swept for, over more than two leases' time. */
  const untilAged = (payer: Payer) =>
    until('the call is older than two leases', async () => {
      const rows = await market.sql(
        `select 1 from invocations where credential_id = $1 and drawn_at < now() - interval '2.5 seconds'`,
        [payer.id],
      )
      return rows.length > 0
    })

  test('is never swept, by any gateway, with its caller or without', async () => {
    const payer = await newPayer(market, '1')
    raw.begin()
    const gateways = [market, second]
    const stays = gateways.map((on, index) => listen(on, payer, callOf(`stays ${index}`)))
    const leaves = gateways.map((on, index) => listen(on, payer, callOf(`leaves ${index}`)))
    await raw.untilOpen(4)
    await until('all have begun', () => [...stays, ...leaves].every(caller => caller.text() !== ''))
    for (const caller of leaves) caller.leave()
    await untilAged(payer)
    expect((await calls(payer)).map(({ status }) => status)).toEqual(Array(4).fill('PENDING'))
    for (const { response } of raw.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
    await Promise.all(stays.map(({ over }) => over))
    for (const caller of stays) expect(caller.text().endsWith('data: [DONE]\n\n')).toBe(true)
    await until('all are charged', async () =>
      (await calls(payer)).every(
        ({ status, charged }) => status === 'SUCCEEDED' && BigInt(charged) === CHARGE,
      ),
    )
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - 4n * CHARGE, held: 0n })
  })
})

describe('two gateways on one database', () => {
  test('failure 4: turn the same streamed key in parallel into one call of the model', async () => {
    const payer = await newPayer(market, '1')
    const before = raw.calls.length
    raw.respondWith(sends(WHOLE))
    const twins = await Promise.all(
      Array.from({ length: 16 }, (_, turn) =>
        invokeStream(turn % 2 === 0 ? market : second, payer, callOf('k')),
      ),
    )
    expect(twins.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(raw.calls.length - before).toBe(1)
    const [replay, other] = await Promise.all(
      [market, second].map(on => invokeStream(on, payer, callOf('k'))),
    )
    expect(replay?.text).toBe(other?.text)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
  })

  test('failures 1, 2, 3, 16: admit no more metered calls than caps and balance cover', async () => {
    const payer = await newPayer(market, '1', { maxCalls: 5 })
    const other = await mint(market, payer.owner, { creditLimit: '0.0012' })
    raw.respondWith(sends(WHOLE))
    const call = { ...callOf('k'), idempotencyKey: undefined, maxCostUsdc: '0.001' }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        invoke(turn % 2 === 0 ? market : second, turn % 4 < 2 ? payer : other, {
          ...call,
          payload: { body: chatBody({ stream: false }) },
        }),
      ),
    )
    // The model streams although no stream was requested: none of these has a readable answer.
    expect(countStatuses(answers)[200]).toBeUndefined()
    const held = await balanceOf(market, payer.owner)
    const admitted = (await calls(payer)).length + (await calls({ ...payer, id: other.id })).length
    expect(await calls(payer)).toHaveLength(5)
    expect(await calls({ ...payer, id: other.id })).toHaveLength(1)
    expect(held.held).toBe(BigInt(admitted) * 1_000n)
  })

  test('count reports of one call at both once', async () => {
    const payer = await newPayer(market, '1')
    raw.respondWith(sends(EVENTS.chunk))
    await invokeStream(market, payer, callOf('k'))
    const [call] = await calls(payer)
    expect(call?.status).toBe('PROCESSING')
    const secret = await issueSecret(market, market.provider)
    const sent = Array.from({ length: 12 }, (_, turn) =>
      report(turn % 2 === 0 ? market : second, secret, {
        invocationId: call?.id ?? '',
        usage: { inputTokens: 10, outputTokens: 1 + (turn % 3) },
      }),
    )
    const answers = countStatuses(await Promise.all(sent))
    expect(answers).toEqual({ 200: 4, 409: 8 })
    const [ended] = await calls(payer)
    expect(ended?.status).toBe('SUCCEEDED')
    const balance = await balanceOf(market, payer.owner)
    expect(balance.available).toBe(FUNDS - BigInt(ended?.charged ?? 0))
    expect(balance.held).toBe(0n)
  })
})

describe('failure 7: the capture of a stream whose gateway is presumed dead', () => {
  /**
   * Makes the second gateway look for calls of the first, as if that had given up its lease.
   *
   * @param times maximum attempts until it has found some: the gateways look for them too
   */
  const sweep = async (times: number) => {
    const { deps } = second.gateway
    const sweeper = createInvocations({ ...deps, directory: createServiceDirectory(deps) })
    for (let turn = 0; turn < times; turn += 1) {
      await market.sql("update open_calls set instance_id = 'gw_gone'")
      if ((await recoverCalls(sweeper)) > 0) return
    }
  }

  const lockOf = (payer: Payer) => lockLedger(market.database.url, payer.owner)
  const finishStreams = () => {
    for (const { response } of raw.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
  }

  test('after the sweep is lost: the stream ends with an error, nothing is charged', async () => {
    const payer = await newPayer(market, '1')
    raw.begin()
    const caller = listen(market, payer, callOf('k'))
    await raw.untilOpen(1)
    await until('it has begun', () => caller.text() !== '')
    const lock = await lockOf(payer)
    const sweeping = sweep(20)
    await untilBlocked(market, 1)
    finishStreams()
    await untilBlocked(market, 2)
    await lock.release()
    await sweeping
    await caller.over
    await expectLost(payer, caller)
    const replay = await invokeStream(second, payer, callOf('k'))
    expect([replay.status, JSON.parse(replay.text).code]).toEqual([503, 'GATEWAY_INTERRUPTED'])
  })

  /** The sweep has released the call. */
  const expectLost = async (payer: Payer, caller: Listener) => {
    expect(caller.text()).toContain('event: error')
    expect(caller.text()).toContain('GATEWAY_INTERRUPTED')
    expect(caller.text()).not.toContain('[DONE]')
    expect(await calls(payer)).toMatchObject([{ status: 'FAILED_RETRYABLE' }])
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  }

  test('before the sweep stands', async () => {
    // Which of the two comes first is not ours to say: a capture that was decided on an outdated memory gives its locks
    // up, and comes again after the sweep.
    for (let attempt = 1; attempt <= RACES_MAX; attempt += 1) {
      const payer = await newPayer(market, '1')
      raw.begin()
      const caller = listen(market, payer, callOf('k'))
      await raw.untilOpen(1)
      await until('it has begun', () => caller.text() !== '')
      const lock = await lockOf(payer)
      finishStreams()
      await untilBlocked(market, 1)
      const sweeping = sweep(1)
      await lock.release()
      await sweeping
      await caller.over
      if (caller.text().endsWith('data: [DONE]\n\n')) {
        expect(await calls(payer)).toMatchObject([{ status: 'SUCCEEDED' }])
        expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
        return
      }
      await expectLost(payer, caller)
    }
    throw new Error('The sweep came first every time.')
  })
})
