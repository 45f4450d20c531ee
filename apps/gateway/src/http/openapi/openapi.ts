import { type ErrorCode, errorTable, GatewayError } from '@farebox/wire/errors'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { type ApiEvent, apiEvents } from '../api-events.ts'
import { access, type Contract, errorBody, errorCodesOf, type Operation, tags } from './contract.ts'
import { exampleOf } from './openapi-examples.ts'
import { type Components, define, type JsonSchema, toSchema } from './openapi-schemas.ts'
import { headers, introduction, parameterTexts, securitySchemes, tagTexts } from './openapi-text.ts'

/** An OpenAPI 3.1 document, as plain JSON. */
export type ApiDocument = Readonly<Record<string, unknown>>

const REQUEST_ID = 'req_01kahd5w3xqv7m2c9z4n8r6t0e'
/** Maximum length of an idempotency key. */
const KEY_LENGTH_MAX = 255
/** Documented maximum length of a table or stream: tools allocate for it. */
const TEXT_LENGTH_MAX = 4_194_304
const PATH_SEGMENT_LENGTH_MAX = 200
/** Codes whose answers have `Retry-After`. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'EMAIL_VERIFICATION_DAILY_LIMIT_REACHED',
  'IDEMPOTENCY_IN_PROGRESS',
  'UNAVAILABLE',
])
/** Codes whose answers may have it, if the provider asks for a pause. */
const MAYBE_RETRYABLE: ReadonlySet<ErrorCode> = new Set([...RETRYABLE, 'UPSTREAM_ERROR'])
/** Statuses of provider refusals that the compatible APIs pass on. */
const RELAYED_STATUSES = [400, 413, 422, 429, 529] as const

type Parts = { readonly components: Components; readonly responses: Map<string, JsonSchema> }

/**
 * Returns the published contract of a gateway, generated from the validating schemas and the contracts of its routes.
 *
 * @param operations in the order within their headings
 * @param options.version of the gateway
 */
export function describeApi(operations: readonly Operation[], options: { version: string }): ApiDocument {
  const parts: Parts = { components: new Map(), responses: new Map() }
  const published = operations.filter(({ contract }) => contract.tag !== 'Development')
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of published) {
    const path = pathOf(operation.url)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, parts) }
  }
  const webhooks = Object.fromEntries(apiEvents.map(event => [event.type, describeEvent(event, parts)]))
  const used = new Set<string>(published.map(({ contract }) => contract.tag))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox',
      version: options.version,
      summary: 'A gateway between paying software agents and API and LLM providers, settled in USDC.',
      description: introduction,
      contact: { name: 'The maintainers of Farebox' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '/',
        description: 'The gateway that serves this document, in production too.',
        'x-internal': false,
      },
    ],
    tags: tags.filter(name => used.has(name)).map(name => ({ name, description: tagTexts[name] })),
    paths,
    webhooks,
    components: {
      schemas: sorted(parts.components),
      responses: sorted(parts.responses),
      headers,
      securitySchemes,
    },
  }
}

const sorted = (map: ReadonlyMap<string, JsonSchema>): Record<string, JsonSchema> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns a route's path in OpenAPI's syntax. */
export const pathOf = (url: string): string => url.replaceAll(/:([A-Za-z]+)/g, '{$1}')

function describe(operation: Operation, parts: Parts): JsonSchema {
  const { contract: about, schema } = operation
  const codes = errorCodesOf(operation)
  const parameters = [
    ...parametersOf(operation, 'path', parts),
    ...parametersOf(operation, 'query', parts),
    ...idempotencyParameter(about),
  ]
  return {
    operationId: about.id,
    summary: about.summary,
    ...(about.description !== undefined && { description: about.description }),
    tags: [about.tag],
    security: access[about.access].security.map(requirement => ({ ...requirement })),
    ...(parameters.length > 0 && { parameters }),
    ...((about.body ?? schema.body) !== undefined && { requestBody: requestBodyOf(operation, parts) }),
    'x-error-codes': codes,
    responses: {
      [about.answerStatus ?? 200]: successOf(operation, codes, parts),
      ...otherStatuses(operation),
      ...errorsOf(operation, codes, parts),
    },
  }
}

/** Returns the parameters of the path, with or without a schema, or of the query. */
function parametersOf({ url, schema }: Operation, place: 'path' | 'query', parts: Parts): JsonSchema[] {
  const input = place === 'path' ? schema.params : schema.querystring
  const read = input === undefined ? {} : toSchema(input, 'input', parts.components)
  const properties = (read.properties ?? {}) as Record<string, JsonSchema>
  const required = new Set((read.required ?? []) as string[])
  const names =
    place === 'query'
      ? Object.keys(properties)
      : [...url.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name ?? '')
  return names.map(name => {
    const { description = parameterTexts[name], ...reported } = properties[name] ?? { type: 'string' }
    const bounded =
      place === 'path' ? { minLength: 1, maxLength: PATH_SEGMENT_LENGTH_MAX, ...reported } : reported
    return {
      name,
      in: place,
      ...(description !== undefined && { description }),
      required: place === 'path' || required.has(name),
      schema: bounded,
    }
  })
}

/** Header of the idempotency key, for operations that use it. */
function idempotencyParameter({ idempotencyKey }: Contract): JsonSchema[] {
  if (idempotencyKey === undefined) return []
  return [
    {
      name: 'X-Idempotency-Key',
      in: 'header',
      description:
        'Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.',
      required: idempotencyKey === 'required',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: KEY_LENGTH_MAX,
        pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e]*[\\x21-\\x7e])?$',
      },
      example: 'order-4711',
    },
  ]
}

const pascal = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)

function requestBodyOf({ contract: about, schema }: Operation, { components }: Parts): JsonSchema {
  const body = about.body ?? schema.body
  if (body === undefined) return {}
  const read = toSchema(body, 'input', components)
  const mayBeAbsent = body.safeParse(undefined).success
  return {
    required: !mayBeAbsent,
    content: {
      [about.bodyType ?? 'application/json']: {
        schema: named(`${pascal(about.id)}Body`, read, components),
        example: about.exampleBody ?? exampleOf(read, components),
      },
    },
  }
}

/** Turns objects into components; keeps existing components and small ones inline. */
function named(name: string, schema: JsonSchema, components: Components): JsonSchema {
  return '$ref' in schema ? schema : define(components, name, schema)
}

function successOf(operation: Operation, codes: readonly ErrorCode[], { components }: Parts): JsonSchema {
  const { contract: about } = operation
  const answered = about.answer === undefined ? null : toSchema(about.answer, 'output', components)
  const others = Object.entries(about.otherTypes ?? {}).map(([type, description]) => [
    type,
    { schema: { type: 'string', description, maxLength: TEXT_LENGTH_MAX, pattern: '^[\\s\\S]*$' } },
  ])
  return {
    description: 'Done.',
    headers: {
      ...headersOf(codes),
      ...(about.idempotencyKey !== undefined && reference('Idempotent-Replayed')),
    },
    content: {
      ...(answered !== null && {
        [about.answerType ?? 'application/json']: {
          schema: named(`${pascal(about.id)}Answer`, answered, components),
          example: about.example ?? exampleOf(answered, components),
        },
      }),
      ...Object.fromEntries(others),
    },
  }
}

const reference = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } })

/** Headers of all answers of an operation with these codes. */
function headersOf(codes: readonly ErrorCode[]): JsonSchema {
  return {
    ...reference('X-Request-Id'),
    ...reference('Access-Control-Allow-Origin'),
    ...(codes.includes('RATE_LIMITED') && { ...reference('RateLimit'), ...reference('RateLimit-Policy') }),
  }
}

function otherStatuses({ contract }: Operation): JsonSchema {
  return Object.fromEntries(
    Object.entries(contract.otherStatuses ?? {}).map(([status, description]) => [
      status,
      { description, headers: headersOf([]) },
    ]),
  )
}

/** Error responses, by status. */
function errorsOf(operation: Operation, codes: readonly ErrorCode[], parts: Parts): JsonSchema {
  const { errorAnswer, relaysErrors = false } = operation.contract
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  if (relaysErrors) for (const status of RELAYED_STATUSES) byStatus.set(status, byStatus.get(status) ?? [])
  const limited = codes.includes('RATE_LIMITED')
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, of]) => [
        status,
        errorAnswer === undefined
          ? ownError(of, limited, parts)
          : foreignError(operation, of, { limited, components: parts.components }),
      ]),
  )
}

/** Statuses of a code: one, except for a provider timeout. */
function statusesOf(code: ErrorCode): number[] {
  const [status] = errorTable[code]
  return code === 'UPSTREAM_ERROR' ? [status, new GatewayError(code, { reason: 'timeout' }).status] : [status]
}

/** Returns a response in our error format. Operations with the same codes share one. */
function ownError(
  codes: readonly ErrorCode[],
  limited: boolean,
  { components, responses }: Parts,
): JsonSchema {
  const name = `${codes.map(nameOf).join('Or')}${limited ? 'Limited' : ''}`
  if (!responses.has(name)) {
    const schema = toSchema(errorBody(codes), 'output', components)
    const examples = codes.map(code => [code, { summary: errorTable[code][1], value: exampleError(code) }])
    responses.set(name, {
      description: describeCodes(codes),
      headers: errorHeaders(codes, limited),
      content: {
        'application/json': {
          schema: define(components, `${codes.map(nameOf).join('Or')}Error`, schema),
          examples: Object.fromEntries(examples),
        },
      },
    })
  }
  return { $ref: `#/components/responses/${name}` }
}

/** Returns a response in the error format of another API. */
function foreignError(
  { contract: { id, errorAnswer } }: Operation,
  codes: readonly ErrorCode[],
  input: { limited: boolean; components: Components },
): JsonSchema {
  if (errorAnswer === undefined) return {}
  const { limited, components } = input
  const schema = named(`${pascal(id)}Error`, toSchema(errorAnswer, 'output', components), components)
  return {
    description:
      codes.length === 0 ? 'The provider refused the request; its own error.' : describeCodes(codes),
    headers: errorHeaders(codes, limited),
    content: { 'application/json': { schema } },
  }
}

/** Returns `PAYLOAD_TOO_LARGE` as part of a name. */
const nameOf = (code: ErrorCode): string =>
  code
    .toLowerCase()
    .split('_')
    .map(word => pascal(word))
    .join('')

const describeCodes = (codes: readonly ErrorCode[]): string =>
  codes.map(code => `\`${code}\`: ${errorTable[code][1]}`).join('\n\n')

function errorHeaders(codes: readonly ErrorCode[], limited: boolean): JsonSchema {
  return {
    ...headersOf(limited ? ['RATE_LIMITED'] : []),
    ...(codes.some(code => MAYBE_RETRYABLE.has(code)) && reference('Retry-After')),
  }
}

function exampleError(code: ErrorCode): unknown {
  const retry = RETRYABLE.has(code) ? { retryAfterSeconds: RETRY_AFTER_SECONDS.pending } : {}
  return new GatewayError(code, {}, retry).toBody(REQUEST_ID)
}

/** Events sent to subscribers. */
function describeEvent({ type, summary, payload }: ApiEvent, { components }: Parts): JsonSchema {
  const id = `on${type.split('.').map(pascal).join('')}`
  const sent = toSchema(payload, 'output', components)
  return {
    post: {
      operationId: id,
      summary,
      description:
        'Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` by Standard Webhooks. Verify the signature first.',
      tags: ['Webhooks'],
      security: [{}],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: named(`${pascal(id)}Payload`, sent, components),
            example: exampleOf(sent, components),
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. After any other status or a timeout the event is retried later.' },
      },
    },
  }
}
