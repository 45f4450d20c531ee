import { parseUsdc } from '@farebox/money'
import { isObject, type JsonObject } from '@farebox/wire/common'
import type { Encoding } from '@farebox/wire/encodings'
import type { LlmServiceSummary, ServiceSummary } from '@farebox/wire/services'

/** Maximum length of a provider's text in a description, in UTF-16 code units; models read all tools they are given. */
const PROVIDER_TEXT_LENGTH_MAX = 1_024

/** A callable service, from which a tool is made. */
export type Offered = ServiceSummary & {
  /** Wallet of the provider, checksummed. */
  readonly ownerAddress: string
  readonly request: Readonly<Record<string, unknown>>
  readonly method: string
  readonly encoding: Encoding
  /** Names in the path of the targets, which every call fills. */
  readonly placeholders: readonly string[]
}

type ObjectSchema = { type: 'object'; properties?: Record<string, object>; [keyword: string]: unknown }

/** A tool in `tools/list` (Model Context Protocol 2025-11-25, server/tools). */
export type McpTool = {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  annotations: { title: string; readOnlyHint: boolean; openWorldHint: boolean }
  _meta: Record<string, unknown>
}

/**
 * Returns the tool for a service. Its description states provider and price before the provider's own text.
 *
 * @param taken names that services cannot have; a service with one of them is listed under its id
 */
export function toolOf(service: Offered, taken: ReadonlySet<string>): McpTool {
  const { serviceId, serviceName, serviceKind, priceModel, method, pricing, ownerAddress } = service
  return {
    name: toolNameOf(service, taken),
    title: serviceName,
    description: `Provided by ${ownerAddress}. ${priceInWords(service)}\n\n${providerText(service)}`,
    inputSchema: inputSchemaOf(service),
    annotations: {
      title: serviceName,
      readOnlyHint: method === 'GET' || method === 'HEAD',
      openWorldHint: true,
    },
    _meta: {
      'farebox/serviceId': serviceId,
      'farebox/serviceKind': serviceKind,
      'farebox/priceModel': priceModel,
      'farebox/pricing': pricing,
    },
  }
}

/** Returns the tool name of a service. */
export function toolNameOf(
  { agentToolName, serviceId }: Pick<Offered, 'agentToolName' | 'serviceId'>,
  taken: ReadonlySet<string>,
): string {
  return taken.has(agentToolName) ? serviceId : agentToolName
}

/** Returns the price of a call as text. */
export function priceInWords(service: ServiceSummary): string {
  if (service.serviceKind === 'api') {
    const { amount } = service.pricing
    return Number(amount) === 0 ? 'A call is free.' : `A call costs ${amount} USDC.`
  }
  const { outputPricePer1MTokensUsdc, defaultMaxOutputTokens } = service
  const input = `${inputPriceInWords(service)} USDC per million input tokens`
  if (service.modelKind === 'embeddings' && Number(outputPricePer1MTokensUsdc) === 0)
    return `A call costs ${input}, by the usage that the model reports.`
  return (
    `A call costs ${input} and ` +
    `${outputPricePer1MTokensUsdc} USDC per million output tokens, by the usage that the model reports. ` +
    `Output is bounded to ${defaultMaxOutputTokens} tokens unless the call says otherwise.`
  )
}

/** Returns the price of input, with the highest one of cached input if that is higher. */
function inputPriceInWords(service: LlmServiceSummary): string {
  const { inputPricePer1MTokensUsdc: input, cacheReadPricePer1M, cacheWritePricePer1M } = service
  const [highest = input] = [input, cacheReadPricePer1M ?? input, cacheWritePricePer1M ?? input].sort(
    (one, other) => Number(parseUsdc(other) - parseUsdc(one)),
  )
  return highest === input ? input : `${input} (cached: up to ${highest})`
}

function providerText({ summary, description, serviceName }: ServiceSummary): string {
  const text = [summary, description].find(part => part.trim() !== '') ?? serviceName
  if (text.length <= PROVIDER_TEXT_LENGTH_MAX) return text
  // Do not end with half of a surrogate pair.
  return `${text.slice(0, PROVIDER_TEXT_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * Returns the input schema of a tool: that of the manifest if it describes an object, else that of the model API, else
 * any object. The result is always valid for MCP clients, which accept only objects at the top level and no `true` or
 * `false` for a property.
 */
export function inputSchemaOf(service: Offered): ObjectSchema {
  const body = service.encoding === 'text' ? textSchema(service.request.body) : bodySchemaOf(service)
  return withParameters(service, body)
}

/** A text is the argument `body`. */
function textSchema(given: unknown): ObjectSchema {
  const body = isObject(given) ? given : { type: 'string', description: 'Sent as it is.' }
  return { type: 'object', properties: { body }, required: ['body'] }
}

/** Adds the names of path and query to those of the body: arguments are flat. */
function withParameters({ placeholders, request }: Offered, body: ObjectSchema): ObjectSchema {
  const [path, query] = [asObjectSchema(request.path), asObjectSchema(request.query)]
  if (placeholders.length === 0 && query.properties === undefined) return body
  const definitions = { ...definitionsOf(query), ...definitionsOf(path), ...definitionsOf(body) }
  const inPath = placeholders.map(name => [name, path.properties?.[name] ?? { type: ['string', 'number'] }])
  const required = [...placeholders, ...requiredBy(query), ...requiredBy(body)]
  const properties = { ...Object.fromEntries(inPath), ...query.properties, ...body.properties }
  const $defs = Object.keys(definitions).length > 0 && { $defs: definitions }
  return { ...body, properties, ...$defs, ...(required.length > 0 && { required }) }
}

const requiredBy = ({ required }: ObjectSchema): string[] =>
  Array.isArray(required) ? required.filter(name => typeof name === 'string') : []

const definitionsOf = ({ $defs }: ObjectSchema): JsonObject => (isObject($defs) ? $defs : {})

function bodySchemaOf(service: Offered): ObjectSchema {
  const given = service.request.body
  if (isObject(given) && [given.type ?? 'object'].flat().includes('object')) return asObjectSchema(given)
  if (service.serviceKind === 'llm')
    return service.modelKind === 'embeddings' ? llmSchemas.embeddings : llmSchemas[service.llmDialect]
  const isQuery = ['GET', 'HEAD', 'DELETE'].includes(service.method)
  const description = isQuery ? 'Members become query parameters.' : SENT[service.encoding]
  return { type: 'object', additionalProperties: true, description }
}

const SENT: Readonly<Record<Encoding, string>> = {
  json: 'Sent as the JSON body.',
  form: 'Sent as the fields of a form.',
  multipart:
    'Sent as the parts of a form. A file is {"base64": "...", "filename": "...", "contentType": "..."}.',
  text: 'Sent as it is.',
}

function asObjectSchema(given: unknown): ObjectSchema {
  if (!isObject(given)) return { type: 'object' }
  const { properties, ...rest } = given
  if (!isObject(properties)) return { ...rest, type: 'object' }
  const named = Object.entries(properties).map(([name, schema]) => {
    return [name, isObject(schema) ? schema : schema === false ? { not: {} } : {}] as const
  })
  return { ...rest, type: 'object', properties: Object.fromEntries(named) }
}

const sampling = {
  model: { type: 'string', description: 'Optional if the service sets its model.' },
  max_tokens: {
    type: 'integer',
    minimum: 1,
    description: 'Maximum output tokens; bounds the cost of the call.',
  },
  temperature: { type: 'number', minimum: 0 },
  top_p: { type: 'number', minimum: 0, maximum: 1 },
}

const messages = (roles: readonly string[]) => ({
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      role: { type: 'string', enum: roles },
      content: { description: "A text, or a list of content parts of the model's API." },
    },
    required: ['role', 'content'],
  },
})

/** Input schemas of models without one in the manifest; other members of their APIs are forwarded as well. */
const llmSchemas: Readonly<Record<'openai' | 'anthropic' | 'embeddings', ObjectSchema>> = {
  embeddings: {
    type: 'object',
    properties: { input: { description: 'A text, or a list of texts.' }, model: sampling.model },
    required: ['input'],
    additionalProperties: true,
  },
  openai: {
    type: 'object',
    properties: {
      messages: messages(['system', 'developer', 'user', 'assistant', 'tool']),
      ...sampling,
      stop: { description: 'A stop text or a list of them.' },
    },
    required: ['messages'],
    additionalProperties: true,
  },
  anthropic: {
    type: 'object',
    properties: {
      messages: messages(['user', 'assistant']),
      system: { description: 'The system prompt.' },
      ...sampling,
      stop_sequences: { type: 'array', items: { type: 'string' } },
    },
    required: ['messages'],
    additionalProperties: true,
  },
}
