import { type ErrorCode, errorTable } from '@farebox/wire/errors'
import { z } from 'zod'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the operation promises; set by {@link contract}. */
    contract?: Contract
  }
}

/** Headings of the reference, in their order there. */
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
  'Webhooks',
  'Feedback',
  'Forum',
  'Proof',
  'Admin',
  'Operations',
  'Development',
] as const
export type Tag = (typeof tags)[number]

/** Who may call an operation: what is presented, and what is answered to who does not present it. */
export const access = {
  public: { security: [{}], errors: [] },
  wallet: { security: [{ walletToken: [] }], errors: ['UNAUTHORIZED', 'WALLET_SUSPENDED'] },
  /** A wallet's token is read when there is one; a token that is not valid counts as none. */
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

/** What an operation promises. */
export type Contract = {
  /** Unique, camelCase, verb first: `issueCredential`. Clients generated from the contract call it so. */
  readonly id: string
  /** What it does, in one line without a full stop. */
  readonly summary: string
  /** What a caller should know beyond that. Markdown. */
  readonly description?: string
  readonly tag: Tag
  readonly access: Access
  /** Code for a body that fails its schema; INVALID_PAYLOAD unless the endpoint has one of its own. */
  readonly invalidBodyCode?: ErrorCode
  /** Codes of its own: what it may answer beyond what {@link errorCodesOf} knows of every operation of its kind. */
  readonly errors?: readonly ErrorCode[]
  /** Body of its 200 as it goes over the wire: plain JSON, no transforms. Absent where it has {@link otherTypes} only. */
  readonly answer?: z.ZodType
  /** Media type of that body where it is not application/json. */
  readonly answerType?: string
  /** Whether a request may, or must, bear an idempotency key. Its codes come with it. */
  readonly idempotencyKey?: 'optional' | 'required'
  /** An answer as callers will see it. */
  readonly example?: unknown
  /** Schema of a body that the handler reads by itself, because something else comes first, such as the rate. */
  readonly body?: z.ZodType
  /** A request body that works. */
  readonly exampleBody?: unknown
  /** Types in which the 200 comes beside JSON, such as `text/csv`, each with what it is. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** Statuses without a body beside 200, such as 304, each with what it says. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Body of its errors where another API's shape is spoken; see {@link errorBody} for ours. */
  readonly errorAnswer?: z.ZodType
}

/** Schemas of what an operation takes. */
export type Input = {
  readonly body?: z.ZodType
  readonly querystring?: z.ZodType
  readonly params?: z.ZodType
  readonly headers?: z.ZodType
}

/**
 * The contract of a route beside the schemas that validate its input: `app.get(path, contract({...}, {...}), handler)`
 * spread into the route's options. The answer is not checked in production; the tests check every answer against it,
 * and that an operation answers no code that it does not name.
 *
 * @param about what the operation promises
 * @param input schemas of what it takes
 */
export function contract<const Schema extends Input = Record<never, never>>(
  about: Contract,
  input?: Schema,
): { schema: Schema; config: { contract: Contract } } {
  return { schema: (input ?? {}) as Schema, config: { contract: about } }
}

/** Whether a code is among the operation's own, or comes with who may call it. */
export function mayAnswer(about: Contract, code: ErrorCode): boolean {
  const coming: readonly ErrorCode[] = access[about.access].errors
  return coming.includes(code) || about.errors?.includes(code) === true
}

/** What is answered to a reused or a busy idempotency key; one that is malformed is INVALID_REQUEST. */
const idempotencyErrors = [
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_PROGRESS',
] as const satisfies readonly ErrorCode[]

/** Methods whose requests may have a body. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** What is known of a route once it is registered. */
export type Operation = {
  readonly contract: Contract
  readonly method: string
  readonly url: string
  readonly schema: Input
}

/**
 * Every code that an operation may answer: its own, and those that come with what it takes and who may call it.
 */
export function errorCodesOf({ contract: about, method, schema }: Operation): ErrorCode[] {
  const takesBody = WITH_BODY.has(method)
  const codes = new Set<ErrorCode>([
    ...(about.errors ?? []),
    ...(about.idempotencyKey === undefined ? [] : idempotencyErrors),
    ...(about.idempotencyKey === 'required' ? (['MISSING_IDEMPOTENCY_KEY'] as const) : []),
    ...access[about.access].errors,
    'INVALID_REQUEST', // What is no HTTP is told so whatever it was meant for.
    // A path segment of more characters than any id has is no path of ours.
    ...(schema.params === undefined ? [] : (['NOT_FOUND'] as const)),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...((about.body ?? schema.body) === undefined ? [] : [about.invalidBodyCode ?? 'INVALID_PAYLOAD']),
    'INTERNAL',
    'UNAVAILABLE',
  ])
  return [...codes].sort((a, b) => errorTable[a][0] - errorTable[b][0] || a.localeCompare(b))
}

/** Longest message of an error. */
const MESSAGE_LENGTH_MAX = 4_096
const REQUEST_ID_LENGTH_MAX = 128

/** The error body of every operation, with the codes that it may hold. */
export function errorBody(codes: readonly ErrorCode[]) {
  const code = z.enum(codes as [ErrorCode, ...ErrorCode[]])
  const message = z.string().max(MESSAGE_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' })
  const requestId = z
    .string()
    .max(REQUEST_ID_LENGTH_MAX)
    .regex(/^[\x20-\x7e]+$/)
  return z.object({ code, message, requestId, detail: z.looseObject({ code, message }) })
}
