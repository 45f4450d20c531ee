import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from '@farebox/wire/mcp'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { rateLimited } from '../../http/limits/rate-limit.ts'
import type { Deps } from '../../ports.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Discovery } from '../services/discovery/create-discovery.ts'
import { findServices } from '../services/discovery/search-services.ts'
import { readCallableEntries } from '../services/list-callable.ts'
import { inputSchemaOf, priceInWords, toolNameOf } from './mcp-tool-rules.ts'

/** Built-in tool that searches for tools, instead of reading the whole list. */
export const searchTool = {
  name: 'farebox_search',
  title: 'Search for paid tools',
  description:
    'Finds the tools of Farebox that fit a text best, each with its price and its arguments. ' +
    'Free of charge. Call what it finds by its tool name; that call is paid by your credential.',
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        maxLength: 200,
        description: 'What to look for, in a few words; empty or absent: all tools.',
      },
      limit: { type: 'integer', minimum: 1, maximum: SEARCH_LIMIT_MAX, default: SEARCH_LIMIT_DEFAULT },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      services: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            tool: { type: 'string', description: 'The name to call it by.' },
            serviceId: { type: 'string' },
            name: { type: 'string' },
            summary: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            kind: { type: 'string', enum: ['api', 'llm'] },
            price: { type: 'string', description: 'What a call costs, in words.' },
            pricing: { type: 'object' },
            arguments: { type: 'object', description: 'JSON Schema of the arguments.' },
          },
          required: ['tool', 'serviceId', 'name', 'summary', 'tags', 'kind', 'price', 'pricing'],
        },
      },
      hasMore: { type: 'boolean', description: 'More tools match: raise the limit or narrow the search.' },
    },
    required: ['services', 'hasMore'],
  },
  annotations: { title: 'Search for paid tools', readOnlyHint: true, openWorldHint: false },
} as const satisfies Tool

/** Maximum length of an argument schema in search results, in characters of JSON; `tools/list` includes longer ones. */
const SCHEMA_LENGTH_MAX = 8_192

/**
 * Returns tools that match a text, best first, of those that the credential may call.
 *
 * @param query.taken names that services cannot have
 * @throws GatewayError RATE_LIMITED; searches of a credential share one limit across all APIs
 */
export async function searchTools(
  deps: Pick<Deps, 'db'> & { readonly discovery: Discovery },
  query: { agent: Agent; text: string; limit: number; taken: ReadonlySet<string> },
): Promise<Record<string, unknown>> {
  const { agent, text, limit, taken } = query
  const { catalogue, searches } = deps.discovery
  const state = searches.take(agent.credentialId)
  if (!state.isAdmitted) throw rateLimited(searches.policy, state)
  const { ids } = await findServices({ ...deps, catalogue }, { text, among: agent.allowedServices })
  const services = await readCallableEntries(deps, ids.slice(0, limit))
  const found = services.map(service => {
    const schema = inputSchemaOf(service)
    return {
      tool: toolNameOf(service, taken),
      serviceId: service.serviceId,
      name: service.serviceName,
      summary: service.summary,
      tags: service.tags,
      kind: service.serviceKind,
      price: priceInWords(service),
      pricing: service.pricing,
      ...(JSON.stringify(schema).length <= SCHEMA_LENGTH_MAX && { arguments: schema }),
    }
  })
  return { services: found, hasMore: ids.length > limit }
}
