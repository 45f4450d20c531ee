import { createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCertificateExpiry, tlsServersOf } from '../../src/adapters/certificates.ts'
import { systemClock } from '../../src/adapters/clock.ts'
import { createMetrics } from '../../src/adapters/metrics.ts'
import { readConfig } from '../../src/config.ts'
import { checkEverything } from '../../src/preflight/check-everything.ts'
import { certificateJobs } from '../../src/runtime/watch-certificates.ts'
import { overTcp } from '../kit/database/test-database.ts'
import { readScrape, type Scrape, scrape } from '../kit/gateway/prometheus.ts'
import {
  type GatewayParts,
  startParts,
  startTestGateway,
  type TestGateway,
  testEnvironment,
} from '../kit/gateway/test-gateway.ts'
import { makeCertificate } from '../kit/network/certificate.ts'
import { listen } from '../kit/network/loopback.ts'
import { startTlsFront, type TlsFront } from '../kit/network/tls-front.ts'
import { conditionOf } from '../kit/prometheus/alert-rules.ts'
import { silent } from '../kit/silent-log.ts'
import { until } from '../kit/until.ts'

const METRICS_TOKEN = 'a token of the metrics'
const DAY_SECONDS = 86_400
const DAYS = { database: 400, chain: 200, public: 10 }
const certificates = {
  database: makeCertificate(DAYS.database),
  chain: makeCertificate(DAYS.chain),
  public: makeCertificate(DAYS.public),
}
const expired = makeCertificate(-3)

let parts: GatewayParts
let fronts: Record<keyof typeof DAYS, TlsFront>
let environment: Record<string, string>
const trusted = getCACertificates('default')
beforeAll(async () => {
  setDefaultCACertificates([...trusted, ...Object.values(certificates).map(({ cert }) => cert)])
  parts = await startParts({})
  const { database, chain } = parts
  fronts = {
    database: await startTlsFront(database.url, certificates.database),
    chain: await startTlsFront(chain.rpcUrl, certificates.chain),
    public: await startTlsFront(chain.rpcUrl, certificates.public),
  }
  const url = overTcp(database.url)
  url.host = `localhost:${fronts.database.port}`
  environment = {
    ...testEnvironment(parts),
    METRICS_TOKEN,
    DATABASE_URL: `${url.href}?sslmode=verify-full`,
    CHAIN_RPC_URL: `https://localhost:${fronts.chain.port}`,
    PUBLIC_URL: `https://127.0.0.1:${fronts.public.port}`,
  }
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await Promise.all(Object.values(fronts).map(front => front.stop()))
  await Promise.all([parts.chain.stop(), parts.database.drop()])
})

const METRIC = 'farebox_certificate_expires_seconds'
const daysOf = (now: Scrape, server: string) => now.value(METRIC, { server }) / DAY_SECONDS
const firing = (now: Scrape) =>
  conditionOf('FareboxCertificateExpires', [{ at: Date.now(), scrape: now }]).map(
    ({ labels }) => labels.server,
  )

describe('a gateway whose database, chain and public URL speak TLS', () => {
  let on: TestGateway
  beforeAll(async () => {
    on = await startTestGateway({ ...parts, env: environment })
  })
  afterAll(() => on.gateway.stop())

  test('exports the remaining validity of each certificate, and the alert names the one of ten days', async () => {
    let now = await scrape(on, METRICS_TOKEN)
    await until('the certificates are read', async () => {
      now = await scrape(on, METRICS_TOKEN)
      return now.has(METRIC, { server: 'public' })
    })
    for (const [server, days] of Object.entries(DAYS)) expect(daysOf(now, server)).toBeCloseTo(days, 1)
    expect(now.has(METRIC, { server: 'ticket_signer' })).toBe(false)
    expect(firing(now)).toEqual(['public'])
  })

  test('has a farebox check row for each, and a warning for the one of ten days', async () => {
    const findings = await checkEverything(environment)
    const rows = findings.filter(({ check }) => check.startsWith('certificate of '))
    expect(rows).toMatchObject([
      {
        check: 'certificate of localhost',
        status: 'ok',
        found: expect.stringMatching(/^expires on 20\S+, in 399 days$/),
      },
      { check: 'certificate of localhost', status: 'ok' },
      {
        check: 'certificate of 127.0.0.1',
        status: 'warning',
        found: expect.stringMatching(/^PUBLIC_URL: the certificate expires on 20\S+, in 9 days\.$/),
      },
    ])
  })
})

test('farebox check fails for an expired certificate, and warns of one that cannot be read', async () => {
  fronts.public.show(expired)
  const rowsOf = async (env: Record<string, string>) =>
    (await checkEverything({ ...environment, ...env })).filter(({ found }) => found.startsWith('PUBLIC_URL'))
  expect(await rowsOf({})).toMatchObject([
    { status: 'failed', found: expect.stringMatching(/^PUBLIC_URL: the certificate expired on 20\S+\.$/) },
  ])
  fronts.public.show(certificates.public)
  expect(await rowsOf({ PUBLIC_URL: 'https://127.0.0.1:1' })).toMatchObject([
    { status: 'warning', found: expect.stringContaining('ECONNREFUSED') },
  ])
})

test('reads a renewed certificate, even an expired one, and keeps the last of an unreachable server', async () => {
  const metrics = createMetrics(silent)
  const servers = tlsServersOf(readConfig(environment))
  const [job] = certificateJobs(servers, { clock: systemClock, log: silent, metrics })
  const database = async () => {
    await job?.run(new AbortController().signal)
    const now = readScrape(await metrics.scrape())
    return { days: daysOf(now, 'database'), firing: firing(now).includes('database') }
  }
  expect(await database()).toEqual({ days: expect.closeTo(DAYS.database, 1), firing: false })
  fronts.database.show(expired)
  expect(await database()).toEqual({ days: expect.closeTo(-3, 1), firing: true })
  fronts.database.show(certificates.chain)
  expect(await database()).toEqual({ days: expect.closeTo(DAYS.chain, 1), firing: false })
  fronts.database.show(certificates.database)
  await fronts.database.stop()
  expect(await database()).toEqual({ days: expect.closeTo(DAYS.chain, 1), firing: false })
})

test('gives up within five seconds on a server that accepts and never answers, or has no TLS', async () => {
  const frozen = await listen(createServer(() => undefined))
  const plain = overTcp(parts.database.url)
  const reads = [
    readCertificateExpiry({ server: 'chain', setting: '', host: '127.0.0.1', port: frozen.port }),
    readCertificateExpiry({ server: 'database', setting: '', host: '127.0.0.1', port: frozen.port }),
    readCertificateExpiry({
      server: 'database',
      setting: '',
      host: plain.hostname,
      port: Number(plain.port),
    }),
  ]
  const outcomes = await Promise.allSettled(reads)
  await frozen.stop()
  const late = 'No TLS handshake within 5 s.'
  expect(outcomes.map(one => one.status === 'rejected' && one.reason.message)).toEqual([
    late,
    late,
    'The database offers no TLS.',
  ])
})

test('has no job without TLS', () => {
  const plain = tlsServersOf(readConfig(testEnvironment(parts)))
  expect(certificateJobs(plain, { clock: systemClock, log: silent, metrics: createMetrics(silent) })).toEqual(
    [],
  )
})
