import { type ErrorCode, errorTable } from '@farebox/wire/errors'
import { z } from 'zod'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Contract of the operation; set by {@link contract}. */
    contract?: Contract
  }
}

/** Headings of the reference, in order. */
export const tags = [
  'Authentication',
  'Profile',
  'Credentials',
  'Balance',
  'Discovery',
  'Invocation',
  'Services',
  'Provider secrets',
  'Provider side',
  'Withdrawals',
  'Alerts',
  'Webhooks',
  'Feedback',
  'Forum',
  'Proof',
  'Admin',
  'Operations',
  'Development',
] as const
export type Tag = (typeof tags)[number]

/** Credential that an operation requires, and the errors without it. */
export const access = {
  public: { security: [{}], errors: [] },
  wallet: { security: [{ walletToken: [] }], errors: ['UNAUTHORIZED', 'WALLET_SUSPENDED'] },
  /** An optional session token; an invalid one counts as none. */
  anyone: { security: [{}, { walletToken: [] }], errors: ['WALLET_SUSPENDED'] },
  admin: { security: [{ adminToken: [] }], errors: ['UNAUTHORIZED', 'WALLET_SUSPENDED', 'FORBIDDEN'] },
  agent: {
    security: [{ agentCredential: [] }, { agentBearer: [] }],
    errors: ['CREDENTIAL_INVALID', 'CREDENTIAL_INACTIVE', 'WALLET_SUSPENDED', 'LOOP_DETECTED'],
  },
  agentOrWallet: {
    security: [{ agentCredential: [] }, { agentBearer: [] }, { walletToken: [] }],
    errors: [
      'CREDENTIAL_INVALID',
      'CREDENTIAL_INACTIVE',
      'WALLET_SUSPENDED',
      'UNAUTHORIZED',
      'LOOP_DETECTED',
    ],
  },
  providerSecret: {
    security: [{ providerSecret: [] }],
    errors: ['PROVIDER_SECRET_INVALID', 'WALLET_SUSPENDED', 'RATE_LIMITED', 'LOOP_DETECTED'],
  },
} as const satisfies Record<string, { security: readonly object[]; errors: readonly ErrorCode[] }>
export type Access = keyof typeof access

/** Contract of an operation. */
export type Contract = {
  /** Unique, camelCase, verb first: `issueCredential`. Generated clients use it as method name. */
  readonly id: string
  /** One line without a full stop. */
  readonly summary: string
  /** Further information for callers. Markdown. */
  readonly description?: string
  readonly tag: Tag
  readonly access: Access
  /** The body is passed on to a provider: its integers that a number would round are parsed as bigint. */
  readonly hasExactIntegers?: true
  /** Code for an invalid body; default INVALID_PAYLOAD. */
  readonly invalidBodyCode?: ErrorCode
  /** Own codes, in addition to those of {@link errorCodesOf} for every operation of its kind. */
  readonly errors?: readonly ErrorCode[]
  /** Schema of its 200 body: plain JSON, no transforms. Absent if it has only {@link otherTypes}. */
  readonly answer?: z.ZodType
  /** Media type of that body if not application/json. */
  readonly answerType?: string
  /** Status of a successful answer, if not 200. */
  readonly answerStatus?: 201
  /** Idempotency keys of its requests: optional or required. Implies its error codes. */
  readonly idempotencyKey?: 'optional' | 'required'
  /** Example of an answer. */
  readonly example?: unknown
  /** Schema of a body that the handler parses itself, because something else comes first, such as the rate. */
  readonly body?: z.ZodType
  /** Media type of the request body if not application/json. */
  readonly bodyType?: 'application/x-www-form-urlencoded'
  /** Example of a request body. */
  readonly exampleBody?: unknown
  /** Further media types of the 200, such as `text/csv`, with descriptions. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** Further statuses without a body, such as 304, with descriptions. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Schema of its errors in the format of another API; see {@link errorBody} for ours. */
  readonly errorAnswer?: z.ZodType
  /** True if errors of providers are passed on with their status. */
  readonly relaysErrors?: boolean
}

/** Schemas of an operation's input. */
export type Input = {
  readonly body?: z.ZodType
  readonly querystring?: z.ZodType
  readonly params?: z.ZodType
  readonly headers?: z.ZodType
}

/**
 * Returns the contract of a route and its input schemas, to spread into the route's options: `app.get(path,
 * contract({...}, {...}), handler)`. Answers are not validated in production; the tests check every answer, and that an
 * operation returns only codes that it names.
 *
 * @param about contract of the operation
 * @param input schemas of its input
 */
export function contract<const Schema extends Input = Record<never, never>>(
  about: Contract,
  input?: Schema,
): { schema: Schema; config: { contract: Contract } } {
  return { schema: (input ?? {}) as Schema, config: { contract: about } }
}

/** Returns true if a code is an operation's own, or implied by its access. */
export function mayAnswer(about: Contract, code: ErrorCode): boolean {
  const coming: readonly ErrorCode[] = access[about.access].errors
  return coming.includes(code) || about.errors?.includes(code) === true
}

/** Codes of a reused or busy idempotency key; a malformed one is INVALID_REQUEST. */
const idempotencyErrors = [
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_PROGRESS',
] as const satisfies readonly ErrorCode[]

/** Methods whose requests may have a body. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Known facts of a registered route. */
export type Operation = {
  readonly contract: Contract
  readonly method: string
  readonly url: string
  readonly schema: Input
}

/** Returns all codes that an operation may answer: its own, and those implied by its input and access. */
export function errorCodesOf({ contract: about, method, schema }: Operation): ErrorCode[] {
  const takesBody = WITH_BODY.has(method)
  const codes = new Set<ErrorCode>([
    ...(about.errors ?? []),
    ...(about.idempotencyKey === undefined ? [] : idempotencyErrors),
    ...(about.idempotencyKey === 'required' ? (['MISSING_IDEMPOTENCY_KEY'] as const) : []),
    ...access[about.access].errors,
    'INVALID_REQUEST', // Also the answer to anything that is not HTTP.
    // A path segment longer than any id is not one of our paths.
    ...(schema.params === undefined ? [] : (['NOT_FOUND'] as const)),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...((about.body ?? schema.body) === undefined ? [] : [about.invalidBodyCode ?? 'INVALID_PAYLOAD']),
    'INTERNAL',
    'UNAVAILABLE',
  ])
  return [...codes].sort((a, b) => errorTable[a][0] - errorTable[b][0] || a.localeCompare(b))
}

/** Maximum length of an error message. */
const MESSAGE_LENGTH_MAX = 4_096
const REQUEST_ID_LENGTH_MAX = 128

/** Returns the error schema of an operation with its codes. */
export function errorBody(codes: readonly ErrorCode[]) {
  const code = z.enum(codes as [ErrorCode, ...ErrorCode[]])
  const message = z.string().max(MESSAGE_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' })
  const requestId = z
    .string()
    .max(REQUEST_ID_LENGTH_MAX)
    .regex(/^[\x20-\x7e]+$/)
  return z.object({ code, message, requestId, detail: z.looseObject({ code, message }) })
}
