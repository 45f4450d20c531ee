import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { limitPerClient } from '../limits/rate-limit.ts'
import { contentSecurityPolicy } from '../security-headers.ts'
import { takesGzip } from '../takes-gzip.ts'
import { contract } from './contract.ts'
import { describeApi } from './openapi.ts'
import { operationsOf } from './operations.ts'

/** `max-age` of the document, in seconds. */
const DOCUMENT_MAX_AGE_SECONDS = 300
/** `max-age` of the page's script: a new version has a new URL. */
const SCRIPT_MAX_AGE_SECONDS = 31_536_000
/** Requests per minute and client for the script, which has a megabyte. Browsers cache it. */
const SCRIPTS_PER_MINUTE = 30

/** Settings of the page: everything that it would load from or send to other hosts is off. */
const PAGE_CONFIGURATION = {
  url: '/openapi.json',
  theme: 'default',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  persistAuth: false,
  isEditable: false,
  defaultOpenFirstTag: true,
}

/** Style of the links back to the console, which stay in view. The reference leaves room for a header of that height. */
const NAVIGATION_STYLE = `:root{--scalar-custom-header-height:44px;color-scheme:light dark}
nav[aria-label=Farebox]{position:sticky;top:0;z-index:9;box-sizing:border-box;height:44px;display:flex;gap:20px;align-items:center;padding:0 16px;font:500 14px system-ui,sans-serif;background:Canvas;border-bottom:1px solid GrayText}
nav[aria-label=Farebox] a{color:CanvasText}`

type Asset = { readonly type: string; readonly tag: string; readonly plain: Buffer; readonly zipped: Buffer }

/**
 * `GET /openapi.json`, the contract, and `GET /docs/reference/interactive`, its reference page. Generated on the first request and cached.
 *
 * @param version of this gateway
 */
export function referenceRoutes(app: App, { clock }: Pick<Deps, 'clock'>, version: string): void {
  const document = once(async () =>
    asset('application/json; charset=utf-8', JSON.stringify(describeApi(operationsOf(app).all, { version }))),
  )
  const script = once(async () => asset('text/javascript; charset=utf-8', await readScript()))
  const page = once(async () => asset('text/html; charset=utf-8', pageOf((await script()).tag)))

  app.get(
    '/openapi.json',
    contract({
      id: 'readContract',
      summary: 'Read this document',
      description:
        'The contract of this gateway, OpenAPI 3.1. Generated from the schemas that validate requests.',
      tag: 'Operations',
      access: 'public',
      answer: z.looseObject({ openapi: z.literal('3.1.0') }),
      example: { openapi: '3.1.0' },
      otherStatuses: { 304: 'Not changed since `If-None-Match`.' },
    }),
    async (request, reply) => {
      const asset = await document()
      reply.header('cache-control', `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}`)
      return sendAsset(request, reply, asset)
    },
  )

  app.get('/docs/reference/interactive', async (request, reply) => {
    reply.header('content-security-policy', contentSecurityPolicy.reference)
    reply.header('cache-control', 'no-cache')
    return sendAsset(request, reply, await page())
  })

  const limit = limitPerClient(clock, { name: 'reference', quota: SCRIPTS_PER_MINUTE, windowSeconds: 60 })
  app.get<{ Querystring: { v?: unknown } }>(
    '/docs/reference.js',
    { onRequest: limit },
    async (request, reply) => {
      const asset = await script()
      // A page of another gateway may ask for the script of another version.
      const isAsked = request.query.v === versionOf(asset.tag)
      const caching = isAsked ? `public, max-age=${SCRIPT_MAX_AGE_SECONDS}, immutable` : 'no-cache'
      reply.header('cache-control', caching)
      return sendAsset(request, reply, asset)
    },
  )
}

/** Script of the reference page, from its package. Large, hence read on demand. */
async function readScript(): Promise<string> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const shelf = fastify({ logger: false })
  await shelf.register(reference, { routePrefix: '/', configuration: { url: '/openapi.json' } })
  const { body } = await shelf.inject('/js/scalar.js')
  await shelf.close()
  return body.replace(/\n\/\/# sourceMappingURL=.*$/, '')
}

/** @param tag version of the script, so that a new one is fetched */
function pageOf(tag: string): string {
  const configuration = JSON.stringify(PAGE_CONFIGURATION).replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farebox API</title>
<style>${NAVIGATION_STYLE}</style>
</head>
<body>
<nav aria-label="Farebox"><a href="/">← Farebox</a><a href="/docs">Docs</a><a href="/market">Market</a><a href="/playground">Playground</a></nav>
<noscript>This page needs JavaScript. The document that it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script id="api-reference" type="application/json" data-url="/openapi.json" data-configuration="${configuration}"></script>
<script src="/docs/reference.js?v=${encodeURIComponent(versionOf(tag))}"></script>
</body>
</html>
`
}

/** Returns the entity tag without its quotes. */
const versionOf = (tag: string): string => tag.replaceAll('"', '')

function asset(type: string, text: string): Asset {
  const plain = Buffer.from(text)
  const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type, tag, plain, zipped: gzipSync(plain) }
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, tag, plain, zipped }: Asset) {
  reply.header('etag', tag).header('vary', 'accept-encoding, origin')
  const known = request.headers['if-none-match']?.split(',').map(each => each.trim().replace(/^W\//, ''))
  if (known?.includes(tag) === true) return reply.code(304).send()
  reply.header('content-type', type)
  return takesGzip(request) ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(plain)
}

/** A lazily computed value; after a failure the next request retries. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
}
