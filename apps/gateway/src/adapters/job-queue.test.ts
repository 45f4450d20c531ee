import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/kit/database/test-database.ts'
import { type FaultProxy, startFaultProxy } from '../../test/kit/network/database-proxy.ts'
import { silent } from '../../test/kit/silent-log.ts'
import { until } from '../../test/kit/until.ts'
import type { QueueTask } from '../ports.ts'
import { jobs, startJobQueue } from './job-queue.ts'
import { createMetrics } from './metrics.ts'
import { connectPostgres } from './postgres.ts'

let database: TestDatabase
let proxy: FaultProxy

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startFaultProxy(database.url)
})
afterAll(async () => {
  await proxy?.stop()
  await database?.drop()
})

test.each(['done', 'failed'])(
  'goes on with the next job after one is %s while the database is down',
  async outcome => {
    const db = connectPostgres({ connectionString: database.url, connectionsMax: 1, log: silent })
    const ran: unknown[] = []
    const refusals = proxy.refusals()
    const task: QueueTask = {
      name: 'example',
      async run(payload) {
        const { name } = payload as { name: string }
        ran.push(name)
        if (name !== outcome) return
        proxy.refuse()
        if (outcome === 'failed') throw new Error('The job failed.')
      },
    }
    const queue = await startJobQueue({
      connectionString: proxy.url,
      log: silent,
      metrics: createMetrics(silent),
      tasks: [task],
    })
    try {
      const enqueue = (name: string) =>
        db.transaction(tx => jobs.enqueue(tx, [{ task: 'example', payload: { name } }]))
      await enqueue(outcome)
      await until('the job has met a database that is away', async () => proxy.refusals() > refusals)
      proxy.pass()
      await enqueue('next')
      await until('the next job has run', async () => ran.includes('next'))
      expect(ran[0]).toBe(outcome)
    } finally {
      await queue.stop()
      await db.close()
    }
  },
)
