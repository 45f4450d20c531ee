import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test/kit/gateway/test-gateway.ts'
import { arrive, register } from '../../test/kit/world/world.ts'

const PAGE = '<!doctype html><title>Farebox</title>'
const DRAWN = '<!doctype html><title>Farebox</title><h1>Proof of reserves</h1>'
const GUIDE = '<!doctype html><title>Farebox</title><h1>Calling models</h1>'
const SERVICE =
  '<!doctype html><title>{{serviceName}} · Farebox</title><meta content="{{about}}"><h1>{{serviceName}}</h1><p>{{summary}}</p><p>{{description}}</p>'
const CALLS = '<!doctype html><title>Farebox</title><link rel="modulepreload" href="/assets/calls-page.js">'
const SCRIPT = `console.log('${'a'.repeat(2_000)}')`
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let directory: string
let built: TestGateway
let unbuilt: TestGateway

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-console-'))
  await mkdir(join(directory, 'built/assets'), { recursive: true })
  await writeFile(join(directory, 'built/index.html'), PAGE)
  await writeFile(join(directory, 'built/icon.svg'), '<svg/>')
  await mkdir(join(directory, 'built/pages'))
  await writeFile(join(directory, 'built/pages/proof.html'), DRAWN)
  await writeFile(join(directory, 'built/pages/guide-models.html'), GUIDE)
  await writeFile(join(directory, 'built/pages/service.html'), SERVICE)
  await mkdir(join(directory, 'built/pages/provider'))
  await writeFile(join(directory, 'built/pages/provider/id.html'), SERVICE)
  await writeFile(join(directory, 'built/pages/provider/new.html'), 'form')
  await writeFile(join(directory, 'built/pages/provider/new-json.html'), 'json')
  for (const count of [1, 2, 3, 4])
    await writeFile(join(directory, `built/pages/compare-${count}.html`), `${count}`)
  await mkdir(join(directory, 'built/pages/app'))
  await writeFile(join(directory, 'built/pages/app/calls.html'), CALLS)
  await writeFile(join(directory, 'built/assets/index-abc.js'), SCRIPT)
  await writeFile(join(directory, 'built/assets/index-abc.js.gz'), gzipSync(SCRIPT))
  await writeFile(join(directory, 'secret.txt'), 'not for anybody')
  built = await startTestGateway({ consoleDirectory: join(directory, 'built') })
  unbuilt = await startTestGateway({ share: built, consoleDirectory: join(directory, 'none') })
})
afterAll(async () => {
  await unbuilt.stop()
  await built.stop()
  await rm(directory, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = BROWSER) => fetch(built.url + path, { headers })

/** Asks as no `fetch` does: for paths as they are written, without headers of its own. */
function ask(path: string, headers = {}): Promise<{ status: number; text: string }> {
  const { port } = new URL(built.url)
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    asked.on('error', reject).end()
  })
}

describe('pages', () => {
  test.each([
    '/',
    '/market',
    '/services/weather',
    '/no/such/page',
    '/services/%E0%A4%A',
    '/app/ledger?kind=hold',
  ])('serves the page uncached to a browser at %s', async path => {
    const answer = await get(path)
    expect([answer.status, await answer.text()]).toEqual([200, PAGE])
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test.each([BROWSER, { accept: '*/*' }, { accept: 'text/markdown' }])(
    'serves a guide at its path, and the list of guides, with %o',
    async headers => {
      const guide = await get('/docs/models?from=mail', headers)
      expect([guide.status, await guide.text()]).toEqual([200, GUIDE])
      expect(guide.headers.get('content-security-policy')).toContain("default-src 'self'")
      const list = await get('/docs', headers)
      expect([list.status, await list.text()]).toEqual([200, PAGE])
    },
  )

  test.each(['/market', '/services/weather', '/forum/top_1', '/proof'])(
    'serves %s to what takes anything, such as previews of links, but JSON to who asks for it',
    async path => {
      const answer = await get(path, { accept: '*/*' })
      expect([answer.status, await answer.text()]).toEqual([200, path === '/proof' ? DRAWN : PAGE])
      expect((await get(path, { accept: 'application/json, */*' })).status).toBe(404)
    },
  )

  test.each(['/services/discover', '/forum/topics', '/provider/services'])(
    'names the path of the API to a program that asks for %s',
    async path => {
      const answer = await get(path, { accept: '*/*' })
      expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND', detail: { path: `/api/v1${path}` } })
    },
  )

  test('serves a prerendered page at its path', async () => {
    const [drawn, other] = await Promise.all([get('/proof?from=mail'), get('/proof/more')])
    expect(await drawn.text()).toBe(DRAWN)
    expect(drawn.headers.get('content-security-policy')).toBe(other.headers.get('content-security-policy'))
    expect(drawn.headers.get('cache-control')).toBe('no-cache')
    expect(await other.text()).toBe(PAGE)
    for (const [query, text] of Object.entries({ '': 'form', '?by=json': 'json', '?by=mail': 'form' }))
      expect(await (await get(`/provider/new${query}`)).text()).toBe(text)
  })

  test('puts the texts of a service into its page, as text, and shows the frame of an unknown one, or if it or its owner is suspended', async () => {
    const manifest = {
      agentToolName: 'maps',
      serviceName: 'Maps & {{description}} <b>',
      summary: 'Says "where".',
      description: 'Says "where".',
    }
    const owner = await arrive(built)
    const id = await register(built, owner, { targets: ['http://127.0.0.1:1/'], priceUsdc: '0.01', manifest })
    const name = 'Maps &amp; {{description}} &lt;b&gt;'
    const summary = 'Says &quot;where&quot;.'
    const filled = `<!doctype html><title>${name} · Farebox</title><meta content="${summary}"><h1>${name}</h1><p>${summary}</p><p></p>`
    for (const path of ['services/maps', `services/${id}`, `provider/${id}`]) {
      const answer = await get(`/${path}?from=mail`)
      expect(await answer.text()).toBe(filled)
      for (const [accepted, encoding] of Object.entries({ gzip: 'gzip', identity: null })) {
        const { headers } = await get(`/${path}`, { 'accept-encoding': accepted })
        expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([
          encoding,
          'accept-encoding, origin',
        ])
      }
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    }
    const address = owner.account.address.toLowerCase()
    await built.sql(`update wallets set suspended_at = now() where address = '${address}'`)
    for (const path of ['services/maps', `provider/${id}`])
      expect(await (await get(`/${path}`)).text()).toBe(PAGE)
    await built.sql(`update wallets set suspended_at = null where address = '${address}'`)
    await built.sql(`update services set suspended_at = now() where id = '${id}'`)
    for (const reference of ['maps', 'unknown', '%7B%7B'])
      expect(await (await get(`/services/${reference}`)).text()).toBe(PAGE)
  })

  test('shows the frame of a service to clients that ask too often', async () => {
    const busy = await startTestGateway({
      share: built,
      consoleDirectory: join(directory, 'built'),
      env: { SEARCHES_PER_MINUTE: '1' },
    })
    const manifest = { agentToolName: 'routes', serviceName: 'Routes' }
    await register(busy, await arrive(busy), {
      targets: ['http://127.0.0.1:1/'],
      priceUsdc: '0.01',
      manifest,
    })
    const look = async () => (await fetch(`${busy.url}/services/routes`, { headers: BROWSER })).text()
    expect(await look()).toMatch(
      /<meta content="Routes, an API for agents\. .*<h1>Routes<\/h1><p><\/p><p><\/p>$/,
    )
    expect(await look()).toBe(PAGE)
    await busy.stop()
  })

  test.each([
    ['a', '1'],
    ['%5B%22a%22%2C%22b%22%5D', '2'],
    ['a,b%2cc', '3'],
    ['a,b,c,d', '4'],
    ['a,b,c,d,e', PAGE],
    ['a,b&from=mail', PAGE],
  ])('serves the page that compares as many models as ids=%s names', async (ids, expected) => {
    expect(await (await get(`/models/compare?ids=${ids}`)).text()).toBe(expected)
  })

  test.each(['/app/calls', '/app/calls?status=FAILED_FINAL', '/app/calls/inv_01m8ce2rq9ezcjnrnjpxgwgjbe'])(
    'serves the frame that loads the code of the page at %s',
    async path => {
      expect(await (await get(path)).text()).toBe(CALLS)
    },
  )

  test('restricts scripts to its origin, and connections to its origin and the chain', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'; script-src 'self';")
    expect(policy).toContain(`connect-src 'self' ${built.chain.rpcUrl};`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe-eval')
  })

  test.each([
    ['/api/v1/none', BROWSER],
    ['/v1/none', BROWSER],
    ['/docs/none.js', BROWSER],
    ['/docs/none', { accept: '*/*' }],
    ['/assets/none.js', BROWSER],
    ['/none.png', BROWSER],
    ['/market', { accept: 'application/json' }],
  ])('answers a missing %s with a JSON error', async (path, headers) => {
    const answer = await get(path, headers)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const body = (await answer.json()) as { code?: string; error?: object }
    // The compatible APIs have their own errors.
    if (path.startsWith('/v1/')) expect(body.error).toMatchObject({ farebox: { code: 'NOT_FOUND' } })
    else expect(body.code).toBe('NOT_FOUND')
  })

  test('leaves other methods unchanged', async () => {
    const post = await fetch(`${built.url}/market`, { method: 'POST', headers: BROWSER })
    expect([post.status, (await post.json()) as unknown]).toMatchObject([404, { code: 'NOT_FOUND' }])
    const wrong = await get('/api/v1/agent/invoke', { accept: 'application/json' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await fetch(`${built.url}/`, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('files', () => {
  test('serves content-hashed files compressed and immutable', async () => {
    const answer = await get('/assets/index-abc.js', { 'accept-encoding': 'gzip' })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(await answer.text()).toBe(SCRIPT)
    expect((await get('/icon.svg')).headers.get('cache-control')).toBe('no-cache')
  })

  test('answers 304 for an unchanged file', async () => {
    const tag = (await get('/icon.svg')).headers.get('etag') ?? ''
    expect(await ask('/icon.svg', { 'if-none-match': tag })).toEqual({ status: 304, text: '' })
  })

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/%2e%2e/secret.txt',
  ])('serves no other file: %s', async path => {
    const { text } = await ask(path)
    expect(text).not.toContain('not for anybody')
  })
})

test('the console config has chain, token and vault, and no secret', async () => {
  const { usdc, vault } = built.chain.adapter.facts
  const reported = (await (await get('/console/config.json')).json()) as Record<string, string>
  expect(reported).toMatchObject({
    mode: 'production',
    version: 'test',
    rpcUrl: built.chain.rpcUrl,
    hasFaucet: false,
  })
  expect([reported.usdc?.toLowerCase(), reported.vault?.toLowerCase()]).toEqual([usdc, vault])
  expect(reported.walletConnect).toBeNull()
  expect(reported.liveService).toBeNull()
  expect(Object.keys(reported)).toHaveLength(13)
})

test.each([
  ['wss://relay.walletconnect.org', 'wss://relay.walletconnect.org', {}],
  ['wss://relay.example', 'wss://relay.example/a', { WALLETCONNECT_RELAY_URL: 'wss://relay.example/a' }],
])('with a WalletConnect project, pages may also connect to %s', async (origin, relayUrl, env) => {
  const projectId = '0123456789abcdef0123456789abcdef'
  const gateway = await startTestGateway({
    share: built,
    consoleDirectory: join(directory, 'built'),
    env: { WALLETCONNECT_PROJECT_ID: projectId, ...env },
  })
  const reported = await (await fetch(`${gateway.url}/console/config.json`)).json()
  const page = await fetch(gateway.url, { headers: BROWSER })
  await gateway.stop()
  expect(reported).toMatchObject({ walletConnect: { projectId, relayUrl } })
  const { rpcUrl } = built.chain
  const without = (await get('/')).headers.get('content-security-policy')
  expect(page.headers.get('content-security-policy')).toBe(without?.replace(rpcUrl, `${rpcUrl} ${origin}`))
})

test('a gateway without a built console explains how to build it', async () => {
  const answer = await fetch(`${unbuilt.url}/`, { headers: BROWSER })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await answer.text()).toContain('npm run console')
  expect((await fetch(`${unbuilt.url}/assets/index-abc.js`)).status).toBe(404)
})
