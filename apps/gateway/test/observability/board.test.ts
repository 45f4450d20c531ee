import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatBody, invokeStream } from '../kit/llm/llm-market.ts'
import { makeCertificate } from '../kit/network/certificate.ts'
import { get } from '../kit/network/http.ts'
import { startTlsFront, type TlsFront } from '../kit/network/tls-front.ts'
import { seriesOf } from '../kit/prometheus/alert-rules.ts'
import { evaluate } from '../kit/prometheus/evaluate-query.ts'
import { parseQuery } from '../kit/prometheus/parse-query.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { mint } from '../kit/world/world.ts'
import { newSettler } from '../kit/world/x402-client.ts'
import { type AlertFixture, startAlertFixture } from './alert-fixture.ts'

const FILE = join(import.meta.dirname, '../../../../deploy/grafana/farebox.json')
const { panels } = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
}
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

let here: AlertFixture
let front: TlsFront
let slow: { readonly token: string }
beforeAll(async () => {
  front = await startTlsFront('http://127.0.0.1:1', makeCertificate(100))
  here = await startAlertFixture({
    ...newSettler().env,
    PUBLIC_URL: `https://127.0.0.1:${front.port}`,
  })
  slow = await mint(here.on, here.payer.owner, { rpm: 1 })
})
afterAll(async () => {
  await here.stop()
  await front.stop()
})

/** Sends requests of every kind, and has a job and an endpoint fail. */
async function traffic(): Promise<void> {
  const count = async () => {
    await here.look()
    const now = here.scrapes.at(-1)?.scrape
    return (name: string, labels: Record<string, string> = {}) => now?.value(name, labels) ?? 0
  }
  const before = await count()
  const { upstream, call } = here.sold
  expect((await here.call()).status).toBe(200)
  expect((await call(here.payer, { costUsdc: '0.5' })).body.code).toBe('PRICE_MISMATCH')
  upstream.respondWith((_, response) => sendJson(response, 500, {}))
  expect((await here.call()).status).toBe(502)
  upstream.respondWith((_, response) => sendJson(response, 200, {}))
  for (let asked = 0; asked < 2; asked += 1) await call(slow)
  const stream = { serviceId: here.chat, payload: { body: chatBody({ stream: true }) } }
  expect((await invokeStream(here.on, here.payer, stream)).text).toContain('[DONE]')
  await get(here.on, '/auth/me', { token: here.payer.owner.token })
  await here.sql("select graphile_worker.add_job('mail-verification-code', '{}'::json, max_attempts := 1)")

  here.nodes[1].misbehave({ refuses: true })
  await until('a job, an endpoint and queued work have failed', async () => {
    const now = await count()
    const has = (name: string, labels?: Record<string, string>) => now(name, labels) > before(name, labels)
    return (
      has('farebox_job_runs_total', { outcome: 'failed' }) &&
      has('farebox_chain_endpoint_faults_total') &&
      now('farebox_queue_jobs', { state: 'given_up' }) > before('farebox_queue_jobs', { state: 'given_up' })
    )
  })
  here.nodes[1].misbehave()
}

test('every query of the board has values after traffic', async () => {
  // The first value of a series is no increase.
  await traffic()
  await traffic()
  await until('the gauges of jobs are set', async () => {
    await here.look()
    const { scrape } = here.scrapes.at(-1) ?? {}
    return ['farebox_x402_payments_affordable', 'farebox_certificate_expires_seconds'].every(name =>
      scrape?.has(name),
    )
  })
  const series = seriesOf(here.scrapes)
  const at = here.scrapes.at(-1)?.at ?? 0
  const empty = queries.filter(text => {
    const query = text.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m')
    const value = evaluate(parseQuery(query), series, at)
    return typeof value === 'number' || value.length === 0 || value.some(one => !Number.isFinite(one.value))
  })
  expect(queries.length).toBeGreaterThan(50)
  // This database archives nothing.
  expect(empty).toEqual(['max(farebox_archive_age_seconds{instance=~"$instance"})'])
})
