import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase, overTcp } from '../kit/database/test-database.ts'
import { startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import type { LogLine } from '../kit/log-lines.ts'
import { makeCertificate } from '../kit/network/certificate.ts'
import { startTlsFront } from '../kit/network/tls-front.ts'

/** The kinds of lines that a good start writes at least: a missing setting, a warning of a library, the end. */
const EXPECTED = [/^SMTP_URL is not set/, /^SECURITY WARNING: The SSL modes/, /^Farebox ready at http/]

test('every line of a clean start in production and of its stop is JSON with level, time and message', async () => {
  const database = await createTestDatabase()
  const certificate = makeCertificate(100)
  const front = await startTlsFront(database.url, certificate)
  const directory = await mkdtemp(join(tmpdir(), 'farebox-start-'))
  const authority = join(directory, 'ca.crt')
  await writeFile(authority, certificate.cert)
  const url = overTcp(database.url)
  url.host = `localhost:${front.port}`
  // Of this mode the driver of the database warns, as plain text by default.
  const env = {
    LOG_LEVEL: 'info',
    DATABASE_URL: `${url.href}?sslmode=require`,
    NODE_EXTRA_CA_CERTS: authority,
  }
  const on = await startGatewayProcess({ database, env })
  try {
    expect(await on.sigterm()).toMatchObject({ code: 0 })
    const lines = on
      .output()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as LogLine)
    for (const line of lines)
      expect(line).toMatchObject({
        level: expect.stringMatching(/^(?:info|warn)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        msg: expect.stringMatching(/./),
      })
    for (const message of EXPECTED)
      expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(message))
  } finally {
    await on.stop()
    await front.stop()
    await rm(directory, { recursive: true })
  }
})
