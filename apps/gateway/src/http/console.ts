import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { getAddress } from 'viem'
import type { App } from '../app.ts'
import type { Deps } from '../ports.ts'
import { isForPeople, pathOf } from './readable-url.ts'
import { consolePolicy } from './security-headers.ts'
import { createServicePage, type ReadServiceTexts, SERVICE_PAGES } from './service-page.ts'
import { takesGzip } from './takes-gzip.ts'
import { notFoundAt, onUnknownPath } from './unknown-paths.ts'

const zip = promisify(gzip)

/** Directory of the built pages of apps/console. */
const BUILT = join(import.meta.dirname, '../../../console/dist')
/** Caching of files with a content hash in their name. A missing one is not cached: a newer gateway has it. */
const HASHED = { cacheControl: true, maxAge: 31_536_000_000, immutable: true }
/** Files with fixed names beside the page. */
const FILES = ['/before-paint.js', '/icon.svg'] as const
/**
 * Pages prerendered at the build of the console (its scripts/prerender-pages.ts), by path and query. Others are rendered
 * by the browser.
 */
const DRAWN: readonly (readonly [url: RegExp, name: string])[] = [
  [/^\/(?:\?|$)/, 'front'],
  [/^\/market(?:\?|$)/, 'market'],
  [/^\/services\/[^/?]+(?:\?|$)/, 'service'],
  [/^\/models\/compare\?ids=[^,&]+$/, 'compare-1'],
  [/^\/models\/compare\?ids=[^,&]+,[^,&]+$/, 'compare-2'],
  [/^\/models\/compare\?ids=[^,&]+(?:,[^,&]+){2}$/, 'compare-3'],
  [/^\/models\/compare\?ids=[^,&]+(?:,[^,&]+){3}$/, 'compare-4'],
  [/^\/docs(?:\?|$)/, 'docs'],
  [/^\/docs\/([a-z\d-]+)(?:\?|$)/, 'guide-$1'],
  [/^\/forum(?:\?|$)/, 'forum'],
  [/^\/forum\/[^/?]+(?:\?|$)/, 'topic'],
  [/^\/proof(?:\?|$)/, 'proof'],
  [/^\/playground$/, 'playground'],
  [/^\/playground\?service=/, 'trial'],
  [/^\/provider\/svc_/, 'provider/id'],
  [/^\/provider\/new\?by=(curl|openapi|json)$/, 'provider/new-$1'],
  [/^\/((?:app|provider|admin)(?:\/[a-z]+)?)(?:[/?]|$)/, '$1'],
]
const UNBUILT = `Farebox is running. Its console is not built: \`npm run console\` does it, and so does \`npm start\`.
The API reference is at /docs/reference/interactive.
`

/**
 * Serves the console: its files, its page at every path for people that no route serves, and `GET /console/config.json`
 * with its settings. Without built files the gateway explains that at `/`.
 *
 * @param options.consoleDirectory of the built files
 */
export async function consoleRoutes(
  app: App,
  deps: Pick<Deps, 'config' | 'chain' | 'clientRates' | 'clock' | 'secretBox'>,
  options: { version: string; consoleDirectory?: string; readServiceTexts: ReadServiceTexts },
): Promise<void> {
  const directory = options.consoleDirectory ?? BUILT
  const { chainId, rpcUrl, usdc, vault, requiredConfirmations } = deps.chain.facts
  const walletConnect = readWalletConnect(deps.config)
  const hasX402 = deps.config.X402_SETTLER_KEY !== undefined
  const talksTo = [rpcUrl, ...(walletConnect === null ? [] : [walletConnect.relayUrl])]
  const policy = consolePolicy(talksTo.map(url => new URL(url).origin))
  await app.register(fastifyStatic, {
    root: directory,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    logLevel: 'silent' as const,
  })

  const servicePage = createServicePage(deps, { directory, readTexts: options.readServiceTexts })

  app.get('/console/config.json', async (_, reply) => {
    reply.header('cache-control', 'no-cache')
    return {
      mode: deps.config.FAREBOX_MODE,
      version: options.version,
      chainId,
      rpcUrl,
      requiredConfirmations,
      usdc: getAddress(usdc),
      vault: getAddress(vault),
      hasFaucet: app.hasRoute({ method: 'POST', url: '/dev/faucet' }),
      walletConnect,
      hasX402,
      liveService: hasX402 ? (deps.config.LIVE_SERVICE ?? null) : null,
      platformFeeBps: deps.config.PLATFORM_FEE_BPS,
      priceNoticeSeconds: deps.config.PRICE_NOTICE_SECONDS,
    }
  })

  app.get('/assets/*', async (request, reply) => reply.sendFile(pathOf(request), HASHED))
  for (const file of FILES) {
    app.get(file, async (_, reply) => reply.header('cache-control', 'no-cache').sendFile(file))
  }
  // Whatever a client accepts: its documentation is here.
  for (const path of ['/', '/docs']) app.get(path, async (request, reply) => sendPage(request, reply))
  app.get('/docs/:guide', async (request, reply) => {
    const isThere = isForPeople(request) || (await firstThere(directory, drawnFor(request.url))) !== null
    if (!isThere) throw notFoundAt(request)
    return sendPage(request, reply)
  })
  onUnknownPath(app, (request, reply) =>
    isForPeople(request) || isPreview(app, request) ? sendPage(request, reply) : null,
  )

  async function sendPage(request: FastifyRequest, reply: FastifyReply) {
    const file = await firstThere(directory, [...drawnFor(request.url), 'index.html'])
    reply.header('cache-control', 'no-cache')
    if (file === null) return reply.type('text/plain; charset=utf-8').send(UNBUILT)
    reply.header('content-security-policy', policy)
    if (!SERVICE_PAGES.includes(file)) return reply.sendFile(file)
    const page = await servicePage(request, reply, file)
    if (page === null) return reply.sendFile('index.html')
    reply.type('text/html; charset=utf-8').header('vary', 'accept-encoding, origin')
    return takesGzip(request)
      ? reply.header('content-encoding', 'gzip').send(await zip(page))
      : reply.send(page)
  }
}

/** Returns the first of these files that is in a directory. */
async function firstThere(directory: string, files: readonly string[]): Promise<string | null> {
  for (const file of files) {
    const isThere = await access(join(directory, file)).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return null
}

/** Returns the prerendered page of a path and query, if there is one. */
function drawnFor(url: string): string[] {
  const plain = url.replaceAll(/%2C/gi, ',')
  return DRAWN.flatMap(([pattern, name]) => {
    const found = pattern.exec(plain)
    return found === null ? [] : [`pages/${name.replace('$1', found[1] ?? '')}.html`]
  })
}

/** Returns true at the path of a page for clients that take anything, unless they seem to mean the API. */
function isPreview(app: App, request: FastifyRequest): boolean {
  const { method, headers } = request
  const isReading = method === 'GET' || method === 'HEAD'
  const isApi = app.hasRoute({ method: 'GET', url: `/api/v1${pathOf(request)}` })
  return isReading && (headers.accept ?? '*/*') === '*/*' && !isApi && drawnFor(request.url).length > 0
}

/** Settings of the console for wallets on a phone; null if the operator has no project there. */
function readWalletConnect(config: Deps['config']): { projectId: string; relayUrl: string } | null {
  const { WALLETCONNECT_PROJECT_ID: projectId, WALLETCONNECT_RELAY_URL: relayUrl } = config
  return projectId === undefined ? null : { projectId, relayUrl }
}
