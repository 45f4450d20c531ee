import {
  discoverAnswer,
  discoverQuery,
  registryAnswer,
  registryQuery,
  searchAnswer,
  searchServicesBody,
} from '@farebox/wire/discovery'
import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { limitBy } from '../../../http/limits/rate-limit.ts'
import { limitPublic } from '../../../http/limits/shared-rate-limit.ts'
import { contract } from '../../../http/openapi/contract.ts'
import type { Deps } from '../../../ports.ts'
import type { Agent, AgentGuard } from '../../credentials/require-agent.ts'
import type { Discovery } from './create-discovery.ts'
import { discoverServices } from './discover-services.ts'
import { readRegistry } from './read-registry.ts'
import { searchServices } from './search-services.ts'

const WINDOW_SECONDS = 60
/** `max-age` of a registry page, in seconds. */
const REGISTRY_AGE_SECONDS_MAX = 5
const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyRequest {
    agent?: Agent
  }
}

const limited = (deps: Pick<Deps, 'clientRates' | 'clock' | 'secretBox' | 'config'>, name: string) =>
  limitPublic(deps, { name, quota: deps.config.SEARCHES_PER_MINUTE, windowSeconds: WINDOW_SECONDS })

/** Routes of discovery, for everyone and for agents. Registered below `/api/v1`. */
export function discoveryRoutes(app: App, deps: Deps & { discovery: Discovery; agents: AgentGuard }): void {
  const { catalogue, searches } = deps.discovery

  app.get(
    '/services/discover',
    {
      ...contract(
        {
          id: 'discoverServices',
          summary: 'Find services that can be called now',
          description:
            'Active services with a healthy target, best match first; without a text, newest first. Includes every change made before the request, at any gateway.',
          tag: 'Discovery',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: discoverAnswer,
        },
        { querystring: discoverQuery },
      ),
      onRequest: limited(deps, 'discover'),
    },
    async (request, reply) => {
      const { limit, search_query: text = '' } = request.query
      return sendJson(reply, await discoverServices({ ...deps, catalogue }, { limit, text }))
    },
  )

  app.post(
    '/agent/discovery/search',
    {
      ...contract(
        {
          id: 'searchServices',
          summary: 'Search for services to call',
          description:
            'Services that can be called now and that the credential may call. Each is on exactly one page unless services change meanwhile. Free of charge and not counted by the `rpm` of the credential.',
          tag: 'Discovery',
          access: 'agent',
          errors: ['RATE_LIMITED'],
          invalidBodyCode: 'INVALID_REQUEST',
          answer: searchAnswer,
          exampleBody: { query: 'translate text', tags: ['language'], sort: 'lowest_price', pageSize: 5 },
        },
        { body: searchServicesBody },
      ),
      onRequest: [
        async (request: FastifyRequest) => {
          request.agent = await deps.agents.authenticate(request.headers)
        },
        limitBy(searches, request => agentOf(request).credentialId),
      ],
    },
    async (request, reply) => {
      const { query, serviceKind, llmDialect, maxPriceUsdc, ...rest } = request.body
      const json = await searchServices(
        { ...deps, catalogue },
        {
          ...rest,
          text: query ?? '',
          kind: serviceKind,
          dialect: llmDialect,
          maxPrice: maxPriceUsdc,
          among: agentOf(request).allowedServices,
        },
      )
      return sendJson(reply, `{"requestId":${JSON.stringify(request.id)},${json.slice(1)}`)
    },
  )
}

/** The machine-readable registry, for everyone. Registered at the root. */
export function registryRoute(root: App, deps: Deps & { discovery: Discovery }): void {
  const { catalogue } = deps.discovery
  root.get(
    '/marketplace/registry.json',
    {
      ...contract(
        {
          id: 'readRegistry',
          summary: 'Read the registry of callable services',
          description:
            'Every service that can be called now, page by page: best match first; without a text, newest first. Send the `ETag` of a page as `If-None-Match` to get 304 if it has not changed.',
          tag: 'Discovery',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: registryAnswer,
          otherStatuses: { 304: 'The page has not changed since `If-None-Match`.' },
        },
        { querystring: registryQuery },
      ),
      onRequest: limited(deps, 'registry'),
    },
    async (request, reply) => {
      const { json, etag } = await readRegistry({ ...deps, catalogue }, request.query)
      reply.header('etag', etag)
      reply.header('cache-control', `public, max-age=${REGISTRY_AGE_SECONDS_MAX}`)
      if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return sendJson(reply, json)
    },
  )
}

function agentOf({ agent }: FastifyRequest): Agent {
  if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
  return agent
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(json)
}

/** Returns true if `If-None-Match` contains an entity tag, by weak comparison (RFC 9110, 13.1.2). */
function isNoneMatch(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false
  const names = given.split(',').map(name => name.trim().replace(/^W\//, ''))
  return names.includes('*') || names.includes(etag)
}
