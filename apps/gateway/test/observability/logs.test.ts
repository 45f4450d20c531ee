import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain } from '../kit/chain/test-chain.ts'
import { createTestDatabase } from '../kit/database/test-database.ts'
import { scrape } from '../kit/gateway/prometheus.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { keepLog, type LogLine } from '../kit/log-lines.ts'
import { type FaultProxy, startFaultProxy } from '../kit/network/database-proxy.ts'
import { get } from '../kit/network/http.ts'
import { callTool, connectMcp } from '../kit/network/mcp-client.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { type SoldService, sellService } from '../kit/world/sold-service.ts'

const METRICS_TOKEN = 'a token of the metrics'
const CALLS = 20
/** Half of all successes: exact in binary, so that the sample is. */
const SHARE = 0.5
/** Failures that an outage must cause before its lines are counted. */
const FAILURES = 15

let on: TestGateway
let node: RpcProxy
let proxy: FaultProxy
let sold: SoldService
let payer: Payer
const kept = keepLog('info')
beforeAll(async () => {
  const [chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  node = await startRpcProxy(chain.rpcUrl)
  proxy = await startFaultProxy(database.url)
  on = await startTestGateway({
    chain,
    database: { ...database, url: proxy.url },
    log: kept.log,
    env: {
      METRICS_TOKEN,
      CHAIN_RPC_URL: node.url,
      FOLLOWER_INTERVAL_SECONDS: '0.05',
      LOG_SUCCESS_SHARE: String(SHARE),
    },
  })
  sold = await sellService(on)
  payer = await newPayer(on, '1')
})
afterAll(async () => {
  await sold.upstream.stop()
  await on.stop()
  await Promise.all([node.stop(), proxy.stop()])
})

/** Access lines of paid calls, from a line on. */
const accessFrom = (from: number) =>
  kept.lines
    .slice(from)
    .filter(
      ({ msg, operation }) => msg === 'request' && /^(?:invokeService|callMcp)$/.test(String(operation)),
    )

const failures = async () =>
  (await scrape(on, METRICS_TOKEN)).series
    .filter(({ name, labels }) => name === 'farebox_job_runs_total' && labels.outcome === 'failed')
    .reduce((sum, { value }) => sum + value, 0)

/** Runs until jobs have failed many times; returns the lines that were written at `warn` or above. */
async function linesWhile(fail: () => void): Promise<LogLine[]> {
  const [from, before] = [kept.lines.length, await failures()]
  fail()
  await until('jobs have failed many times', async () => (await failures()) - before >= FAILURES)
  return kept.lines.slice(from).filter(({ level }) => level === 'warn' || level === 'error')
}

test('logs half of the successful paid calls and all failed ones, with the id of the call', async () => {
  const from = kept.lines.length
  const ids: unknown[] = []
  for (let count = 0; count < CALLS; count += 1)
    ids.push((await sold.call(payer, { idempotencyKey: `call ${count}` })).body.invocationId)
  const sampled = accessFrom(from)
  expect(sampled).toHaveLength(CALLS * SHARE)
  for (const line of sampled) expect(ids).toContain(line.invocationId)
  expect(sampled[0]).toMatchObject({ level: 'info', status: 200, operation: 'invokeService' })

  const before = kept.lines.length
  sold.upstream.respondWith((_, response) => sendJson(response, 500, {}))
  const failed = await sold.call(payer, { idempotencyKey: 'fails' })
  const replayed = await sold.call(payer, { idempotencyKey: 'fails' })
  sold.upstream.respondWith((_, response) => sendJson(response, 200, {}))
  expect([failed.status, replayed.status]).toEqual([502, 502])
  const { id } =
    (await on.sql<{ id: string }>("select id from invocations where idempotency_key = 'fails'"))[0] ?? {}
  expect(accessFrom(before)).toMatchObject([{ invocationId: id }, { invocationId: id }])
})

test('logs the id of a call over MCP in its access line', async () => {
  const client = await connectMcp(on, payer)
  const { tools } = await client.listTools()
  const tool = tools.find(({ name }) => !name.startsWith('farebox_'))
  const from = kept.lines.length
  const ids = []
  for (let count = 0; count < 1 / SHARE; count += 1)
    ids.push((await callTool(client, tool?.name ?? '', { q: 1 }))._meta)
  await client.close()
  const [line] = accessFrom(from)
  expect(JSON.stringify(ids)).toContain(`"${line?.invocationId}"`)
})

test('logs one line without a stack while the chain is unreachable, however much fails', async () => {
  const lines = await linesWhile(() => node.misbehave({ refuses: true }))
  for (let count = 0; count < 5; count += 1) expect((await get(on, '/proof/reserves')).status).toBe(503)
  expect(lines.filter(line => line.unreachable === 'chain')).toHaveLength(1)
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain('stack')
  node.misbehave()
})

test('logs one line without a stack while the database is unreachable, besides those of lost connections', async () => {
  const lines = await linesWhile(() => proxy.refuse())
  proxy.pass()
  expect(lines.filter(line => line.unreachable === 'database')).toHaveLength(1)
  expect(lines.filter(({ err }) => err !== undefined)).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain('stack')
  await until('it serves again', async () => (await get(on, '/proof/reserves')).status === 200)
})
