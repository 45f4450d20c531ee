import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manifestOf, type Provider, startServiceGateway } from '../../../test/service-gateway.ts'
import { readServiceVersions } from './read-versions.ts'

let on: Awaited<ReturnType<typeof startServiceGateway>>
let alice: Provider
beforeAll(async () => {
  on = await startServiceGateway()
  alice = await on.provider()
})
afterAll(() => on.stop())

const versions = (...ids: string[]) => on.deps.db.transaction(tx => readServiceVersions(tx, ids))
const service = async () => (await alice.register(manifestOf('http://127.0.0.1:1/'))).serviceId
const change = (statement: ReturnType<typeof sql>) => on.deps.db.query(statement)

test('the version goes up with every change of the row', async () => {
  const [a, b] = [await service(), await service()]
  expect(await versions(a, b)).toEqual(
    new Map([
      [a, 1n],
      [b, 1n],
    ]),
  )
  await change(sql`update services set price = 1 where id = ${a}`)
  await change(sql`update services set version = 1 where id = ${a}`)
  expect(await versions(a, b)).toEqual(
    new Map([
      [a, 3n],
      [b, 1n],
    ]),
  )
})

test('a service that cannot be called has none', async () => {
  const [inactive, deleted, suspended, fine] = [
    await service(),
    await service(),
    await service(),
    await service(),
  ]
  await change(sql`update services set is_active = false where id = ${inactive}`)
  await change(sql`update services set is_active = false, deleted_at = now() where id = ${deleted}`)
  await change(sql`update services set suspended_at = now() where id = ${suspended}`)
  expect(await versions(inactive, deleted, suspended, fine, 'svc_nowhere')).toEqual(new Map([[fine, 1n]]))
  await change(sql`update wallets set suspended_at = now() where address = ${alice.wallet}`)
  expect(await versions(fine)).toEqual(new Map())
  await change(sql`update wallets set suspended_at = null where address = ${alice.wallet}`)
})

test('a change that is not committed is not seen, and one that is, is', async () => {
  const id = await service()
  await on.deps.db.transaction(async changing => {
    await changing.query(sql`update services set price = 1 where id = ${id}`)
    expect(await versions(id)).toEqual(new Map([[id, 1n]]))
  })
  expect(await versions(id)).toEqual(new Map([[id, 2n]]))
})
