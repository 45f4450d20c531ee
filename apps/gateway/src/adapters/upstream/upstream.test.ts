import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../../../test/kit/until.ts'
import type { UpstreamRequest, UpstreamStream } from '../../upstream-ports.ts'
import { type ClosableUpstream, createUpstream } from './upstream.ts'
import type { Lookup } from './upstream-connector.ts'

const open = { ALLOW_PRIVATE_TARGETS: true, ALLOW_HTTP_TARGETS: true }
const guarded = { ALLOW_PRIVATE_TARGETS: false, ALLOW_HTTP_TARGETS: true }
const KIB = 1_024

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function upstream(policy = open, lookup?: Lookup): ClosableUpstream {
  const made = createUpstream(policy, lookup === undefined ? {} : { lookup })
  cleanups.push(() => made.close())
  return made
}

async function listening<Listener extends Server | TcpServer>(server: Listener): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function provider(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(respond)
  let connections = 0
  let requests = 0
  server.on('connection', () => {
    connections += 1
  })
  server.on('request', () => {
    requests += 1
  })
  const port = await listening(server)
  const counts = () => ({ connections, requests })
  return { server, port, url: `http://127.0.0.1:${port}/`, counts }
}

function call(url: string, more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    url,
    method: 'POST',
    headers: {},
    body: '{}',
    timeoutMs: 5_000,
    responseBytesMax: 64 * KIB,
    ...more,
  }
}

const failed = (reason: string, sent: boolean, status?: number) => ({
  failure: { reason, sent, answered: status !== undefined, ...(status !== undefined && { status }) },
})

describe('an answer', () => {
  test('is returned whole with status and content type, whatever its status', async () => {
    const seen: string[] = []
    const { url } = await provider(async (request, response) => {
      for await (const chunk of request) seen.push(String(chunk))
      response.writeHead(404, { 'content-type': 'application/json' })
      response.write('{"a":')
      response.end('1}')
    })
    const answer = await upstream().send(call(`${url}x?y=1`, { body: '{"é":1}' }))
    expect(answer).toEqual({
      status: 404,
      contentType: 'application/json',
      retryAfterSeconds: null,
      body: Buffer.from('{"a":1}'),
    })
    expect(seen).toEqual(['{"é":1}'])
  })

  test.each([
    [429, '120', 120],
    [503, 'in a while', null],
    [200, '120', null],
  ])('of %i with a Retry-After of %j is returned with %j', async (status, asked, retryAfterSeconds) => {
    const { url } = await provider((_, response) =>
      response.writeHead(status, { 'retry-after': asked }).end(),
    )
    expect(await upstream().send(call(url))).toMatchObject({ status, retryAfterSeconds })
  })

  test('is requested with the given headers and those of HTTP only', async () => {
    let headers: IncomingMessage['headers'] = {}
    const { url, port } = await provider((request, response) => {
      headers = request.headers
      response.end()
    })
    await upstream().send(call(url, { headers: { 'x-a': 'b', 'Accept-Encoding': 'gzip' } }))
    expect(headers).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      'content-length': '2',
      'accept-encoding': 'identity',
      'x-a': 'b',
    })
  })

  test('to HEAD has no body, and GET sends none', async () => {
    const { url } = await provider((request, response) => {
      response.setHeader('x-body', String(request.headers['content-length']))
      response.end('body')
    })
    const reached = upstream()
    expect(await reached.send(call(url, { method: 'HEAD', body: null }))).toMatchObject({ status: 200 })
    expect(await reached.send(call(url, { method: 'GET', body: null }))).toMatchObject({
      body: Buffer.from('body'),
    })
  })

  test('is the final one after an early hint', async () => {
    const { url } = await provider((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end('final')
    })
    expect(await upstream().send(call(url))).toMatchObject({ status: 200, body: Buffer.from('final') })
  })

  test.each([
    ['100 that was not asked for', ['HTTP/1.1 100 Continue\r\n\r\n']],
    [
      '100 in the same packet',
      ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-le', 'ngth: 5\r\n\r\nfinal'],
    ],
    ['100 without a reason, in single bytes', [...'HTTP/1.1 100\r\nx: y\r\n\r\n']],
    [
      '103, a 102 and a 100',
      ['HTTP/1.1 103 \r\nlink: </a>\r\n\r\nHTTP/1.1 102 \r\n\r\nHTTP/1.0 100 \r\n\r\n'],
    ],
  ])('is the final one after a %s, for every call of a connection', async (_, parts) => {
    const final = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfinal'
    let connections = 0
    const port = await listening(
      createTcpServer(socket => {
        connections += 1
        socket.setNoDelay(true)
        socket.on('data', async () => {
          for (const part of parts.join('').includes('final') ? parts : [...parts, final]) {
            socket.write(part)
            await new Promise(setImmediate)
          }
        })
      }),
    )
    const reached = upstream()
    for (let index = 0; index < 5; index += 1) {
      const answer = await reached.send(call(`http://127.0.0.1:${port}/`))
      expect(answer).toMatchObject({ status: 200, body: Buffer.from('final') })
    }
    expect(connections).toBeLessThanOrEqual(2)
  })

  test('leaves its connection open for the next call', async () => {
    const { url, counts } = await provider((_, response) => response.end('x'))
    const reached = upstream()
    for (let index = 0; index < 20; index += 1) await reached.send(call(url))
    expect(counts().requests).toBe(20)
    // Two, not one: a call that follows at once may find the connection of the one before still being cleared.
    expect(counts().connections).toBeLessThanOrEqual(2)
  })
})

describe('a provider that fails', () => {
  test('by refusing connections: connect, nothing sent', async () => {
    const { server, url } = await provider(() => undefined)
    server.close()
    await once(server, 'close')
    expect(await upstream().send(call(url))).toEqual(failed('connect', false))
  })

  test('by a name that does not resolve: connect, nothing sent', async () => {
    const lookup: Lookup = (_, answer) => answer(new Error('ENOTFOUND'), [])
    expect(await upstream(open, lookup).send(call('http://nowhere.test/'))).toEqual(failed('connect', false))
    const none: Lookup = (_, answer) => answer(null, [])
    expect(await upstream(open, none).send(call('http://nowhere.test/'))).toEqual(failed('connect', false))
  })

  test('by never answering: timeout, within the deadline', async () => {
    const { url } = await provider(() => undefined)
    const startedAt = performance.now()
    expect(await upstream().send(call(url, { timeoutMs: 100 }))).toEqual(failed('timeout', true))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('by dripping its body: timeout, however steadily it drips', async () => {
    const { url } = await provider((_, response) => {
      const drip = setInterval(() => response.write('.'), 10)
      response.once('close', () => clearInterval(drip))
    })
    expect(await upstream().send(call(url, { timeoutMs: 1_500 }))).toEqual(failed('timeout', true, 200))
  })

  test('by dripping its headers: timeout', async () => {
    const port = await listening(
      createTcpServer(socket => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x: y\r\n'), 10)
        socket.once('close', () => clearInterval(drip))
      }),
    )
    const answer = await upstream().send(call(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }))
    expect(answer).toEqual(failed('timeout', true))
  })

  test('by a name server that hangs: timeout, nothing sent', async () => {
    const lookup: Lookup = () => undefined
    const answer = await upstream(open, lookup).send(call('http://slow.test/', { timeoutMs: 100 }))
    expect(answer).toEqual(failed('timeout', false))
  })

  test('by cutting the line in mid-body: reset, sent', async () => {
    const { url } = await provider((request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => request.socket.resetAndDestroy())
    })
    expect(await upstream().send(call(url))).toEqual(failed('reset', true, 200))
  })

  test('by ending short of its content length: reset', async () => {
    const { url } = await provider((request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => request.socket.end())
    })
    expect(await upstream().send(call(url))).toEqual(failed('reset', true, 200))
  })

  test('by ending a chunked body without its last chunk: reset', async () => {
    const { url } = await provider((request, response) => {
      response.write('half', () => request.socket.end())
    })
    expect(await upstream().send(call(url))).toEqual(failed('reset', true, 200))
  })

  test('by cutting the line before its head: reset, sent, not answered', async () => {
    const { url } = await provider(request => request.socket.destroy())
    expect(await upstream().send(call(url))).toEqual(failed('reset', true))
  })

  test('by not speaking HTTP: reset', async () => {
    const port = await listening(createTcpServer(socket => socket.end('SSH-2.0-OpenSSH\r\n')))
    expect(await upstream().send(call(`http://127.0.0.1:${port}/`))).toEqual(failed('reset', true))
  })

  test('by headers without end: too_large', async () => {
    const port = await listening(
      createTcpServer(socket => {
        socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(64 * KIB)}`)
      }),
    )
    expect(await upstream().send(call(`http://127.0.0.1:${port}/`))).toEqual(failed('too_large', true))
  })

  test.each([
    ['one without end', `HTTP/1.1 100 Continue\r\nx: ${'y'.repeat(64 * KIB)}`],
    ['too many', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(4 * KIB)],
  ])('by interim answers, %s: too_large', async (_, bytes) => {
    const port = await listening(createTcpServer(socket => void socket.write(bytes)))
    expect(await upstream().send(call(`http://127.0.0.1:${port}/`))).toEqual(failed('too_large', true))
  })

  test('by changing to another protocol: reset', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
    const port = await listening(createTcpServer(socket => void socket.write(switching)))
    expect(await upstream().send(call(`http://127.0.0.1:${port}/`))).toEqual(failed('reset', true))
  })

  test.each([301, 302, 303, 307, 308])(
    'by redirecting (%i): redirect, which is not followed',
    async status => {
      const inner = await provider((_, response) => response.end('secret'))
      const { url } = await provider((_, response) => {
        response.writeHead(status, { location: inner.url })
        response.end()
      })
      expect(await upstream().send(call(url))).toEqual(failed('redirect', true, status))
      expect(inner.counts()).toEqual({ connections: 0, requests: 0 })
    },
  )

  test.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'GZIP'])(
    'by encoding its answer (%s) unasked: encoding, nothing is decoded',
    async encoding => {
      const { url } = await provider((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding })
        response.end(gzipSync(Buffer.alloc(1_000 * KIB)))
      })
      expect(await upstream().send(call(url))).toEqual(failed('encoding', true, 200))
    },
  )

  test('by sending more than the limit: too_large, reading stops', async () => {
    let written = 0
    const { url } = await provider((_, response) => {
      const more = () => {
        if (response.destroyed) return
        written += 64 * KIB
        response.write(Buffer.alloc(64 * KIB), more)
      }
      more()
    })
    expect(await upstream().send(call(url, { responseBytesMax: 256 * KIB }))).toEqual(
      failed('too_large', true, 200),
    )
    expect(written).toBeLessThan(32 * 1_024 * KIB)
  })

  test('does not delay others', async () => {
    const bad = await provider(() => undefined)
    const good = await provider((_, response) => response.end('ok'))
    const reached = upstream()
    const hanging = Array.from({ length: 200 }, () => reached.send(call(bad.url, { timeoutMs: 5_000 })))
    let hasOneEnded = false
    for (const call_ of hanging) call_.then(() => (hasOneEnded = true))
    const answers = await Promise.all(Array.from({ length: 50 }, () => reached.send(call(good.url))))
    expect(answers.every(answer => 'status' in answer)).toBe(true)
    expect(hasOneEnded).toBe(false)
    for (const answer of await Promise.all(hanging)) expect(answer).toEqual(failed('timeout', true))
  })

  test('gets a bounded number of concurrent calls, at most half of them for one owner', async () => {
    const { url } = await provider((request, response) => {
      if (request.url === '/quick') response.end('ok')
    })
    const reached = upstream()
    const refused: unknown[] = []
    const hanging = Array.from({ length: 2_100 }, async () => {
      const answer = await reached.send(call(url, { owner: 'one', timeoutMs: 20_000 }))
      if ('failure' in answer && answer.failure.reason === 'connect') refused.push(answer)
    })
    for (const owner of ['other', undefined])
      expect(await reached.send(call(`${url}quick`, { ...(owner && { owner }) }))).toMatchObject({
        status: 200,
      })
    expect(refused).toHaveLength(2_100 - 2_048)
    expect(refused[0]).toEqual({
      failure: { reason: 'connect', sent: false, answered: false, isCrowded: true },
    })
    await reached.close()
    await Promise.all(hanging)
  })

  test('is reached again once it recovers', async () => {
    let isWell = false
    const { url } = await provider((_, response) => {
      if (isWell) response.end('ok')
    })
    const reached = upstream()
    await Promise.all(Array.from({ length: 20 }, () => reached.send(call(url, { timeoutMs: 50 }))))
    isWell = true
    expect(await reached.send(call(url))).toMatchObject({ status: 200 })
  })
})

describe('forwarded values', () => {
  test.each(['a\r\nx-evil: 1', 'a\nb', 'a\rb', 'a\0b'])(
    'that break the line (%j) are never sent',
    async value => {
      const { url, counts } = await provider((_, response) => response.end())
      const reached = upstream()
      expect(await reached.send(call(url, { headers: { 'x-a': value } }))).toEqual(failed('connect', false))
      expect(await reached.send(call(url, { headers: { [`x${value}`]: 'a' } }))).toEqual(
        failed('connect', false),
      )
      expect(counts().requests).toBe(0)
    },
  )

  test('cannot smuggle a second request by their framing', async () => {
    const { url, counts } = await provider((_, response) => response.end())
    const answer = await upstream().send(call(url, { headers: { 'transfer-encoding': 'chunked' } }))
    expect(answer).toEqual(failed('connect', false))
    expect(counts().requests).toBe(0)
  })
})

describe('where private targets are not allowed', () => {
  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '[::1]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ])('http://%s is not called', async host => {
    const { port, counts } = await provider((_, response) => response.end())
    expect(await upstream(guarded).send(call(`http://${host}:${port}/`))).toEqual(
      failed('blocked_address', false),
    )
    expect(counts().connections).toBe(0)
  })

  test('localhost is not called, by the system resolver', async () => {
    const { port, counts } = await provider((_, response) => response.end())
    expect(await upstream(guarded).send(call(`http://localhost:${port}/`))).toEqual(
      failed('blocked_address', false),
    )
    expect(counts().connections).toBe(0)
  })

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['2606:4700::1111', 'fd00::1']],
  ])('a name that resolves to %j is not called', async addresses => {
    const { port, counts } = await provider((_, response) => response.end())
    const reached = upstream(
      guarded,
      resolvingTo(() => addresses),
    )
    expect(await reached.send(call(`http://name.test:${port}/`))).toEqual(failed('blocked_address', false))
    expect(counts().connections).toBe(0)
  })

  test('a name that is public at registration and private at the call is not called', async () => {
    const { port, counts } = await provider((_, response) => response.end())
    const meanings = [['8.8.8.8'], ['127.0.0.1']]
    const reached = upstream(
      guarded,
      resolvingTo(() => meanings.shift() ?? ['127.0.0.1']),
    )
    await reached.assertSafeTarget(`http://rebinding.test:${port}/`, 'a')
    expect(await reached.send(call(`http://rebinding.test:${port}/`))).toEqual(
      failed('blocked_address', false),
    )
    expect(counts().connections).toBe(0)
  })

  test('neither a URL of another scheme nor one with credentials is called', async () => {
    const reached = upstream(guarded)
    for (const url of ['ftp://example.com/', 'http://a:b@example.com/', 'nonsense']) {
      expect(await reached.send(call(url))).toEqual(failed('blocked_address', false))
    }
  })
})

describe('a name that resolves', () => {
  test('is connected to at the checked address, under its own name', async () => {
    const hosts: (string | undefined)[] = []
    const { port, counts } = await provider((request, response) => {
      hosts.push(request.headers.host)
      response.end()
    })
    let lookups = 0
    const reached = upstream(
      open,
      resolvingTo(() => {
        lookups += 1
        return ['127.0.0.1']
      }),
    )
    for (let index = 0; index < 5; index += 1) await reached.send(call(`http://provider.test:${port}/`))
    expect(lookups).toBe(counts().connections)
    expect(new Set(hosts)).toEqual(new Set([`provider.test:${port}`]))
  })

  test('is used for TLS instead of its address', async () => {
    const hello = Promise.withResolvers<string>()
    const port = await listening(
      createTcpServer(socket => {
        socket.once('data', bytes => {
          hello.resolve(bytes.toString('latin1'))
          socket.destroy()
        })
      }),
    )
    const reached = upstream(
      open,
      resolvingTo(() => ['127.0.0.1']),
    )
    const answer = await reached.send(call(`https://provider.test:${port}/`))
    expect(answer).toEqual(failed('connect', false))
    expect(await hello.promise).toContain('provider.test')
  })
})

describe('a target at registration', () => {
  const reasonOf = async (url: string, policy = guarded, lookup?: Lookup) =>
    upstream(policy, lookup)
      .assertSafeTarget(url, 'a')
      .then(
        () => 'taken',
        error => `${error.code} ${error.context.reason}`,
      )

  test.each([
    ['http://127.0.0.1/', 'blocked_address'],
    ['http://2130706433/', 'blocked_address'],
    ['http://0x7f000001/', 'blocked_address'],
    ['http://017700000001/', 'blocked_address'],
    ['http://[::ffff:7f00:1]/', 'blocked_address'],
    ['http://[::]/', 'blocked_address'],
    ['http://169.254.169.254/latest/meta-data/', 'blocked_address'],
    ['http://localhost:5432/', 'blocked_address'],
    ['http://user:secret@example.com/', 'userinfo'],
    ['file:///etc/passwd', 'scheme'],
    ['not a url', 'malformed'],
    [`http://example.com/${'a'.repeat(2_048)}`, 'too_long'],
  ])('%.60s is rejected: %s', async (url, reason) => {
    expect(await reasonOf(url)).toBe(`UNSAFE_TARGET_URL ${reason}`)
  })

  test('is rejected when one of its addresses is private, and accepted when all are public', async () => {
    const mixed = resolvingTo(() => ['8.8.8.8', '10.0.0.1'])
    expect(await reasonOf('http://name.test/', guarded, mixed)).toBe('UNSAFE_TARGET_URL blocked_address')
    expect(
      await reasonOf(
        'http://name.test/',
        guarded,
        resolvingTo(() => ['8.8.8.8']),
      ),
    ).toBe('taken')
    expect(await reasonOf('http://8.8.8.8/')).toBe('taken')
  })

  test('is rejected when its name does not resolve', async () => {
    const lookup: Lookup = (_, answer) => answer(new Error('ENOTFOUND'), [])
    expect(await reasonOf('http://name.test/', guarded, lookup)).toBe('UNSAFE_TARGET_URL unresolvable')
  })

  test('is not resolved while too many names are, of its owner or of all, so that silent names leave sockets', async () => {
    const waiting: (() => void)[] = []
    const silent: Lookup = (_, answer) => void waiting.push(() => answer(new Error('ENOTFOUND'), []))
    const reached = upstream(guarded, silent)
    const codes: string[] = []
    const check = (owner: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        reached
          .assertSafeTarget(`http://${index}.${owner}.test/`, owner)
          .catch(error => void codes.push(error.code)),
      )
    const flood = check('a', 1_000)
    await until('the names above the limit are refused', () => codes.length === 1_000 - waiting.length)
    expect(new Set(codes)).toEqual(new Set(['UNAVAILABLE']))
    expect(waiting.length).toBeLessThanOrEqual(64)
    const others = Array.from({ length: 50 }, (_, index) => check(`b${index}`, 100)).flat()
    await until('the names of other owners are refused too', () => codes.length === 6_000 - waiting.length)
    expect(waiting.length).toBeGreaterThan(128)
    expect(waiting.length).toBeLessThanOrEqual(256)
    for (const answer of waiting.splice(0)) answer()
    await Promise.all([...flood, ...others])
    const [next] = check('a', 1)
    await until('its next name is resolved', () => waiting.length === 1)
    waiting[0]?.()
    await next
    expect(codes.at(-1)).toBe('UNSAFE_TARGET_URL')
  })

  test('is not resolved where private targets are allowed, but its form is still checked', async () => {
    const lookup: Lookup = () => {
      throw new Error('A name was looked up.')
    }
    expect(await reasonOf('http://name.test/', open, lookup)).toBe('taken')
    expect(await reasonOf('http://127.0.0.1:1/', open, lookup)).toBe('taken')
    expect(await reasonOf('gopher://name.test/', open, lookup)).toBe('UNSAFE_TARGET_URL scheme')
  })

  test('is rejected with a reason that omits its credentials', async () => {
    const refused = await upstream(guarded)
      .assertSafeTarget('http://user:secret@example.com/', 'a')
      .catch((error: Error) => error)
    expect(JSON.stringify(refused)).not.toContain('secret')
  })
})

function resolvingTo(addresses: () => readonly string[]): Lookup {
  return (_, answer) =>
    answer(
      null,
      addresses().map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
}

describe('an opened answer', () => {
  const events = 'text/event-stream; charset=utf-8'

  /** Opens an event stream that the provider writes; fails when the answer came whole. */
  async function opened(
    respond: (response: ServerResponse, request: IncomingMessage) => void,
    more: Partial<UpstreamRequest> = {},
  ): Promise<UpstreamStream> {
    const { url } = await provider((request, response) => {
      response.on('error', () => undefined)
      response.writeHead(200, { 'content-type': events })
      response.flushHeaders()
      respond(response, request)
    })
    const answer = await upstream().open(call(url, more))
    if (!('read' in answer)) throw new Error(`It came whole: ${JSON.stringify(answer)}`)
    return answer
  }

  async function readAll(stream: UpstreamStream): Promise<{ text: string; end: unknown }> {
    let text = ''
    for (;;) {
      const piece = await stream.read()
      if (piece === null || 'failure' in piece) return { text, end: piece }
      text += piece.toString()
    }
  }

  test('is returned with its head before the body arrives', async () => {
    const later = Promise.withResolvers<void>()
    const stream = await opened(async response => {
      await later.promise
      response.end('data: 1\n\n')
    })
    expect(stream).toMatchObject({ status: 200, contentType: events })
    later.resolve()
    expect(await readAll(stream)).toEqual({ text: 'data: 1\n\n', end: null })
    expect(await stream.read()).toBeNull()
  })

  test('is returned whole unless it is a successful event stream', async () => {
    for (const [status, type] of [
      [200, 'application/json'],
      [200, 'text/event-streams'],
      [500, events],
      [404, events],
    ] as const) {
      const { url } = await provider((_, response) => {
        response.writeHead(status, { 'content-type': type })
        response.end('{}')
      })
      const answer = await upstream().open(call(url))
      expect(answer).toMatchObject({ status, contentType: type, body: Buffer.from('{}') })
    }
  })

  test('is still collected by `send`', async () => {
    const { url } = await provider((_, response) => {
      response.writeHead(200, { 'content-type': events })
      response.end('data: 1\n\n')
    })
    expect(await upstream().send(call(url))).toMatchObject({ body: Buffer.from('data: 1\n\n') })
  })

  test('that breaks off is read to the break, and then fails permanently', async () => {
    const stream = await opened(response => {
      response.write('data: 1\n\n', () => response.socket?.destroySoon())
    })
    const { text, end } = await readAll(stream)
    expect([text, end]).toEqual(['data: 1\n\n', failed('reset', true, 200)])
    expect(await stream.read()).toEqual(failed('reset', true, 200))
  })

  test('that breaks its framing fails instead of ending', async () => {
    const { url } = await provider((_, response) => {
      response.writeHead(200, { 'content-type': events, 'content-length': '100' })
      response.write('data: 1\n\n', () => response.socket?.destroySoon())
    })
    const answer = await upstream().open(call(url))
    if (!('read' in answer)) throw new Error('It came whole.')
    expect((await readAll(answer)).end).toEqual(failed('reset', true, 200))
  })

  test('past the total deadline fails, however steadily it drips', async () => {
    const stream = await opened(
      async response => {
        while (!response.destroyed) {
          response.write(': x\n\n')
          await new Promise(done => setImmediate(done))
        }
      },
      { timeoutMs: 300, responseBytesMax: 1_024 * 1_024 * KIB },
    )
    const from = Date.now()
    expect((await readAll(stream)).end).toEqual(failed('timeout', true, 200))
    expect(Date.now() - from).toBeLessThan(10_000)
  })

  test('has limits of its own after its head: idle time and total time', async () => {
    const stream = { idleMs: 300, maxMs: 5_000, bytesMax: 10_000 }
    const drip = async (response: ServerResponse, times: number) => {
      for (let sent = 0; sent < times && !response.destroyed; sent += 1) {
        response.write(`data: ${sent}\n\n`)
        await new Promise(done => setTimeout(done, 100))
      }
    }
    const silent = await opened(response => drip(response, 6), {
      timeoutMs: 200,
      responseBytesMax: 10,
      stream,
    })
    const { text, end } = await readAll(silent)
    expect(text).toContain('data: 5')
    expect(end).toEqual({ failure: { ...failed('timeout', true, 200).failure, isIdle: true } })

    const steady = await opened(response => drip(response, 100), {
      timeoutMs: 200,
      stream: { ...stream, maxMs: 500 },
    })
    const from = Date.now()
    expect((await readAll(steady)).end).toEqual(failed('timeout', true, 200))
    expect(Date.now() - from).toBeLessThan(3_000)
    const great = await opened(response => response.end('x'.repeat(10_001)), { stream })
    expect((await readAll(great)).end).toEqual(failed('too_large', true, 200))
  })

  test('is not idle while its reader holds it back', async () => {
    const total = 48 * 1_024 * KIB
    const stream = await opened(response => response.end(Buffer.alloc(total, 'x')), {
      stream: { idleMs: 200, maxMs: 30_000, bytesMax: total },
    })
    await new Promise(done => setTimeout(done, 600))
    const { text, end } = await readAll(stream)
    expect([text.length, end]).toEqual([total, null])
  })

  test('over the byte limit fails', async () => {
    const stream = await opened(response => response.end('x'.repeat(3_000)), { responseBytesMax: 2_000 })
    expect((await readAll(stream)).end).toEqual(failed('too_large', true, 200))
  })

  test.each(['gzip', 'br', 'identity, gzip'])('in the encoding %s fails', async encoding => {
    const { url } = await provider((_, response) => {
      response.writeHead(200, { 'content-type': events, 'content-encoding': encoding })
      response.end('data: 1\n\n')
    })
    expect(await upstream().open(call(url))).toEqual(failed('encoding', true, 200))
  })

  test('closes the connection when cancelled; later reads fail', async () => {
    const closed = Promise.withResolvers<void>()
    const stream = await opened(response => {
      response.once('close', () => closed.resolve())
      response.write('data: 1\n\n')
    })
    await stream.read()
    const waiting = stream.read()
    stream.cancel()
    await closed.promise
    expect(await waiting).toEqual(failed('reset', true, 200))
    expect(await stream.read()).toEqual(failed('reset', true, 200))
    stream.cancel()
  })

  test('can be cancelled after its end, and its connection is reused', async () => {
    const { url, counts } = await provider((_, response) => {
      response.writeHead(200, { 'content-type': events })
      response.end('data: 1\n\n')
    })
    const client = upstream()
    for (let turn = 0; turn < 12; turn += 1) {
      const answer = await client.open(call(url))
      if (!('read' in answer)) throw new Error('It came whole.')
      expect(await readAll(answer)).toEqual({ text: 'data: 1\n\n', end: null })
      answer.cancel()
    }
    // A second one is opened if a request comes before the first is known to be free.
    expect(counts().connections).toBeLessThanOrEqual(2)
  })

  test('is read from the wire no faster than its reader reads, and arrives complete', async () => {
    const chunk = Buffer.alloc(64 * KIB, 'x')
    const total = 48 * 1_024 * KIB
    let written = 0
    const stream = await opened(
      async response => {
        while (written < total) {
          written += chunk.length
          if (!response.write(chunk)) await once(response, 'drain')
        }
        response.end()
      },
      { responseBytesMax: 2 * total },
    )
    let last = -1
    for (let same = 0; same < 20; same = written === last ? same + 1 : 0) {
      last = written
      await new Promise(done => setTimeout(done, 10))
    }
    expect(written).toBeLessThan(total / 2)
    let read = 0
    for (;;) {
      const piece = await stream.read()
      if (piece === null) break
      if ('failure' in piece) throw new Error(piece.failure.reason)
      read += piece.length
    }
    expect(read).toBe(total)
  })

  test('fails for every reader when the client closes', async () => {
    const { url } = await provider((_, response) => {
      response.writeHead(200, { 'content-type': events })
      response.write('data: 1\n\n')
    })
    const client = createUpstream(open)
    const answer = await client.open(call(url))
    if (!('read' in answer)) throw new Error('It came whole.')
    await answer.read()
    const waiting = answer.read()
    await client.close()
    expect(await waiting).toEqual(failed('stopping', true, 200))
  })
})
