import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/adapters/migrate.ts'
import { roleOf } from '../../src/adapters/prepare-schema.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/postgres/embedded-postgres.ts'
import { answerOrCut } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { type Fixture, startFixture } from './fixture.ts'

const DATABASE = 'farebox'
const CALLERS = 16
/** Calls that are acknowledged before something is killed, and after it is back. */
const ACKNOWLEDGED_MIN = 150
/** Pause of a caller after a refusal, in ms. */
const AFTER_REFUSAL_MS = 10
/** Starts of a database whose killed processes may still hold its memory for a moment. */
const STARTS_MAX = 50

let directory: string
let postgres: EmbeddedPostgres
let fixture: Fixture

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-killed-'))
  await chmod(directory, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  postgres = await startEmbeddedPostgres({ directory: join(directory, 'cluster') })
  await postgres.ensureDatabase(DATABASE)
  const [url, ownerUrl] = [postgres.url(DATABASE, 'gateway'), postgres.url(DATABASE)]
  await migrate(ownerUrl, { runtimeRole: await roleOf(url) })
  fixture = await startFixture({}, { url, ownerUrl, drop: async () => undefined })
})
afterAll(async () => {
  await fixture.stop()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Callers that keep calling, and record their answers. */
function startLoad(payer: Payer, name: string) {
  const acknowledged = new Map<string, unknown>()
  const unanswered = new Set<string>()
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let number = 0; !isOver; number += 1) {
      const key = `${name} ${caller} ${number}`
      const answer = await answerOrCut(fixture.call(payer, key))
      if (answer?.status === 200) acknowledged.set(key, answer.body)
      else {
        unanswered.add(key)
        await delay(AFTER_REFUSAL_MS)
      }
    }
  })
  return {
    acknowledged,
    unanswered,
    async end() {
      isOver = true
      await Promise.all(callers)
    },
  }
}

/** Nothing that was acknowledged is lost or charged twice, and what was not has one end. */
async function expectNothingLost(payer: Payer, load: ReturnType<typeof startLoad>): Promise<void> {
  await fixture.on.assertBooks()
  const kept = new Map((await fixture.calls(payer)).map(call => [call.key, call]))
  for (const [key, body] of load.acknowledged) {
    const call = kept.get(key)
    expect(call).toMatchObject({ status: 'SUCCEEDED' })
    expect(JSON.parse(call?.answer ?? 'null')).toEqual(body)
  }
  const succeeded = [...kept.values()].filter(({ status }) => status === 'SUCCEEDED')
  expect(await fixture.charges(payer)).toBe(succeeded.length)
  // At least the calls that were acknowledged, at most those that were made.
  expect(succeeded.length).toBeLessThanOrEqual(load.acknowledged.size + load.unanswered.size)
  for (const key of [...load.unanswered].slice(0, CALLERS)) {
    const ends = new Set([200, 503])
    const call = kept.get(key)
    if (call === undefined) continue
    const { status, body } = await fixture.call(payer, key)
    expect(ends).toContain(status)
    expect(status === 200 ? body.status : body.code).toBe(
      call.status === 'SUCCEEDED' ? 'SUCCEEDED' : 'GATEWAY_INTERRUPTED',
    )
  }
}

/** SIGKILL leaves the others to notice that the postmaster is gone; until they have, it refuses to start. */
async function startPostgresAgain(): Promise<void> {
  const { port } = postgres
  for (let attempt = 1; ; attempt += 1) {
    try {
      postgres = await startEmbeddedPostgres({ directory: join(directory, 'cluster'), port })
      return
    } catch (error) {
      if (attempt === STARTS_MAX) throw error
    }
  }
}

test('failure 26: PostgreSQL killed under load: nothing acknowledged is lost, and calls resume by themselves', async () => {
  const payer = await fixture.payer({}, '500')
  const load = startLoad(payer, 'database')
  await until('calls are acknowledged', () => load.acknowledged.size >= ACKNOWLEDGED_MIN)
  process.kill(postgres.pid, 'SIGKILL')
  await until('callers have noticed', () => load.unanswered.size >= CALLERS)
  const before = load.acknowledged.size
  await startPostgresAgain()
  await until('calls are acknowledged again', () => load.acknowledged.size >= before + ACKNOWLEDGED_MIN)
  await load.end()
  expect(fixture.on.isAlive()).toBe(true)
  await expectNothingLost(payer, load)
})

test('the gateway killed and restarted under load: nothing acknowledged is lost, the books are exact', async () => {
  const payer = await fixture.payer({}, '500')
  const load = startLoad(payer, 'gateway')
  for (const _ of ['once', 'again']) {
    const before = load.acknowledged.size
    await until('calls are acknowledged', () => load.acknowledged.size >= before + ACKNOWLEDGED_MIN)
    await fixture.on.kill9()
    await fixture.on.restart()
  }
  await load.end()
  expect(load.unanswered.size).toBeGreaterThan(0)
  await expectNothingLost(payer, load)
})
