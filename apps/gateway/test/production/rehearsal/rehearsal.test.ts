import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUsdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOrCut, post } from '../../kit/network/http.ts'
import { until } from '../../kit/until.ts'
import type { Payer } from '../../kit/world/payer.ts'
import { PRICE, type SoldService, sellService } from '../../kit/world/sold-service.ts'
import { balanceOf } from '../../kit/world/world.ts'
import { takeTime } from '../../several/fixture.ts'
import { askUntilOver, startLoad, timesAsked } from '../../several/load.ts'
import { deposit, withdraw } from '../kit.ts'
import { listCommands } from './commands.ts'
import { query } from './database.ts'
import { CONFIRMATIONS, METRICS_TOKEN, rotateSigner, startMainnet } from './deployment.ts'
import { handleIncidents } from './incidents.ts'
import { callFor, callsOf, countAll, twoPayers } from './payers.ts'
import { openRecovery } from './recovery.ts'
import { openSite, type Site, WAIT_MS } from './site.ts'

/** Timeout of the steps that wait for several things, in ms. */
const STEP_MS = 240_000
/** Calls answered before something happens, and after it. */
const ANSWERED_MIN = 20
/** Within which a gateway that cannot serve says so. */
const NOTICED_MS = 5_000
const ARCHIVED = 'select archived_count::text as count from pg_stat_archiver'
const NOW = 'select clock_timestamp()::text as time'
const ALIVE = 'select 1 from gateway_instances where lease_until > now()'
const SUCCEEDED = "select id from invocations where id = any($1) and status = 'SUCCEEDED'"
const FAILED_CHECKS = 'select * from reconciliations where not consistent'
/** Key of a withdrawal that the restored database does not know. */
const FORGOTTEN = 'withdrawn after the time that the database is restored to'
/** Longer than a ticket is good, in seconds of chain time. */
const TICKET_IS_OVER_SECONDS = 3_700

let site: Site
let recovery: ReturnType<typeof openRecovery>
let sold: SoldService
let payers: readonly [Payer, Payer]
/** Calls answered before the time that the database is restored to, and what the first payer had then. */
let acknowledged: ReadonlyMap<string, Awaited<ReturnType<typeof callFor>> | null>
let availableThen: bigint

beforeAll(async () => {
  site = await openSite()
  recovery = openRecovery(site.machine)
}, STEP_MS)
afterAll(() => site.end(), STEP_MS)

/** Callers take turns between the payers. */
const payerOf = (key: string) => payers[Number(key.split(' ')[1]) % 2 === 0 ? 0 : 1]

test('the documented statements create two roles and a database, which are reached by verified TLS', async () => {
  expect(await site.makeDatabase()).toEqual(Array(2).fill([{ super: false, ssl: true }]))
})

test('the documented settings archive the log of the database', async () => {
  await recovery.archive()
  const archived = () => query<{ count: string }>(site.machine.database.superuser, ARCHIVED)
  const [before] = await archived()
  await query(site.machine.database.superuser, 'select pg_switch_wal()')
  await until('a segment is archived', async () => (await archived())[0]?.count !== before?.count, WAIT_MS)
})

test('the documented command deploys a vault for a wallet that is a contract', async () => {
  site.addChain(await startMainnet(site.machine))
  expect(site.machine.settings).toMatchObject({
    CHAIN_ID: '31337',
    FOLLOWER_START_BLOCK: expect.stringMatching(/^\d+$/),
  })
})

test('the documented migration creates the schema, and the documented check finds nothing wrong', async () => {
  expect(await site.migrate()).toContain('The role farebox_gateway has the rights that a gateway needs.')
  await site.keepSecrets({ TICKET_SIGNER_KEY: site.chain.ticketSignerKey })
  const checked = await site.machine.operate('scripts/farebox check', { env: site.machine.environment() })
  expect(checked).toMatch(/^\d+ ok, \d+ warnings, 0 not ok\.$/m)
})

test(
  'the documented command starts two gateways behind the balancer, with their secrets in files',
  async () => {
    await site.startGateways()
    for (const { url } of site.gateways)
      await until(`${url} is ready`, async () => (await fetch(`${url}/ready`)).status === 200, WAIT_MS)
    await site.untilServed()
  },
  STEP_MS,
)

test(
  'a deposit is credited after twelve confirmations, and pays calls through the balancer',
  async () => {
    sold = await sellService(site.on())
    site.atEnd(() => sold.upstream.stop())
    payers = await twoPayers(site.on(), '20')
    const { number } = await site.chain.adapter.head()
    const [credited] = await site.gateways[0].sql<{ block: string }>(
      'select block_number as block from vault_deposits',
    )
    expect(number - BigInt(credited?.block ?? 0)).toBeGreaterThanOrEqual(CONFIRMATIONS - 1)

    const calls = Array.from({ length: 100 }, () => payers.map(payer => sold.call(payer)))
    const answers = await Promise.all(calls.flat())
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const { owner } of payers)
      expect(await balanceOf(site.on(), owner)).toMatchObject({ available: parseUsdc('19') })
    for (const gateway of site.gateways) expect(await callsOf(gateway, METRICS_TOKEN)).toBeGreaterThan(0)
    expect(await balanceOf(site.on(), sold.provider)).toMatchObject({ receivable: parseUsdc('2') })
  },
  STEP_MS,
)

test(
  'a provider withdraws its earnings, and the vault pays them',
  async () => {
    await site.redeem(sold.provider, await site.ticketFor(sold.provider, '0.5'))
    const { address } = sold.provider.account
    expect(await site.chain.usdcOf(address)).toBe(parseUsdc('0.5'))
    expect(await balanceOf(site.on(), sold.provider)).toMatchObject({ receivable: parseUsdc('1.5') })
  },
  STEP_MS,
)

test(
  'the encryption key and the signer of tickets are rotated as documented, and an open ticket is signed again',
  async () => {
    const open = () => site.ticketFor(sold.provider, '0.25', 'open while the signer is replaced')
    const before = (await open()).signature
    await site.stopAll()
    const { ENCRYPTION_KEY = '' } = site.machine.settings
    await rename((ENCRYPTION_KEY as { file: string }).file, join(site.machine.place, 'encryption_key_before'))
    await site.machine.keep('ENCRYPTION_KEY')
    const values = { ENCRYPTION_KEY_BEFORE: { file: join(site.machine.place, 'encryption_key_before') } }
    expect(await site.machine.operate('reseal.ts', { values })).toMatch(
      /^signing_keys\.sealed_private_key: [1-9]/m,
    )
    await rotateSigner(site.machine, site.chain)
    await site.startAll()
    await until('the ticket is signed again', async () => (await open()).signature !== before, WAIT_MS)
    await site.redeem(sold.provider, await open())
    expect((await sold.call(payers[0])).status).toBe(200)
  },
  STEP_MS,
)

test(
  'an upgrade as documented, replacing gateways one by one after a migration, fails none of the calls meanwhile',
  async () => {
    takeTime(sold)
    const [from, charged] = [sold.upstream.calls.length, await countAll(site.gateways[0], payers)]
    const load = startLoad('rolling', idempotencyKey =>
      answerOrCut(sold.call(payerOf(idempotencyKey), { idempotencyKey })),
    )
    await site.migrate()
    for (const gateway of site.gateways) {
      await load.more(ANSWERED_MIN)
      expect((await gateway.sigterm()).code).toBe(0)
      await gateway.restart()
      const isServing = async () => (await callsOf(gateway, METRICS_TOKEN)) > 0
      await until('the balancer sends it calls again', isServing, WAIT_MS)
    }
    await load.more(ANSWERED_MIN)
    await load.end()
    expect([...load.answers].filter(([, answer]) => answer?.status !== 200)).toEqual([])
    expect((await countAll(site.gateways[0], payers)) - charged).toBe(load.answers.size)
    expect(timesAsked(sold.upstream, from)).toEqual(Array(load.answers.size).fill(1))
  },
  STEP_MS,
)

test(
  'every gateway reports a frozen database within five seconds, and no call is lost when it resumes',
  async () => {
    const [from, charged] = [sold.upstream.calls.length, await countAll(site.gateways[0], payers)]
    const load = startLoad('frozen', idempotencyKey =>
      askUntilOver(() => sold.call(payerOf(idempotencyKey), { idempotencyKey })),
    )
    await load.more(ANSWERED_MIN)
    const thaw = await site.machine.database.freeze()
    const readiness = () =>
      Promise.all(site.gateways.map(async ({ url }) => (await fetch(`${url}/ready`)).status))
    await until('both say so', async () => String(await readiness()) === '503,503', NOTICED_MS).finally(thaw)
    await until('both serve again', async () => String(await readiness()) === '200,200', WAIT_MS)
    await load.more(ANSWERED_MIN)
    await load.end()
    const paid = [...load.answers.values()].filter(answer => answer?.status === 200)
    expect((await countAll(site.gateways[0], payers)) - charged).toBe(paid.length)
    expect(new Set(timesAsked(sold.upstream, from))).toEqual(new Set([1]))
  },
  STEP_MS,
)

test(
  'the documented command takes a base backup under load, and fails no call',
  async () => {
    const load = startLoad('backup', key => callFor(site.on(), sold, payerOf(key), key).catch(() => null))
    await load.more(ANSWERED_MIN)
    await recovery.makeRole()
    await recovery.backUp('nightly')
    await load.more(ANSWERED_MIN)
    await load.end()
    expect([...load.answers].filter(([, answer]) => answer?.status !== 200)).toEqual([])
    acknowledged = load.answers
  },
  STEP_MS,
)

test(
  'after a restore to a point in time every call acknowledged by then replays byte for byte, and later ones are new',
  async () => {
    const ticket = await site.ticketFor(sold.provider, '0.1')
    const [{ owner }] = payers
    availableThen = (await balanceOf(site.on(), owner)).available
    const [now] = await query<{ time: string }>(site.machine.database.superuser, NOW)
    const later = await callFor(site.on(), sold, payers[0], 'later 0')
    await site.redeem(sold.provider, ticket)
    await site.redeem(sold.provider, await site.ticketFor(sold.provider, '0.2', FORGOTTEN))
    expect(await site.gateways[0].sql(FAILED_CHECKS)).toEqual([])
    await deposit(site.on(), owner, '3')
    await site.stopAll()
    await recovery.restore({ backup: 'nightly', log: 'log', time: now?.time ?? '' })
    expect(await site.machine.operate('npm run reconcile')).toContain('Every invariant holds.')
    await until(
      'no gateway counts as alive',
      async () => (await site.gateways[0].sql(ALIVE)).length === 0,
      WAIT_MS,
    )
    await site.startAll()

    const asked = sold.upstream.calls.length
    const replayed = [...acknowledged.keys()].map(async key => {
      const { text } = await callFor(site.on(), sold, payerOf(key), key)
      return text === acknowledged.get(key)?.text
    })
    expect(new Set(await Promise.all(replayed))).toEqual(new Set([true]))
    expect(sold.upstream.calls.length).toBe(asked)
    const again = await callFor(site.on(), sold, payers[0], 'later 0')
    expect(again.status).toBe(200)
    expect(again.body.invocationId).not.toBe(later.body.invocationId)
    expect(sold.upstream.calls.length).toBe(asked + 1)
  },
  STEP_MS,
)

test(
  'after the restore deposits are credited again, and a withdrawal paid later than its time is not paid twice',
  async () => {
    const { owner } = payers[0]
    const { address } = sold.provider.account
    const paid = await site.chain.usdcOf(address)
    const retried = await withdraw(site.on(), sold.provider, '0.2', FORGOTTEN)
    expect(retried).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
    const credited = availableThen + parseUsdc('3') - PRICE
    const isCredited = async () => (await balanceOf(site.on(), owner)).available === credited
    await until('the deposit is credited again', isCredited, WAIT_MS)
    await site.chain.increaseTime(TICKET_IS_OVER_SECONDS)

    const FINDING = await unexplained()
    const WITHDRAWAL = retried.withdrawalId
    expect(await site.ask('$WITHDRAWAL/approve', { WITHDRAWAL })).toMatchObject({ code: 'UNAVAILABLE' })
    expect(await site.ask('$WITHDRAWAL/reject', { WITHDRAWAL })).toMatchObject({ status: 'success' })
    expect(await site.ask('$FINDING/adopt', { FINDING })).toMatchObject({ status: 'success' })
    const ticket = await site.ticketFor(sold.provider, '0.3')
    expect(await site.chain.usdcOf(address)).toBe(paid)
    await site.redeem(sold.provider, ticket)
    expect(await site.chain.usdcOf(address)).toBe(paid + parseUsdc('0.3'))
    await site.gateways[0].assertBooks()
  },
  STEP_MS,
)

test(
  'every documented diagnosis and action of an incident runs as shown',
  async () => {
    const { address: WALLET } = payers[1].owner.account
    for (const [text, printed] of await handleIncidents(site, { SERVICE: sold.service, WALLET })) {
      expect([text, printed]).toEqual([text, expect.not.stringMatching(/"code":"|ERROR/)])
    }
    const { TOKEN: token } = await site.adminEnvironment()
    for (const what of [`services/${sold.service}`, `wallets/${WALLET}`])
      expect(await post(site.on(), `/admin/${what}/resume`, { token })).toMatchObject({ status: 200 })
    expect((await sold.call(payers[0])).status).toBe(200)
  },
  STEP_MS,
)

test(
  'a lost disk loses no acknowledged call if the log is received as documented',
  async () => {
    const end = await recovery.receive()
    if (end === null) return
    await recovery.backUp('after')
    const load = startLoad('lost', key => callFor(site.on(), sold, payerOf(key), key).catch(() => null))
    await load.more(ANSWERED_MIN)
    await site.machine.database.crash()
    await load.end()
    await end()
    for (const gateway of site.gateways) await gateway.kill9()
    await recovery.restore({ backup: 'after', log: 'received', time: '' })
    expect(await site.machine.operate('npm run reconcile')).toContain('Every invariant holds.')
    const paid = [...load.answers.values()].filter(answer => answer?.status === 200)
    const ids = paid.map(answer => answer?.body.invocationId)
    const found = await site.gateways[0].sql(SUCCEEDED, [ids])
    expect(ids.length).toBeGreaterThanOrEqual(ANSWERED_MIN)
    expect(found).toHaveLength(ids.length)
  },
  STEP_MS,
)

test('every command that commands.ts lists as rehearsed was run', () => {
  const rehearsed = listCommands().filter(({ plan }) => plan === 'rehearsed')
  const left = rehearsed.filter(({ text }) => !site.machine.document.hasTaken(text))
  expect(left.map(({ text }) => text)).toEqual([])
})

/** Waits until the list of findings has a payment that no withdrawal explains; returns its id. */
async function unexplained(): Promise<string> {
  let found = ''
  const list = '-s -H "authorization: Bearer $TOKEN" $GATEWAY/api/v1/admin/findings'
  const isListed = async () => {
    const { findings } = (await site.ask(list)) as { findings: { findingId: string; kind: string }[] }
    found = findings.find(({ kind }) => kind === 'unexplained-redemption')?.findingId ?? ''
    return found !== ''
  }
  await until('the unexplained payment is found', isListed, WAIT_MS)
  return found
}
