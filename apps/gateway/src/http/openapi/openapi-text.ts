import type { Tag } from './contract.ts'

/** Introduction of the reference. Markdown. */
export const introduction = `Farebox connects paying software agents with the API and LLM providers that they use. An owner signs in with a wallet, deposits USDC and issues credentials with budgets; an agent finds services and calls them with such a credential; a provider registers services, is paid for each call, and withdraws.

## Conventions

- Every success is 200 with JSON, except for streams, tables and pages marked as such. Times are ISO 8601 in UTC; \`expiresAt\`, \`lastCheckedAt\` and \`deadline\` are Unix seconds.
- An amount of USDC is a decimal text with six places, \`"0.050000"\`. Requests may use fewer places, or JSON numbers.
- Every error is \`{code, message, requestId, detail}\`; \`detail\` repeats code and message and adds machine-readable context, such as \`currentPriceUsdc\` or \`retryAfterSeconds\`. Decide by \`code\`. The compatible APIs (\`/v1\`, \`/mcp\`) send errors in the shape of those APIs.
- Unknown members of a request are ignored unless an operation says otherwise.
- Lists are paginated: \`limit\` is the page size; send \`nextCursor\` as \`cursor\` to get the next page.
- Every response has an \`X-Request-Id\`: that of the request, or a generated one.
- Where requests are limited, \`RateLimit\` and \`RateLimit-Policy\` state how many are left, and a 429 has \`Retry-After\`.
- \`X-Idempotency-Key\` makes the operations that list it safe to repeat: the same key with the same request returns the first response, marked \`Idempotent-Replayed: true\`. Other operations ignore it.
`

/** Descriptions of the headings. */
export const tagTexts: Readonly<Record<Tag, string>> = {
  Authentication: 'Signing in and out with a wallet (EIP-191 signatures, EIP-4361 messages).',
  Profile: 'Profile and email of a wallet.',
  Credentials: 'Tokens with budgets for agents, and the spending policy of their owner.',
  Balance: 'Money in: deposits, vouchers, and the books.',
  Discovery: 'Finding services.',
  Invocation: 'Calling services, and the APIs compatible with OpenAI, Anthropic and MCP.',
  Services: 'Services of providers.',
  'Provider secrets': "Tokens for a provider's own servers.",
  'Provider side': 'Operations with such a token.',
  Withdrawals: 'Money out: what providers have earned.',
  Alerts: 'Budgets that are used up, a low balance and a high failure rate, by email and webhook.',
  Webhooks: 'Notifications of events, signed by [Standard Webhooks](https://www.standardwebhooks.com).',
  Feedback: 'Reports to the operators.',
  Forum: 'Topics, replies and votes.',
  Proof: 'Evidence that the books are consistent and the vault covers them.',
  Admin: 'For wallets with the admin role. Every act is recorded.',
  Operations: 'For those who run the gateway.',
  Development: 'Only in development mode.',
}

/** Descriptions of the security schemes. */
export const securitySchemes = {
  walletToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Session token of a wallet from `POST /auth/verify`, valid for 24 hours. Its signature, algorithm and times are checked as RFC8725 recommends.',
  },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Session token of a wallet with the admin role, checked as RFC8725 recommends.',
  },
  agentCredential: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Credential',
    description: 'Agent credential (`agt_...`), issued by its owner.',
  },
  agentBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Agent credential (`agt_...`) as a bearer token.',
  },
  providerSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'Provider secret (`psk_...`).',
  },
} as const

/** Headers of answers. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifies this request in logs; the value of the request if it sent one.',
    schema: { type: 'string', maxLength: 128, pattern: '^[\\x20-\\x7e]+$' },
  },
  'Access-Control-Allow-Origin': {
    description:
      '`*` on public reads without credentials; otherwise the origin of the page if the operator allows it.',
    schema: { type: 'string', maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_678_400 },
  },
  RateLimit: {
    description: 'Remaining requests (`r`) and seconds until the reset (`t`), by policy.',
    schema: { type: 'string', maxLength: 128, pattern: '^"[\\x20-\\x7e]+";r=\\d+;t=\\d+$' },
  },
  'RateLimit-Policy': {
    description: 'Requests (`q`) allowed per window of seconds (`w`), by policy.',
    schema: { type: 'string', maxLength: 128, pattern: '^"[\\x20-\\x7e]+";q=\\d+;w=\\d+$' },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
} as const

/** Default descriptions of parameters, by name. */
export const parameterTexts: Readonly<Record<string, string>> = {
  id: 'Identifier, from the response that created it.',
  deliveryId: 'Identifier of a delivery.',
  topicId: 'Identifier of a topic.',
  replyId: 'Identifier of a reply.',
  taskId: 'Identifier of a support task.',
  page: 'Page number, from 1.',
  pageSize: 'Maximum entries per page.',
  category: 'Only those of this category.',
  q: 'Text to look for.',
  query: 'Text to look for.',
  sort: 'Sort order.',
  address: 'Wallet address.',
  withdrawalId: 'Identifier of a withdrawal.',
  status: 'Only those with this status.',
}
