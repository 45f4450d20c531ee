import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../gateway.ts'
import { newWallet, send, sessionFor } from '../wallets.ts'
import { oddText } from './odd-json.ts'
import { runs } from './runs.ts'

const RUNS = 80
const SECRET = 'sk-live-0123456789abcdefghij'

let gateway: TestGateway
beforeAll(async () => {
  // Drafts are limited by client and by wallet.
  gateway = await startTestGateway({ env: { TRUST_PROXY: 'true' } })
})
afterAll(() => gateway.stop())

const quoted = (text: string) =>
  fc.constantFrom(
    ...[
      text,
      `'${text.replaceAll("'", `'\\''`)}'`,
      JSON.stringify(text),
      `$'${text.replaceAll("'", "\\'")}'`,
    ],
  )
const word = fc
  .oneof(
    fc.constantFrom(
      ...[
        'https://api.example/v1',
        'http://127.0.0.1:9/x?key=1',
        'api.example/a b',
        'file:///etc/passwd',
        '-',
      ],
      ...[
        '{"a":1}',
        '{"a":',
        '@/etc/passwd',
        'a=b&c=d',
        'x: y',
        'Authorization: Bearer x',
        `X-Api-Key: ${SECRET}`,
      ],
      ...['POST', 'DELETE', 'TRACE', 'user:pass', '9999999999', '-1', '$HOME', '`id`', '$(id)', '*'],
    ),
    oddText,
  )
  .chain(quoted)
const option = fc.constantFrom(
  ...[
    '-X',
    '-H',
    '-d',
    '--data-raw',
    '--data-binary',
    '--data-urlencode',
    '--json',
    '-G',
    '-u',
    '-F',
    '-o',
    '-k',
  ],
  ...[
    '--url',
    '-m',
    '--max-time',
    '-A',
    '-b',
    '-x',
    '--proxy',
    '-T',
    '-K',
    '--next',
    '-',
    '--',
    '--é',
    '-XPOST',
  ],
)
const glue = fc.constantFrom(' ', ' ', ' ', '\t', ' \\\n', ' ^\r\n', '; ', ' | ', ' && ', '\n', '=', '')
const commands = fc
  .array(fc.tuple(fc.oneof(option, word), glue), { maxLength: 14 })
  .map(parts => `curl ${parts.map(pair => pair.join('')).join('')}`)

test('any command is a draft, or refused; and any draft can be sent back as it is', async () => {
  let drafts = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(commands, oddText), fc.ipV4(), async (curlCommand, client) => {
      const token = await sessionFor(gateway.gateway.deps, newWallet().address)
      const path = '/api/v1/services/parse-curl'
      const headers = { 'x-forwarded-for': client }
      const asked = { method: 'POST', token, headers, body: { curlCommand } } as const
      const answer = await send(gateway.url, path, asked)
      expect([200, 400]).toContain(answer.status)
      if (answer.status === 400) return
      drafts += 1
      const manifest = answer.body.manifest as Record<string, unknown>
      const { upstreamHeaders: _, ...shown } = manifest
      expect(JSON.stringify(shown)).not.toContain(SECRET)
      const registered = await send(gateway.url, '/api/v1/services', {
        method: 'POST',
        token,
        body: manifest,
      })
      expect([200, 400, 409, 422]).toContain(registered.status)
      expect(gateway.observer.takeFaults()).toEqual([])
    }),
    runs(RUNS),
  )
  expect(drafts).toBeGreaterThan(0)
})
