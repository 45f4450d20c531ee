import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createInvocations } from '../../src/domains/invocation/create-invocations.ts'
import type { InvocationDeps } from '../../src/domains/invocation/invoke-service.ts'
import { adoptOrphans, renewLease } from '../../src/domains/invocation/records/store.ts'
import { recoverCalls } from '../../src/domains/invocation/recovery/recover-calls.ts'
import { createServiceDirectory } from '../../src/domains/services/find-callable.ts'
import type { Db, Deps } from '../../src/ports.ts'
import { lockLedger } from '../kit/database/row-locks.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { type Pair, startPair } from '../kit/gateway/gateway-pair.ts'
import { holdAnswers } from '../kit/provider/hold-answers.ts'
import { until } from '../kit/until.ts'
import { PRICE } from '../kit/world/sold-service.ts'
import { balanceOf, mint, ownerWith, type Person } from '../kit/world/world.ts'

const FUNDS = 1_000_000n
const CROWD = 40

/** The first gateway carries the calls; the second looks for those of one that gave its lease up. */
let pair: Pair
let sweeper: InvocationDeps

const sweeperOn = (deps: Deps) => createInvocations({ ...deps, directory: createServiceDirectory(deps) })

beforeAll(async () => {
  pair = await startPair({ LEASE_SECONDS: '3600' })
  sweeper = sweeperOn(pair.two.gateway.deps)
})
afterAll(() => pair.stop())
afterEach(() => pair.one.assertBooks())

/** Calls that wait at the provider while the database says that a gateway has them that is gone. */
async function callsOfADeadGateway(count: number) {
  const owner = await ownerWith(pair.one, '1')
  const agent = await mint(pair.one, owner)
  const held = holdAnswers(pair.upstream)
  const keys = Array.from({ length: count }, (_, index) => `k${index}`)
  const calls = keys.map(idempotencyKey => pair.call(pair.one, agent, { idempotencyKey }))
  await until('the provider has them', () => held.waiting() === count)
  await pair.one.sql("update open_calls set instance_id = 'gw_gone'")
  const lock = await lockLedger(pair.one.database.url, owner)
  const replay = (idempotencyKey: string) => pair.call(pair.two, agent, { idempotencyKey })
  return { owner, held, keys, calls, lock, replay }
}

const expectPaidFor = async (owner: Person, count: number) => {
  expect(await pair.charges(owner)).toBe(count)
  expect(await balanceOf(pair.one, owner)).toMatchObject({
    available: FUNDS - BigInt(count) * PRICE,
    held: 0n,
  })
}

test('failure 7: a capture before the sweep wins: paid, and nothing is released', async () => {
  const { owner, held, calls, lock, replay } = await callsOfADeadGateway(1)
  const { deps } = pair.two.gateway
  const decides = Promise.withResolvers<void>()
  const captured = Promise.withResolvers<void>()
  const batchDb: Db = {
    ...deps.batchDb,
    async transaction(work) {
      decides.resolve()
      await captured.promise
      return deps.batchDb.transaction(work)
    },
  }
  const sweep = recoverCalls(sweeperOn({ ...deps, batchDb }))
  await decides.promise
  held.release()
  await untilBlocked(pair.one, 1)
  await lock.release()
  const [answer] = await Promise.all(calls)
  captured.resolve()
  expect(await sweep).toBe(0)
  expect(answer?.body.status).toBe('SUCCEEDED')
  expect((await replay('k0')).body).toEqual(answer?.body)
  await expectPaidFor(owner, 1)
})

test('failure 7: a sweep before the capture wins: released, and the caller gets the stored answer', async () => {
  const { owner, held, calls, lock, replay } = await callsOfADeadGateway(1)
  const sweep = recoverCalls(sweeper)
  await untilBlocked(pair.one, 1)
  held.release()
  await untilBlocked(pair.one, 2)
  await lock.release()
  expect(await sweep).toBe(1)
  const [answer] = await Promise.all(calls)
  expect(answer).toMatchObject({ status: 503, body: { code: 'GATEWAY_INTERRUPTED' } })
  expect((await replay('k0')).body).toEqual(answer?.body)
  await expectPaidFor(owner, 0)
})

test('failure 28: a call of a gateway that died before the clock of the database was set back is an orphan', async () => {
  const { owner, held, calls, lock } = await callsOfADeadGateway(1)
  await lock.release()
  const { deps } = pair.two.gateway
  const lease = { instanceId: deps.instanceId, seconds: 3_600, peersMax: 10 }
  const asked = { instanceId: deps.instanceId, inFlight: [], leaseSeconds: 3_600, limit: 10, offset: 0 }
  const orphansSetBack = (by: string) => {
    const rollback = deps.db.transaction(async tx => {
      const until = sql`now() + interval '30 seconds' + ${by}::interval`
      await tx.query(sql`insert into gateway_instances (id, lease_until) values ('gw_gone', ${until})`)
      await tx.query(sql`
        update invocations set drawn_at = now() - interval '1 second' + ${by}::interval where status = 'PENDING'`)
      const { peers } = await renewLease(tx, lease)
      throw await adoptOrphans(tx, { ...asked, silent: peers.filter(({ id }) => id === 'gw_gone') })
    })
    return expect(rollback).rejects
  }
  await orphansSetBack('0').toEqual([])
  await orphansSetBack('3 hours').toMatchObject([{ owner: owner.account.address.toLowerCase() }])
  held.release()
  expect(await Promise.all(calls)).toMatchObject([{ status: 200 }])
})

test('failure 7: many captures against two sweeps: each call has one end, sent to its caller and stored', async () => {
  const { owner, held, keys, calls, lock, replay } = await callsOfADeadGateway(CROWD)
  held.release()
  const sweeps = Promise.all([recoverCalls(sweeper), recoverCalls(sweeper)])
  await untilBlocked(pair.one, 2)
  await lock.release()
  await sweeps
  const answers = await Promise.all(calls)
  const paid = answers.filter(({ status }) => status === 200).length
  for (const [index, answer] of answers.entries()) {
    if (answer.status !== 200)
      expect(answer).toMatchObject({ status: 503, body: { code: 'GATEWAY_INTERRUPTED' } })
    expect((await replay(keys[index] ?? '')).body).toEqual(answer.body)
  }
  await expectPaidFor(owner, paid)
  expect(held.waiting()).toBe(CROWD)
})
