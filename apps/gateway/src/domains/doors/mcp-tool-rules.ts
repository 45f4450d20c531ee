import type { ServiceSummary } from '@farebox/wire/services'

/** Longest text of a provider in a description, in UTF-16 code units: models read every tool that they are given. */
const PROVIDER_TEXT_LENGTH_MAX = 1_024

/** A callable service as a tool is made of it. */
export type Offered = ServiceSummary & {
  /** The wallet that earns, checksummed. */
  readonly ownerAddress: string
  readonly request: Readonly<Record<string, unknown>>
  readonly method: string
}

type JsonObject = Readonly<Record<string, unknown>>
type ObjectSchema = { type: 'object'; properties?: Record<string, object>; [keyword: string]: unknown }

/** A tool as `tools/list` shows it (Model Context Protocol 2025-11-25, server/tools). */
export type McpTool = {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  annotations: { title: string; readOnlyHint: boolean; openWorldHint: boolean }
  _meta: Record<string, unknown>
}

/**
 * The tool that stands for a service. Its description says who provides it and its price first; the rest is theirs.
 *
 * @param taken names that are not given to services: one that bears such a name goes by its id
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

/** The name under which a service is called as a tool. */
export function toolNameOf(
  { agentToolName, serviceId }: Pick<Offered, 'agentToolName' | 'serviceId'>,
  taken: ReadonlySet<string>,
): string {
  return taken.has(agentToolName) ? serviceId : agentToolName
}

/** What a call costs, for somebody who reads. */
export function priceInWords(service: ServiceSummary): string {
  if (service.serviceKind === 'api') {
    const { amount } = service.pricing
    return Number(amount) === 0 ? 'A call is free.' : `A call costs ${amount} USDC.`
  }
  const { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc, defaultMaxOutputTokens } = service
  return (
    `A call costs ${inputPricePer1MTokensUsdc} USDC per million input tokens and ` +
    `${outputPricePer1MTokensUsdc} USDC per million output tokens, by the usage that the model reports. ` +
    `Output is bounded to ${defaultMaxOutputTokens} tokens unless the call says otherwise.`
  )
}

function providerText({ summary, description, serviceName }: ServiceSummary): string {
  const text = [summary, description].find(part => part.trim() !== '') ?? serviceName
  if (text.length <= PROVIDER_TEXT_LENGTH_MAX) return text
  // No half of a surrogate pair at the end.
  return `${text.slice(0, PROVIDER_TEXT_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * The arguments of a tool: the schema of the manifest when it is one of an object, else the one of the model's API,
 * else any object. Whatever providers write, clients can read the list: they take no schema at the top but of an
 * object, and no `true` or `false` for a property.
 */
export function inputSchemaOf(service: Offered): ObjectSchema {
  const given = service.request.body
  if (isObject(given) && [given.type ?? 'object'].flat().includes('object')) return asObjectSchema(given)
  if (service.serviceKind === 'llm') return llmSchemas[service.llmDialect]
  const isQuery = ['GET', 'HEAD', 'DELETE'].includes(service.method)
  const description = isQuery ? 'Members become query parameters.' : 'Sent as the JSON body.'
  return { type: 'object', additionalProperties: true, description }
}

function asObjectSchema(given: JsonObject): ObjectSchema {
  const { properties, ...rest } = given
  if (!isObject(properties)) return { ...rest, type: 'object' }
  const named = Object.entries(properties).map(([name, schema]) => {
    return [name, isObject(schema) ? schema : schema === false ? { not: {} } : {}] as const
  })
  return { ...rest, type: 'object', properties: Object.fromEntries(named) }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const sampling = {
  model: { type: 'string', description: 'May be left out where the service names its model itself.' },
  max_tokens: {
    type: 'integer',
    minimum: 1,
    description: 'Most output tokens; bounds what the call may cost.',
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
      content: { description: 'A text, or a list of content parts as the API of the model has them.' },
    },
    required: ['role', 'content'],
  },
})

/** What calls of models take when their manifests do not say; other members of their APIs pass as well. */
const llmSchemas: Readonly<Record<'openai' | 'anthropic', ObjectSchema>> = {
  openai: {
    type: 'object',
    properties: {
      messages: messages(['system', 'developer', 'user', 'assistant', 'tool']),
      ...sampling,
      stop: { description: 'A text or a list of texts that end the output.' },
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
