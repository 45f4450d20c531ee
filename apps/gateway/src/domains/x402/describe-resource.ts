import { isObject, type JsonObject } from '@farebox/wire/common'
import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../ports.ts'
import { readRequest } from '../invocation/provider/read-request.ts'
import type { CallableService } from '../services/find-callable.ts'
import { type CallableEntry, readCallableEntry } from '../services/list-callable.ts'
import { exampleOf } from './example-rules.ts'

/** Descriptions in memory. */
const KEPT_MAX = 1_000
/** Maximum length of the schema of a description, in characters of JSON: clients and proxies bound their headers. */
const SCHEMA_CHARS_MAX = 1_000

/** Description of a service and of its calls, for clients that discover it. */
export type Description = { readonly text: string; readonly bazaar: unknown }

/** Returns the description of a service. */
export type Describe = (service: CallableService) => Promise<Description>

/** Creates the descriptions of this process, one for each version of a service. */
export function createDescriptions(deps: Pick<Deps, 'db' | 'publicUrl'>): Describe {
  const kept = new LRUCache<string, Description>({ max: KEPT_MAX })
  return async service => {
    const key = `${service.id} ${service.version}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const entry = await readCallableEntry(deps, service.id)
    const description = entry === null ? { text: '', bazaar: null } : describe(deps, service, entry)
    kept.set(key, description)
    return description
  }
}

function describe(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  service: CallableService,
  entry: CallableEntry,
): Description {
  const link = `${publicUrl}/api/v1/market/services/${service.id}`
  const { schema, example } = inputOf(service, entry, link)
  const output = exampleOf(entry.response.body)
  const isOutput = isObject(entry.response.body) && service.validateResponse(output) === null
  const shown = isOutput && JSON.stringify(output).length <= SCHEMA_CHARS_MAX
  // The type leaves the method to the server of the library.
  const described = {
    method: 'POST',
    bodyType: 'json',
    input: example,
    inputSchema: schema,
    output: { example: shown ? output : {} },
  } as const
  const { bazaar } = declareDiscoveryExtension(described)
  return { text: `${entry.serviceName}. ${entry.summary}`.slice(0, 200), bazaar }
}

/** Returns the schema of the arguments, with an example that it accepts; or a link to it if it is too long. */
function inputOf(
  service: CallableService,
  entry: CallableEntry,
  link: string,
): { schema: Record<string, unknown>; example: Record<string, unknown> } {
  const { request, placeholders, serviceKind } = entry
  const { body, query, path } = request
  const inPath = Object.fromEntries(
    placeholders.map(name => [name, propertiesOf(path)?.[name] ?? { type: 'string' }]),
  )
  const model = { messages: { type: 'array', minItems: 1, items: { type: 'object' } } }
  const properties = Object.assign(
    {},
    serviceKind === 'llm' && propertiesOf(body) === undefined ? model : {},
    inPath,
    propertiesOf(query),
    propertiesOf(body),
  )
  const required = [...placeholders, ...requiredBy(query), ...requiredBy(body)]
  const schema = { type: 'object', properties, required }
  const example = exampleOf(schema)
  const linked = { schema: { type: 'object', description: `Its schema is at ${link}` }, example: {} }
  if (JSON.stringify({ schema, example }).length > SCHEMA_CHARS_MAX) return linked
  try {
    readRequest(service, { body: example as JsonObject, query: undefined, path: undefined }, true)
  } catch {
    return linked
  }
  return { schema, example: example as Record<string, unknown> }
}

function propertiesOf(schema: unknown): JsonObject | undefined {
  return isObject(schema) && isObject(schema.properties) ? schema.properties : undefined
}

function requiredBy(schema: unknown): string[] {
  return isObject(schema) && Array.isArray(schema.required) ? schema.required.map(String) : []
}
