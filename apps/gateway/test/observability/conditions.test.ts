import { usdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockLedger, lockRows } from '../kit/database/row-locks.ts'
import { chatBody } from '../kit/llm/llm-market.ts'
import { get, post, send } from '../kit/network/http.ts'
import { conditionOf, readAlerts } from '../kit/prometheus/alert-rules.ts'
import { holdAnswers } from '../kit/provider/hold-answers.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { EVERY_JOB_MS_MAX, until } from '../kit/until.ts'
import { newWallet } from '../kit/world/wallets.ts'
import { invoke } from '../kit/world/world.ts'
import { type AlertFixture, startAlertFixture, timedScrape } from './alert-fixture.ts'

// Causes the condition of each alert on a real gateway, and evaluates the alert on real scrapes before and after.
// How long a condition must hold is tested in alerts.test.yaml.

/** Alerts whose condition is not caused here, and where it is. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  FareboxCertificateExpires: 'certificates.test.ts',
  FareboxArchiveLate: 'archiving.test.ts: it takes a quarter of an hour of the database',
  FareboxDiskFull: 'no metric of a gateway',
}

let here: AlertFixture
beforeAll(async () => {
  here = await startAlertFixture()
})
afterAll(() => here.stop())

type Undo = () => unknown

/** How each condition is caused, by the alert and which of its causes it is; each returns how it is undone. */
const CAUSES: Readonly<Record<string, () => Promise<Undo>>> = {
  async FareboxBooksInconsistent() {
    const add = (amount: number) =>
      here.sql("update accounts set posted = posted + $1 where id = 'fees'", [amount])
    await add(1)
    await here.checkBooks()
    return async () => {
      await add(-1)
      await here.checkBooks()
    }
  },
  async FareboxReservesBelowLiabilities() {
    await here.chain.drainVault(usdc(0n))
    await here.chain.mine(2)
    await until('a check finds it', async () => (await here.checkBooks()).findings.length > 0)
    return async () => {
      await here.chain.refillVault()
      await here.chain.mine(2)
      await until('a check is clean', isClean)
    }
  },
  async FareboxTicketSignerDiffers() {
    await here.appoint(newWallet().address)
    await here.watchSigner()
    return async () => {
      await here.appoint(here.signerAddress)
      await here.watchSigner()
    }
  },
  async FareboxTicketSignerAway() {
    here.signer.mood = 'is down'
    await here.watchSigner()
    return async () => {
      here.signer.mood = 'signs'
      await here.watchSigner()
    }
  },
  async FareboxBooksUnchecked() {
    for (const node of here.nodes) node.misbehave({ refuses: true })
    await here.sql("update reconciliations set at = at - interval '11 minutes'")
    return heal
  },
  async FareboxChainLag() {
    for (const node of here.nodes) node.misbehave({ refuses: true })
    // A run under way still ends well, and it stands still from then on.
    await until('the follower stands still', async () => {
      here.time.pass(101)
      await here.look()
      return stillSeconds() > 300
    })
    return heal
  },
  async 'FareboxChainLag by blocks'() {
    // The head moves, and no event can be read.
    for (const node of here.nodes)
      node.misbehave({ alter: method => (method === 'eth_getLogs' ? 'nothing' : undefined) })
    await here.chain.mine(201)
    return heal
  },
  async FareboxChainEndpointNotCounted() {
    here.nodes[1].misbehave({ refuses: true })
    return heal
  },
  async FareboxHoldsOld() {
    here.model.bend({ usage: { replaceBy: undefined } })
    const call = () => invoke(here.on, here.payer, { serviceId: here.chat, payload: { body: chatBody() } })
    for (let made = 0; made < 110; made += 10) await Promise.all(Array.from({ length: 10 }, call))
    return () => here.model.bend({})
  },
  async FareboxWithdrawalsWait() {
    const { token } = here.sold.provider
    const asked = await post(here.on, '/providers/withdrawals/intent', {
      token,
      body: { amountUsdc: '0.01' },
      headers: { 'x-idempotency-key': crypto.randomUUID() },
    })
    expect(asked.body).toMatchObject({ statusLabel: 'PENDING_REVIEW' })
    await here.sql("update withdrawals set updated_at = updated_at - interval '61 minutes'")
    return () => here.sql('update withdrawals set updated_at = now()')
  },
  async FareboxDatabaseAway() {
    here.proxy.refuse()
    return () => here.proxy.pass()
  },
  async FareboxServerErrors() {
    here.proxy.refuse()
    const ask = async () =>
      expect((await get(here.on, '/auth/me', { token: here.payer.owner.token })).status).toBe(503)
    await ask()
    // The first value of a series is no increase.
    await here.look()
    await ask()
    return () => here.proxy.pass()
  },
  async FareboxCallsEndInFaults() {
    const { upstream } = here.sold
    const held = holdAnswers(upstream)
    const running = here.call()
    await until('the provider has the call', () => held.waiting() === 1)
    await here.sql('revoke insert on ledger_log from farebox_gateway')
    held.release()
    expect((await running).status).toBe(500)
    upstream.respondWith((_, response) => sendJson(response, 200, {}))
    return () => here.sql('grant insert on ledger_log to farebox_gateway')
  },
  async FareboxCallsShed() {
    const lock = await lockLedger(here.on.database.ownerUrl, here.payer.owner)
    const calls = Array.from({ length: 60 }, here.call)
    await Promise.race(calls)
    return async () => {
      await lock.release()
      await Promise.all(calls)
    }
  },
  async FareboxGatewaySlow() {
    const lock = await lockLedger(here.on.database.ownerUrl, here.payer.owner)
    const from = Date.now()
    const running = here.call()
    await until('it has waited for its hold', () => Date.now() - from > 300)
    await lock.release()
    expect((await running).status).toBe(200)
    return () => undefined
  },
  async FareboxPoolExhausted() {
    const lock = await lockRows(here.on.database.ownerUrl, 'lock table webhooks in access exclusive mode', [])
    const { token } = here.payer.owner
    const reads = Array.from({ length: 8 }, () => get(here.on, '/webhooks', { token }))
    return async () => {
      await lock.release()
      await Promise.all(reads)
    }
  },
  async FareboxClocksApart() {
    here.time.machineAheadMs = 10_000
    await send(here.on.url, '/ready')
    return () => {
      here.time.machineAheadMs = 0
    }
  },
  async FareboxQueueGivenUp() {
    await here.sql("select graphile_worker.add_job('mail-verification-code', '{}'::json, max_attempts := 1)")
    return () => here.sql('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))')
  },
  async FareboxVacuumBehind() {
    await here.sql(`do $$ begin
      insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at)
        select '', '', true, 0, now() from generate_series(1, 1000100);
      perform pg_stat_force_next_flush();
      raise exception 'rolled back';
    exception when raise_exception then null;
    end $$`)
    await until('the database has counted the dead rows', async () => {
      const [row] = await here.sql<{ dead: string }>(
        "select pg_stat_get_dead_tuples('health_probes'::regclass) as dead",
      )
      return Number(row?.dead) > 1e6
    })
    here.time.pass(61)
    return () => undefined
  },
  // The last: what the vault has paid is missing from now on.
  async FareboxChainFinding() {
    await here.payUnknownTicket()
    return () => undefined
  },
}

const stillSeconds = () => here.scrapes.at(-1)?.scrape.value('farebox_follower_still_seconds') ?? 0

const alertOf = (title: string) => title.split(' ')[0] ?? ''

/** Ends the faults of the nodes; the chain goes on, and the books are checked. */
async function heal(): Promise<void> {
  for (const node of here.nodes) node.misbehave()
  await here.chain.mine()
  await until('a check is clean', isClean)
}

const isClean = async () => (await here.checkBooks()).findings.length === 0

test.each(Object.entries(CAUSES))(
  '%s is true once its condition is, and not before',
  async (title, cause) => {
    const alert = alertOf(title)
    let from = 0
    const isTrue = async () => {
      await here.look()
      return conditionOf(alert, here.scrapes.slice(from)).length > 0
    }
    // The gateway may still recover from the condition before, and a call on a busy machine may be slow.
    await until(`a call is answered, and ${alert} is false`, async () => {
      from = here.scrapes.length
      await here.look()
      return (await here.call()).status === 200 && !(await isTrue())
    })
    const undo = await cause()
    try {
      await until(`${alert} is true`, isTrue)
    } finally {
      await undo()
    }
  },
)

/** Alerts of a gateway whose job has never succeeded, and then of one that has stopped. */
const NEVER_DONE = ['FareboxSealsLate', 'FareboxJobStandsStill']
const STOPPED = ['FareboxGatewayDown', 'FareboxAllGatewaysDown']

async function trueOf(alerts: readonly string[], gateway: { readonly url: string }): Promise<string[]> {
  const now = await timedScrape(gateway)
  return alerts.filter(alert => conditionOf(alert, [now]).length > 0)
}

test('reports a job that has never succeeded as stalled, and a stopped gateway as down', async () => {
  const isEveryJobDone = async () => (await trueOf(NEVER_DONE, here.on)).length === 0
  await until('every job has succeeded', isEveryJobDone, EVERY_JOB_MS_MAX)
  await here.sql('revoke select on seals from farebox_gateway')
  const second = await here.startAnother()
  try {
    await until('both alerts are true', async () => (await trueOf(NEVER_DONE, second)).length === 2)
    // Jobs that delete wait at first: they are no reason.
    const stalled = conditionOf('FareboxJobStandsStill', [await timedScrape(second)])
    expect(stalled.map(({ labels }) => labels.name)).toContain('seal-entries')
    expect(await trueOf(STOPPED, second)).toEqual([])
  } finally {
    await here.sql('grant select on seals to farebox_gateway')
    await second.stop()
  }
  expect(await trueOf(STOPPED, second)).toEqual(STOPPED)
  expect(conditionOf('FareboxAllGatewaysDown', [])).toHaveLength(1)
})

test('every alert is tested here or elsewhere', () => {
  const caused = [...Object.keys(CAUSES).map(alertOf), ...NEVER_DONE, ...STOPPED, ...Object.keys(ELSEWHERE)]
  expect([...new Set(caused)].toSorted()).toEqual(
    readAlerts()
      .map(({ alert }) => alert)
      .toSorted(),
  )
})
