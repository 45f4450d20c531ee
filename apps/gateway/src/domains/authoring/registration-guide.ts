import { formatUsdc } from '@farebox/money'
import { FREE_FORM_LENGTH_MAX } from '@farebox/wire/free-form'
import { HISTORY_HOURS_MAX } from '@farebox/wire/health'
import { PRICE_MAX } from '@farebox/wire/llm-terms'
import { registerServiceBody } from '@farebox/wire/manifest'
import {
  STREAM_IDLE_MS_DEFAULT,
  STREAM_IDLE_MS_MAX,
  STREAM_MS_DEFAULT,
  STREAM_MS_MAX,
  TARGETS_MAX,
  TIMEOUT_MS_DEFAULT,
  TIMEOUT_MS_MAX,
} from '@farebox/wire/service-limits'
import type { Config } from '../../config.ts'
import { type JsonSchema, toSchema } from '../../http/openapi/openapi-schemas.ts'
import { SERVICES_PER_WALLET_MAX } from '../services/register-service.ts'

const HOURS_PER_DAY = 24

/** Purpose of each member of a manifest; types and limits are in the schema. */
const FIELDS: Readonly<Record<keyof typeof registerServiceBody.shape, string>> = {
  isActive: 'False registers the service without listing it. Default: true.',
  status: 'Alternative to isActive: `active`, `inactive` or `paused`.',
  serviceName: 'Display name of the service.',
  agentToolName:
    'Unique name for agents. A former name works for 30 days. Default: derived from serviceName.',
  serviceId: 'Alias of agentToolName, which takes precedence.',
  summary: 'One or two sentences by which agents choose.',
  description: 'Full description.',
  tags: 'Search words.',
  serviceKind: '`api` (priced per call) or `llm` (priced per token). Default: derived from the price.',
  priceModel: '`fixed` for an api, `token_metered` for an llm.',
  pricing: 'The price in USDC: `amount` per call, or the two token prices. Without it calls are free.',
  inputPricePer1MTokensUsdc: 'LLM: price per million input tokens. Also accepted inside `pricing`.',
  outputPricePer1MTokensUsdc: 'LLM: price per million output tokens. Also accepted inside `pricing`.',
  cacheReadPricePer1M: 'LLM: price per million input tokens read from your cache. Default: the input price.',
  cacheWritePricePer1M:
    'LLM: price per million input tokens written to your cache. Default: the input price.',
  defaultMaxOutputTokens: 'LLM: output token limit of calls that state none. Also accepted inside `pricing`.',
  maxAutoHoldUsdc: 'LLM: maximum automatic hold. Also accepted inside `pricing`.',
  holdBufferMultiplier: 'LLM: multiplier of automatic holds. Also accepted inside `pricing`.',
  llmDialect: 'LLM: API of the targets, `openai` or `anthropic`.',
  outputLimitField:
    'LLM: the member for a bound on output tokens that the caller did not give, `max_tokens` or `max_completion_tokens`. By target and model when it is absent.',
  upstreamModel: 'LLM: set as `model` of every forwarded body.',
  modelFamily:
    'LLM: the model by a name that other services of the same model use, such as `llama-3.3-70b`. Callers may have the gateway choose among them.',
  inputModalities:
    'LLM: what the model takes as input, of `text`, `image`, `audio`, `video` and `file`, for callers to read.',
  mediaTokens: 'LLM: input tokens held for an image, a sound or a file in base64. Default: 2000.',
  contextTokens:
    'LLM: maximum input tokens of the model. Calls may then refer to context (a former response, a conversation, a stored prompt or file, a remote URL), for which that many are held; without it such calls are refused.',
  invoke:
    'How to call it: method, targets with weights, timeouts (`timeoutMs` to a whole answer or the head of a stream; a stream may bring nothing for `streamIdleTimeoutMs` and take `streamMaxMs`), encoding of the body, and JSON Schemas: of the request under `body`, `query` and `path`, of the response under `body`. A call that violates the request schema is refused before anything is held.',
  healthCheck: 'Probe settings that differ from the default.',
  upstreamHeaders:
    'Headers sent to your targets, such as their keys. Stored encrypted and never shown again.',
  signature:
    'Signature of requests to your targets: `ed25519` (the default) or `hmac-sha256`, with the signing secret of your wallet (POST /api/v1/secrets/signing).',
  providerProfile: 'Any data about you; stored and returned.',
  payoutAccount:
    'Your own wallet, as text or as the `address` of an object. Earnings are paid only there; another is INVALID_ADDRESS.',
  governance: 'Any rules of the service; stored and returned.',
}

/** Working manifests, except for their targets. */
const guideExamples = {
  fixed: {
    serviceName: 'Weather',
    agentToolName: 'weather',
    summary: 'Weather of any city, now and for ten days.',
    tags: ['weather', 'forecast'],
    pricing: { currency: 'USDC', amount: '0.05' },
    invoke: {
      method: 'POST',
      targets: [{ url: 'https://api.weather.example/v1/now', weight: 1 }],
      timeoutMs: 10_000,
      request: {
        body: {
          type: 'object',
          properties: { city: { type: 'string', description: 'Name of the city.' } },
          required: ['city'],
        },
      },
    },
    healthCheck: { path: '/health', method: 'GET', successCodes: [200], unhealthyThreshold: 2 },
    upstreamHeaders: { 'x-api-key': 'the key of your own API' },
  },
  llm: {
    serviceName: 'Small Model',
    agentToolName: 'small-model',
    summary: 'A small model that writes and summarises.',
    tags: ['llm'],
    serviceKind: 'llm',
    priceModel: 'token_metered',
    llmDialect: 'openai',
    upstreamModel: 'small-1',
    inputPricePer1MTokensUsdc: '0.50',
    outputPricePer1MTokensUsdc: '1.50',
    defaultMaxOutputTokens: 1_024,
    maxAutoHoldUsdc: '0.10',
    invoke: { targets: [{ url: 'https://models.example/v1/chat/completions' }], timeoutMs: 120_000 },
    healthCheck: { path: '/health' },
  },
}

/**
 * Returns the registration guide for programs: the schema of manifests, limits, examples, health rules, the format of
 * calls, and the next steps.
 *
 * @param at.publicUrl URL of this gateway, without a trailing slash
 */
export function registrationGuide(at: {
  publicUrl: string
  config: Pick<Config, 'PROBE_INTERVAL_SECONDS' | 'ALLOW_HTTP_TARGETS' | 'ALLOW_PRIVATE_TARGETS'>
}) {
  const { publicUrl, config } = at
  const manifestSchema = toSchema(registerServiceBody, 'input', new Map())
  const { properties = {}, required = [] } = manifestSchema as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return {
    status: 'success',
    register: {
      method: 'POST',
      path: '/api/v1/services',
      what: 'Registers a service; it is active at once.',
      authentication:
        'Authorization: Bearer <wallet JWT>. Any wallet becomes a provider by its first service.',
    },
    requirements: requirementsUnder(config),
    steps: STEPS,
    fields: Object.entries(FIELDS).map(([name, description]) => ({
      name,
      description,
      required: required.includes(name),
      schema: properties[name] ?? {},
    })),
    manifestSchema,
    limits: limitsUnder(config),
    examples: guideExamples,
    health: {
      rules: HEALTH_RULES,
      intervalSeconds: config.PROBE_INTERVAL_SECONDS,
      historyDays: HISTORY_HOURS_MAX / HOURS_PER_DAY,
    },
    calls: { headers: CALL_HEADERS, rules: CALL_RULES },
    signatures: {
      standard: 'RFC 9421, HTTP Message Signatures',
      algorithm: 'ed25519',
      keys: `${publicUrl}/.well-known/http-message-signatures-directory`,
      covers: [
        '@method',
        '@target-uri',
        'content-digest (with a body)',
        'farebox-invocation-id (with a call)',
        'farebox-service-id',
        'farebox-provider (your wallet)',
        'farebox-purpose (invocation, probe or ping)',
      ],
      steps: SIGNATURE_STEPS,
    },
    nextSteps: NEXT_STEPS,
  }
}

function requirementsUnder(config: Pick<Config, 'ALLOW_HTTP_TARGETS' | 'ALLOW_PRIVATE_TARGETS'>): string[] {
  const { targetSchemes, targetAddresses } = limitsUnder(config)
  return [
    'A wallet that has signed in. Any wallet becomes a provider by its first service.',
    `One to ${TARGETS_MAX} targets: ${targetSchemes}, at ${targetAddresses === 'any' ? 'any address' : targetAddresses}.`,
    'serviceName and invoke.targets. Everything else has a default; without a price, calls are free.',
    'Requests and answers in JSON; for an llm, answers with their usage.',
  ]
}

/** Steps from registration to earnings. */
const STEPS: readonly string[] = [
  'Sign in with the wallet that will earn: GET /api/v1/auth/challenge, POST /api/v1/auth/verify.',
  'Describe the service: a manifest with the fields below, or a draft by POST /api/v1/services/parse-curl or parse-openapi.',
  'Register it: POST /api/v1/services. Its targets are probed at once.',
  'Verify the signature of every request, and that its farebox-provider is your wallet.',
  'Look at its health: POST /api/v1/services/{id}/ping, GET /api/v1/services/{id}/health/history.',
  'Withdraw the earnings: POST /api/v1/providers/withdrawals/intent.',
]

function limitsUnder(config: Pick<Config, 'ALLOW_HTTP_TARGETS' | 'ALLOW_PRIVATE_TARGETS'>) {
  return {
    servicesPerWallet: SERVICES_PER_WALLET_MAX,
    targetsPerService: TARGETS_MAX,
    priceUsdcMax: formatUsdc(PRICE_MAX),
    timeoutMsDefault: TIMEOUT_MS_DEFAULT,
    timeoutMsMax: TIMEOUT_MS_MAX,
    streamIdleTimeoutMsDefault: STREAM_IDLE_MS_DEFAULT,
    streamIdleTimeoutMsMax: STREAM_IDLE_MS_MAX,
    streamMaxMsDefault: STREAM_MS_DEFAULT,
    streamMaxMsMax: STREAM_MS_MAX,
    freeFormCharactersMax: FREE_FORM_LENGTH_MAX,
    targetSchemes: config.ALLOW_HTTP_TARGETS ? 'https, http' : 'https',
    targetAddresses: config.ALLOW_PRIVATE_TARGETS ? 'any' : 'public addresses only',
  }
}

const HEALTH_RULES: readonly string[] = [
  'Every target is probed at registration and then periodically; POST /api/v1/services/{id}/ping probes now.',
  'By default a probe is a GET on the target URL up to its first {, and any answer below 500 is healthy.',
  'A target may have its own healthPath, which takes precedence over that of healthCheck.',
  'With healthCheck: its method and path at the origin of each target, its successCodes, its timeoutMs.',
  'A healthy target that fails is probed again shortly before the failure counts.',
  'healthyThreshold and unhealthyThreshold set how many probes in a row change the state of a target.',
  'After five failed calls in a row a target is probed at once; only a probe makes it unhealthy. An owner whose calls fail is paused for ten seconds.',
  'A service is listed and callable while it is active and one of its targets is healthy.',
]

const CALL_HEADERS: readonly { name: string; what: string }[] = [
  { name: 'Farebox-Invocation-Id', what: 'Identifies the call; the same at every attempt.' },
  { name: 'Farebox-Service-Id', what: 'The service that is called.' },
  { name: 'Farebox-Provider', what: 'The wallet that registered it, in lower case.' },
  { name: 'Farebox-Purpose', what: 'invocation, probe, ping or count_tokens; only an invocation is paid.' },
  { name: 'Idempotency-Key', what: 'The invocation id: answer a repeated one as you did before.' },
  { name: 'Signature, Signature-Input, Content-Digest', what: 'See signatures.' },
  { name: 'traceparent', what: 'W3C trace context.' },
  {
    name: 'your upstreamHeaders',
    what: 'As configured. No header of the caller is forwarded.',
  },
]

const CALL_RULES: readonly string[] = [
  'Calls come by invoke.method with payload.body in invoke.encoding: json (the default), form, multipart or text. GET, HEAD and DELETE carry its members in the query.',
  'A {name} in the path of a target is filled from payload.path, percent-encoded; it never holds a slash or `..`.',
  'A 2xx answer is paid; a 4xx, a 5xx and no answer in time are not.',
  'An llm answers with its final usage, in its dialect; a stream ends with it.',
  'Redirects are not followed; answers are not compressed.',
]

const SIGNATURE_STEPS: readonly string[] = [
  'Take keyid, created and expires from Signature-Input; refuse what has expired or is from the future.',
  'Find the key of that keyid (its JWK thumbprint) in the published set; read the set again for one you do not know.',
  'With a body: compare its SHA-256 with Content-Digest.',
  'Rebuild the signature base of the covered components (RFC 9421, 2.5) and verify the Ed25519 signature.',
  'Where the manifest says `signature: "hmac-sha256"`: keyid names your signing secret instead, and the signature is the HMAC-SHA256 of the same base by its 32 bytes. Take the algorithm from what keyid names, never from the request.',
  'Check that farebox-provider is covered and is your wallet: anyone can register your URL as a service of their own.',
]

const NEXT_STEPS: readonly { method: string; path: string; what: string }[] = [
  { method: 'POST', path: '/api/v1/services/parse-curl', what: 'Draft a manifest from a curl command.' },
  {
    method: 'POST',
    path: '/api/v1/services/parse-openapi',
    what: 'Draft manifests from an OpenAPI document.',
  },
  { method: 'POST', path: '/api/v1/services', what: 'Register the service.' },
  { method: 'POST', path: '/api/v1/services/{id}/ping', what: 'Probe its targets now.' },
  { method: 'GET', path: '/api/v1/services/discover', what: 'See it as agents do.' },
  { method: 'POST', path: '/api/v1/secrets/provider/issue', what: 'Get a secret for your own servers.' },
  { method: 'POST', path: '/api/v1/webhooks', what: 'Get notified when it goes down or up.' },
  { method: 'GET', path: '/api/v1/providers/earnings/summary', what: 'See what it earns.' },
  { method: 'POST', path: '/api/v1/providers/withdrawals/intent', what: 'Withdraw the earnings.' },
]
