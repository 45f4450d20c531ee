import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { GatewayError } from '@farebox/wire/errors'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUpstream } from '../../src/adapters/upstream/upstream.ts'
import type { Lookup } from '../../src/adapters/upstream/upstream-connector.ts'
import { runs } from './runs.ts'

// Target URLs that all mean a place that is not of the public internet, however they are written. A canary listens on
// every address of this machine: it is never to hear anything.

const RUNS = 800
const CONNECT_MS_MAX = 2_000

let heard = 0
const canary = createServer(socket => {
  heard += 1
  socket.destroy()
})
let port: number
beforeAll(async () => {
  canary.listen(0, '::')
  await once(canary, 'listening')
  port = (canary.address() as AddressInfo).port
})
afterAll(() => canary.close())

const byte = fc.constantFrom(0, 1, 10, 127, 168, 169, 172, 192, 254, 255)
/** One part of an IPv4 address in one of the notations that inet_aton(3) and the URL standard know. */
const part = (value: number) =>
  fc.constantFrom(
    String(value),
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0${value.toString(8)}`,
    `000${value.toString(8)}`,
    fullWidth(String(value)),
  )
const fullWidth = (digits: string) =>
  [...digits].map(digit => String.fromCodePoint(0xff10 + Number(digit))).join('')

/** Addresses of this machine and its neighbours, written out. */
const privateV4 = fc.oneof(
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.constantFrom(
    [192, 168, 0, 1],
    [169, 254, 169, 254],
    [172, 16, 0, 1],
    [0, 0, 0, 0],
    [100, 100, 100, 200],
  ),
)
const v4 = privateV4.chain(([a = 0, b = 0, c = 0, d = 0]) =>
  fc.oneof(
    fc.tuple(part(a), part(b), part(c), part(d)).map(parts => parts.join('.')),
    part(a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d),
    fc.tuple(part(a), part(b * 2 ** 16 + c * 2 ** 8 + d)).map(parts => parts.join('.')),
    fc.tuple(part(a), part(b), part(c * 2 ** 8 + d)).map(parts => parts.join('.')),
    fc.constantFrom(`[::ffff:${[a, b, c, d].join('.')}]`, `[::${[a, b, c, d].join('.')}]`),
    fc.constant(`[64:ff9b::${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`),
    fc.constant(`[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`),
  ),
)
const v6 = fc.constantFrom(
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[::ffff:0:127.0.0.1]',
  '[2001:db8::1]',
  '[0000:0000:0000:0000:0000:ffff:7f00:0001]',
  '[fe80::1%25lo]',
  '[2001:0:7f00:1::]',
)
/** Names that resolve to a private address among others. */
const names = fc.oneof(
  fc.constantFrom(
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ip6-localhost',
    'metadata.google.internal',
    '127.0.0.1.nip.io',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
    'ⓛocalhost',
    'xn--a',
  ),
  fc.domain(),
)
const privateAddresses = [
  '127.0.0.1',
  '::1',
  '::ffff:127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  'fe80::1',
  '0.0.0.0',
  '::',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.0.192',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '224.0.0.1',
  '240.0.0.1',
]
const meanings = fc
  .tuple(fc.subarray(['8.8.8.8', '2606:4700::1111']), fc.constantFrom(...privateAddresses), fc.boolean())
  .map(([others, bad, isFirst]) => (isFirst ? [bad, ...others] : [...others, bad]))

const urls = fc
  .record({
    scheme: fc.constantFrom(
      'http://',
      'HTTP://',
      'http:',
      'http:\\\\',
      'http:/',
      'https://',
      ' http://',
      'http://\t',
    ),
    userinfo: fc.constantFrom(
      '',
      '',
      '',
      'user@',
      'user:pass@',
      '8.8.8.8@',
      'example.com%00@',
      'example.com\\@',
      'a@b@',
    ),
    host: fc.oneof(v4, v6, names),
    port: fc.constantFrom('here', 'here', 'here', '', ':80', ':0', ':65536', ':08080'),
    rest: fc.constantFrom(
      '/',
      '',
      '/a?b=c',
      '#@example.com/',
      '?@example.com/',
      '/..//',
      '\\@example.com',
      '/\n',
      '/é',
    ),
  })
  .map(({ scheme, userinfo, host, port: where, rest }) => (here: number) => {
    return `${scheme}${userinfo}${host}${where === 'here' ? `:${here}` : where}${rest}`
  })

const resolvingTo =
  (addresses: readonly string[]): Lookup =>
  (_, answer) =>
    answer(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

describe('a target outside the public internet', () => {
  test('is refused at registration and never connected to, however it is written or resolved', async () => {
    await fc.assert(
      fc.asyncProperty(urls, meanings, async (urlAt, addresses) => {
        const url = urlAt(port)
        const upstream = createUpstream(
          { ALLOW_PRIVATE_TARGETS: false, ALLOW_HTTP_TARGETS: true },
          { lookup: resolvingTo(addresses) },
        )
        try {
          await expect(upstream.assertSafeTarget(url, '')).rejects.toBeInstanceOf(GatewayError)
          const answer = await upstream.send({
            url,
            method: 'POST',
            headers: {},
            body: '{}',
            timeoutMs: CONNECT_MS_MAX,
            responseBytesMax: 1_024,
          })
          expect(answer).toMatchObject({ failure: { reason: 'blocked_address', sent: false } })
        } finally {
          await upstream.close()
        }
      }),
      runs(RUNS),
    )
    expect(heard).toBe(0)
  })
})
