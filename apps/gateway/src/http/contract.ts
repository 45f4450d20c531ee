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
  public: { security: [], errors: [] },
  wallet: { security: [{ walletToken: [] }], errors: ['UNAUTHORIZED', 'WALLET_SUSPENDED'] },
  /** A wallet's token is looked at when it is there. */
  anyone: { security: [{}, { walletToken: [] }], errors: ['UNAUTHORIZED', 'WALLET_SUSPENDED'] },
  admin: { security: [{ walletToken: [] }], errors: ['UNAUTHORIZED', 'WALLET_SUSPENDED', 'FORBIDDEN'] },
  agent: {
    security: [{ agentCredential: [] }, { agentBearer: [] }],
    errors: ['CREDENTIAL_INVALID', 'CREDENTIAL_INACTIVE', 'WALLET_SUSPENDED'],
  },
  agentOrWallet: {
    security: [{ agentCredential: [] }, { agentBearer: [] }, { walletToken: [] }],
    errors: ['CREDENTIAL_INVALID', 'CREDENTIAL_INACTIVE', 'WALLET_SUSPENDED', 'UNAUTHORIZED'],
  },
  providerSecret: {
    security: [{ providerSecret: [] }],
    errors: ['PROVIDER_SECRET_INVALID', 'WALLET_SUSPENDED', 'RATE_LIMITED'],
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
  /** Body of its 200 as it goes over the wire: plain JSON, no transforms. */
  readonly answer: z.ZodType
  /** An answer as callers will see it. */
  readonly example?: unknown
  /** A request body that works. */
  readonly exampleBody?: unknown
  /** Types in which the 200 comes beside JSON, such as `text/csv`, each with what it is. */
  readonly otherTypes?: Readonly<Record<string, string>>
}

type Input = {
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
    ...access[about.access].errors,
    ...(schema.querystring === undefined && !takesBody ? [] : (['INVALID_REQUEST'] as const)),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(schema.body === undefined ? [] : [about.invalidBodyCode ?? 'INVALID_PAYLOAD']),
    'INTERNAL',
    'UNAVAILABLE',
  ])
  return [...codes].sort((a, b) => errorTable[a][0] - errorTable[b][0] || a.localeCompare(b))
}

/** The error body of every operation, with the codes that it may hold. */
export function errorBody(codes: readonly ErrorCode[]) {
  const code = z.enum(codes as [ErrorCode, ...ErrorCode[]])
  const message = z.string()
  return z.object({ code, message, requestId: z.string(), detail: z.looseObject({ code, message }) })
}
