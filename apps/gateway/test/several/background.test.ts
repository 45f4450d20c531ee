import { createServer } from 'node:http'
import { parseUsdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import type { GatewayProcess } from '../kit/gateway/gateway-process.ts'
import { answerOrCut, post, send } from '../kit/network/http.ts'
import { listen } from '../kit/network/loopback.ts'
import { holdAnswers } from '../kit/provider/hold-answers.ts'
import { sendJson, startProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { PRICE_USDC } from '../kit/world/sold-service.ts'
import { balanceOf, mint, ownerWith, register } from '../kit/world/world.ts'
import { type Several, START_TIMEOUT_MS, startSeveral } from './fixture.ts'

const INTERVAL_SECONDS = 1
/** Jitter and a check that is early: how much sooner than the interval the next one may come. */
const EARLIEST_SHARE = 0.85
/** Rounds of something periodic that are watched. */
const ROUNDS = 4
const TARGETS = 6
const CALLS = 8
/** As in breakers.ts. */
const FAILURES_MAX = 5
/** Timeouts for stops and starts of whole processes on a busy machine. */
const TEST_TIMEOUT_MS = 180_000

/** A node's proxy, and how often it was asked for logs. */
type Watched = { readonly proxy: RpcProxy; logs: number }

const nodes: Watched[] = []
let fixture: Several

beforeAll(async () => {
  const probing = String(INTERVAL_SECONDS)
  fixture = await startSeveral(
    {
      RECONCILE_INTERVAL_SECONDS: probing,
      PROBE_INTERVAL_SECONDS: probing,
      // Without pending events the vault is read at every fifth interval only, which these tests wait for.
      FOLLOWER_INTERVAL_SECONDS: '0.2',
    },
    async url => ({ CHAIN_RPC_URL: await watch(url) }),
  )
}, START_TIMEOUT_MS)
afterAll(async () => {
  await fixture.stop()
  await Promise.all(nodes.map(({ proxy }) => proxy.stop()))
})

/** Stands before a node and counts. */
async function watch(nodeUrl: string): Promise<string> {
  const proxy = await startRpcProxy(nodeUrl)
  const node: Watched = { proxy, logs: 0 }
  nodes.push(node)
  behave(node)
  return proxy.url
}

function behave(node: Watched): void {
  node.proxy.misbehave({
    alter(method) {
      if (method === 'eth_getLogs') node.logs += 1
      return undefined
    },
  })
}

/** Maximum rounds of something periodic in a time. */
const roundsWithin = (ms: number) => Math.floor(ms / (INTERVAL_SECONDS * 1_000 * EARLIEST_SHARE)) + 1

test('three gateways that start on one database share a signing key', async () => {
  const path = '/.well-known/http-message-signatures-directory'
  const answers = await Promise.all(fixture.gateways.map(({ url }) => send<{ keys: object[] }>(url, path)))
  expect(answers[0]?.body.keys).toHaveLength(1)
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
})

test(
  'the books are checked once per interval, not three times',
  async () => {
    const count = async () => (await fixture.sql('select 1 from reconciliations')).length
    const [before, from] = [await count(), performance.now()]
    await until('they are checked some times', async () => (await count()) >= before + ROUNDS)
    const now = await count()
    expect(now - before).toBeLessThanOrEqual(roundsWithin(performance.now() - from))
  },
  TEST_TIMEOUT_MS,
)

test(
  'a target is probed once per interval, not three times',
  async () => {
    const probes = new Map<string, number>()
    const server = createServer((request, response) => {
      probes.set(request.url ?? '', (probes.get(request.url ?? '') ?? 0) + 1)
      response.end()
    })
    const { origin, stop } = await listen(server)
    const targets = Array.from({ length: TARGETS }, (_, number) => `${origin}/${number}`)
    const from = performance.now()
    const id = await register(fixture.on, fixture.provider, { targets, priceUsdc: PRICE_USDC })
    await until('all are probed some times', () =>
      targets.every((_, at) => (probes.get(`/${at}`) ?? 0) > ROUNDS),
    )
    const counts = [...probes.values()]
    // One more by the registration itself.
    const most = roundsWithin(performance.now() - from) + 1
    for (const probed of counts) expect(probed).toBeLessThanOrEqual(most)
    await send(fixture.on.url, `/api/v1/services/${id}`, {
      method: 'PUT',
      token: fixture.provider.token,
      body: { isActive: false },
    })
    await stop()
  },
  TEST_TIMEOUT_MS,
)

/** The gateway that follows the vault now, by the node that it reads. */
async function follower(): Promise<{ gateway: GatewayProcess; node: Watched }> {
  for (const node of nodes) node.logs = 0
  await untilReadOn()
  const at = nodes.findIndex(({ logs }) => logs > 0)
  const [gateway, node] = [fixture.gateways[at], nodes[at]]
  if (gateway === undefined || node === undefined) throw new Error('Nobody reads the vault.')
  return { gateway, node }
}

/** Waits until a block that is mined now has been read. */
async function untilReadOn(): Promise<void> {
  const from = await cursor()
  await fixture.on.chain.mine()
  await until('the vault is read on', async () => (await cursor()) > from)
}

async function cursor(): Promise<number> {
  const [row] = await fixture.sql<{ block: string }>('select block_number as block from vault_cursors')
  return Number(row?.block ?? -1)
}

/** A deposit that its owner claims and does not confirm: the follower credits it. */
async function depositByFollower({ url }: GatewayProcess): Promise<void> {
  const { chain } = fixture.on
  // A gateway that is cut off from its node serves calls, so the balancer keeps it, but confirms no deposit.
  const owner = await ownerWith({ url, chain }, '1')
  const txHash = await chain.deposit(owner.account.address, parseUsdc('2'))
  const body = { tx_hash: txHash, amount: '2' }
  await post(fixture.on, '/balance/deposit/intent', { token: owner.token, body })
  await until('it is credited', async () => (await balanceOf(fixture.on, owner)).available === parseUsdc('3'))
  const entries = await fixture.sql("select 1 from entries where kind = 'deposit' and account = $1", [
    `consumer:${owner.account.address.toLowerCase()}`,
  ])
  expect(entries).toHaveLength(2)
}

test(
  'one gateway follows the vault',
  async () => {
    await follower()
    for (let block = 0; block < ROUNDS; block += 1) await untilReadOn()
    expect(nodes.filter(({ logs }) => logs > 0)).toHaveLength(1)
  },
  TEST_TIMEOUT_MS,
)

test(
  'another gateway takes over the vault when the follower loses its node, is killed or stopped',
  async () => {
    for (const leave of ['cut off', 'killed', 'stopped'] as const) {
      const { gateway, node } = await follower()
      if (leave === 'cut off') node.proxy.misbehave({ status: 500 })
      else if (leave === 'killed') await gateway.kill9()
      else await gateway.sigterm()
      await untilReadOn()
      const next = await follower()
      expect(next.gateway).not.toBe(gateway)
      await depositByFollower(next.gateway)
      if (leave === 'cut off') behave(node)
      else await gateway.restart()
      await fixture.balancer.untilReady(fixture.gateways.length)
    }
  },
  TEST_TIMEOUT_MS,
)

test(
  'the calls of a gateway that died are released by the others, each once',
  async () => {
    await fixture.sql('create table adoptions (invocation_id text); grant insert on adoptions to public')
    await fixture.sql(`
    create function note_adoption() returns trigger language plpgsql as
    $$ begin insert into adoptions values (new.invocation_id); return null; end $$`)
    await fixture.sql(`
    create trigger adopted after update on open_calls for each row execute function note_adoption()`)

    const owner = await ownerWith(fixture.on, '1')
    const agent = await mint(fixture.on, owner)
    const held = holdAnswers(fixture.upstream)
    const [dying] = fixture.gateways
    const calls = Array.from({ length: CALLS }, () => answerOrCut(fixture.call(agent, {}, dying)))
    await until('the provider has them', () => held.waiting() === CALLS)
    await dying.kill9()
    await Promise.all(calls)
    await until(
      'they are released',
      async () => (await balanceOf(fixture.on, owner)).available === parseUsdc('1'),
    )
    held.release()
    const ended = await fixture.sql<{ status: string; taken: number }>(
      `select i.status, (select count(*)::int from adoptions a where a.invocation_id = i.id) as taken
     from invocations i where i.credential_id = $1`,
      [agent.id],
    )
    expect(ended).toEqual(Array(CALLS).fill({ status: 'FAILED_RETRYABLE', taken: 1 }))
    await dying.restart()
    await fixture.balancer.untilReady(fixture.gateways.length)
    await fixture.assertBooks()
  },
  TEST_TIMEOUT_MS,
)

test(
  'a target found down by calls and a probe at one gateway is skipped by the others until a probe succeeds',
  async () => {
    const upstream = await startProvider()
    const targets = [upstream.url]
    const serviceId = await register(fixture.on, fixture.provider, { targets, priceUsdc: PRICE_USDC })
    const [agent, another] = [
      await mint(fixture.on, await ownerWith(fixture.on, '1')),
      await mint(fixture.on, await ownerWith(fixture.on, '1')),
    ]
    const callBy = (gateway: GatewayProcess, by: { token: string }) =>
      fixture.call(by, { serviceId, payload: { body: { q: by === agent ? 'bad' : 1 } } }, gateway)
    const [finder, ...others] = fixture.gateways
    for (const gateway of others) expect((await callBy(gateway, another)).status).toBe(200)

    // No probe of its own accord: the failed calls bring it about.
    const probeAt = (at: string) =>
      fixture.sql('update service_targets set next_probe_at = $2 where service_id = $1', [serviceId, at])
    await probeAt('tomorrow')
    upstream.respondWith(({ body }, response) => sendJson(response, body.includes('bad') ? 500 : 200, {}))
    upstream.answerProbes(500)
    const isLeftAlone = async (gateway: GatewayProcess) =>
      (await callBy(gateway, another)).body.detail?.reason === 'no_healthy_target'
    for (let turn = 0; turn < FAILURES_MAX; turn += 1) await callBy(finder, agent)
    for (const gateway of others) await until('it is left alone', () => isLeftAlone(gateway))

    upstream.respondWith((_, response) => sendJson(response, 200, { well: true }))
    upstream.answerProbes(200)
    await probeAt('now')
    for (const gateway of others) {
      await until('it is called again', async () => (await callBy(gateway, agent)).status === 200)
    }
    await upstream.stop()
    await fixture.assertBooks()
  },
  TEST_TIMEOUT_MS,
)
