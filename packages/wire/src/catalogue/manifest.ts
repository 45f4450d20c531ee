import { z } from 'zod'
import { plainText } from '../common.ts'
import { SIGNATURE_ALGORITHMS } from '../keys/signing-secrets.ts'
import { shownName } from '../people/names.ts'
import { strict } from '../strict.ts'
import { contentTypeIn, encodingIn } from './encodings.ts'
import { freeForm, freeFormObject } from './free-form.ts'
import { healthCheck, probePath } from './health-check.ts'
import { cachePriceFields, holdTermFields, llmFields, priceIn, tokenPriceFields } from './llm-terms.ts'
import {
  CALL_METHODS,
  DESCRIPTION_LENGTH_MAX,
  methodIn,
  NAME_LENGTH_MAX,
  STREAM_IDLE_MS_DEFAULT,
  STREAM_MS_DEFAULT,
  SUMMARY_LENGTH_MAX,
  TAG_LENGTH_MAX,
  TAGS_MAX,
  TARGET_WEIGHT_MAX,
  TARGETS_MAX,
  TIMEOUT_MS_DEFAULT,
  timeoutFields,
  URL_READ_LENGTH_MAX,
} from './service-limits.ts'
import { serviceRecord, serviceStatus } from './services.ts'
import { upstreamHeaders } from './upstream-headers.ts'

/** Unique tool name by which agents call a service. Names that look like service ids are rejected. */
const toolName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'Must be 1 to 64 characters of a-z, 0-9, _ and -.')
  .refine(name => !name.startsWith('svc_'), 'Must not look like a service id (svc_...).')

/** Which members are required depends on the kind of the service; this schema does not check it. */
const pricing = strict({
  currency: z
    .string()
    .refine(text => text.toUpperCase() === 'USDC', 'Must be USDC.')
    .meta({ enum: ['USDC', 'usdc'] })
    .optional(),
  amount: priceIn.nullish(),
  ...tokenPriceFields,
  ...cachePriceFields,
  ...holdTermFields,
})

/** A read-only member of the record: accepted, so that a returned record can be sent back, but ignored. */
const shownOnly = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: 'Read-only; ignored in requests.' })

/** The gateway validates the URL (UNSAFE_TARGET_URL). */
const target = strict({
  url: z.string().min(1).max(URL_READ_LENGTH_MAX).meta({
    format: 'uri-template',
    description: 'A `{name}` in its path is filled from `payload.path` of the call.',
  }),
  healthPath: probePath.nullish().meta({
    description:
      'What probes ask for at the origin of this target; absent: `healthCheck.path`, else the URL up to its first `{`.',
  }),
  weight: z.number().positive().max(TARGET_WEIGHT_MAX).default(1),
  isHealthy: shownOnly,
  lastCheckedAt: shownOnly,
})

const invoke = strict({
  method: methodIn(CALL_METHODS).default('POST'),
  targets: z
    .array(target)
    .min(1)
    .max(TARGETS_MAX)
    .refine(list => new Set(list.map(({ url }) => url)).size === list.length, 'Target URLs must be unique.'),
  request: freeFormObject.default({}),
  response: freeFormObject.default({}),
  timeoutMs: timeoutFields.timeoutMs.default(TIMEOUT_MS_DEFAULT),
  streamIdleTimeoutMs: timeoutFields.streamIdleTimeoutMs.default(STREAM_IDLE_MS_DEFAULT),
  streamMaxMs: timeoutFields.streamMaxMs.default(STREAM_MS_DEFAULT),
  encoding: encodingIn.default('json').meta({ description: 'How `payload.body` is sent to the targets.' }),
  contentType: contentTypeIn
    .nullish()
    .meta({ description: 'Content type of `text` bodies; absent: text/plain in UTF-8.' }),
})

const tag = plainText({ min: 1, max: TAG_LENGTH_MAX }).refine(
  text => text.trim() === text,
  'Must not begin or end with spaces.',
)

const fields = {
  serviceName: shownName(NAME_LENGTH_MAX),
  agentToolName: toolName.nullish(),
  summary: plainText({ min: 0, max: SUMMARY_LENGTH_MAX }).nullish(),
  description: plainText({ min: 0, max: DESCRIPTION_LENGTH_MAX }).nullish(),
  tags: z
    .array(tag)
    .max(TAGS_MAX)
    .transform(list => [...new Set(list)])
    .nullish(),
  serviceKind: z.enum(['api', 'llm']).nullish(),
  priceModel: z.enum(['fixed', 'token_metered']).nullish(),
  pricing,
  ...llmFields,
  invoke,
  healthCheck: healthCheck.nullish(),
  upstreamHeaders: upstreamHeaders.nullish(),
  signature: z.enum(SIGNATURE_ALGORITHMS).nullish().meta({
    description:
      'What signs requests to the targets: a key of the gateway (Ed25519, the default), or the signing secret of the wallet (HMAC-SHA256; verifying takes 3 us instead of 100).',
  }),
  providerProfile: freeFormObject.nullish(),
  payoutAccount: freeForm.nullish(),
  governance: freeFormObject.nullish(),
}

/** `suspended` and `deleted` appear in records that are sent back, and are ignored: providers cannot set them. */
const statusIn = z.enum([...serviceStatus.options, 'paused'])

/** Members of the record that manifests lack. */
const shownFields: object = Object.fromEntries(
  serviceRecord.options
    .flatMap(({ shape }) => Object.keys(shape))
    .filter(name => !Object.hasOwn(fields, name))
    .map(name => [name, shownOnly]),
)

/**
 * Body of `POST /services`: the manifest. Only `serviceName` and `invoke.targets` are required; without `pricing` calls
 * are free. `serviceKind: llm` or `priceModel: token_metered` requires both token prices. `agentToolName` defaults to
 * `serviceId`. `isActive: false` or `status: paused` registers the service without listing it.
 */
export const registerServiceBody = strict({
  ...shownFields,
  ...fields,
  pricing: pricing.nullish(),
  serviceId: toolName.nullish(),
  isActive: z.boolean().nullish(),
  status: statusIn.nullish(),
})
/** Parsed {@link registerServiceBody}: amounts are in micro-USDC, header names in lower case. */
export type RegisterServiceBody = z.output<typeof registerServiceBody>

/**
 * Body of `PUT /services/:id`: each member present replaces the stored one as a whole; null clears an optional one. The
 * kind of a service cannot change. `isActive` takes precedence over `status`, so that a returned record can be sent
 * back with `isActive` changed.
 */
export const updateServiceBody = strict({
  ...shownFields,
  ...fields,
  isActive: z.boolean(),
  status: statusIn,
}).partial()
/** Parsed {@link updateServiceBody}. */
export type UpdateServiceBody = z.output<typeof updateServiceBody>
