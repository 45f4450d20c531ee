import { type Components, type JsonSchema, resolved } from './openapi-schemas.ts'

const DEPTH_MAX = 12
const ID = '01kahd5w3xqv7m2c9z4n8r6t0e'
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const HASH = `0x${'9f'.repeat(32)}`
const TIME = '2026-11-21T09:30:00.000Z'
const UNIX_SECONDS = 1_795_253_400

/** Examples by member name, where the schema alone does not determine a good one. */
const byName: Readonly<Record<string, unknown>> = {
  address: WALLET,
  agentToolName: 'weather-now',
  amount: '0.050000',
  baseUnits: '50000',
  body: { city: 'Lisbon' },
  category: 'general',
  chainId: 31_337,
  challenge:
    'farebox.example wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n...',
  contentType: 'application/json',
  credentialId: `cred_${ID}`,
  cursor: 'eyJhdCI6MTc5NTI1MzQwMH0',
  description: 'The weather of a city, as it is at this moment.',
  email: 'ada@example.org',
  event: 'calls.spend',
  eventKey: `31337:${HASH}:0`,
  expiresAt: UNIX_SECONDS,
  idempotencyKey: 'order-4711',
  invocationId: `inv_${ID}`,
  label: 'Ada',
  message: 'The example on this page does not run.',
  model: 'sample-llm',
  name: 'research-agent',
  nextCursor: null,
  note: 'Answered by mail.',
  query: 'weather',
  reason: 'As agreed with the owner.',
  requestId: `req_${ID}`,
  route: '/docs/quickstart',
  search_query: 'weather',
  serviceId: `svc_${ID}`,
  serviceName: 'Weather now',
  signature: `0x${'1b'.repeat(65)}`,
  summary: 'The weather of a city',
  tags: ['weather'],
  title: 'Weather services',
  token: `agt_${'x7'.repeat(19)}`,
  tx_hash: HASH,
  txHash: HASH,
  url: 'https://api.example.org/weather',
  username: 'ada',
  wallet: WALLET,
  walletAddress: WALLET,
  wallet_address: WALLET,
}

/** Examples by text format, tried in this order. */
const byForm: readonly string[] = [
  '0.050000',
  WALLET,
  HASH,
  TIME,
  'weather-now',
  '123456',
  '50000',
  'https://api.example.org/weather',
  'ada@example.org',
  '/health',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIweDcwOTkifQ.c2lnbmF0dXJl',
  'An example.',
  '',
]

/** Returns an example for a schema: its own, or one by member name. A test validates every example of the document. */
export function exampleOf(schema: JsonSchema, components: Components, name = '', depth = 0): unknown {
  const reported = resolved(schema, components)
  const { examples, const: only, enum: values, default: assumed } = reported
  if (Array.isArray(examples)) return examples[0]
  if ('const' in reported) return only
  if (Array.isArray(values)) return values[0]
  const known = byName[name]
  if (known !== undefined && admits(reported, known)) return known
  if (assumed !== undefined) return assumed
  const choice = reported.anyOf ?? reported.oneOf
  if (Array.isArray(choice)) {
    const [first] = (choice as JsonSchema[]).filter(({ type }) => type !== 'null')
    return first === undefined ? null : exampleOf(first, components, name, depth)
  }
  if (Array.isArray(reported.allOf)) {
    const parts = (reported.allOf as JsonSchema[]).map(part => exampleOf(part, components, name, depth))
    return Object.assign({}, ...parts)
  }
  return exampleOfType(reported, components, name, depth)
}

function exampleOfType(reported: JsonSchema, components: Components, name: string, depth: number): unknown {
  const type = typesOf(reported).find(one => one !== 'null')
  switch (type) {
    case 'string':
      return exampleText(reported)
    case 'integer':
    case 'number':
      return exampleNumber(reported, name)
    case 'boolean':
      return true
    case 'array':
      return exampleArray(reported, components, name, depth)
    case 'object':
      return exampleObject(reported, components, depth)
    default:
      return typesOf(reported).includes('null') ? null : {}
  }
}

function exampleText(reported: JsonSchema): string | null {
  const prefix = /^\^([a-z]+)_/.exec(String(reported.pattern))?.[1]
  const forms = prefix === undefined ? byForm : [`${prefix}_${ID}`, ...byForm]
  return forms.find(text => admits(reported, text)) ?? (typesOf(reported).includes('null') ? null : '')
}

function exampleNumber({ minimum, maximum, exclusiveMinimum }: JsonSchema, name: string): number {
  const least = Number(minimum ?? exclusiveMinimum ?? 0)
  const guess = /At$|deadline/.test(name) ? UNIX_SECONDS : Math.max(least, 1)
  return Math.min(Number(maximum ?? guess), guess)
}

function exampleArray(reported: JsonSchema, components: Components, name: string, depth: number): unknown[] {
  if (Array.isArray(reported.prefixItems)) {
    return (reported.prefixItems as JsonSchema[]).map(item => exampleOf(item, components, '', depth + 1))
  }
  if (depth >= DEPTH_MAX || typeof reported.items !== 'object') return []
  return [exampleOf(reported.items as JsonSchema, components, name.replace(/s$/, ''), depth + 1)]
}

function exampleObject(reported: JsonSchema, components: Components, depth: number): Record<string, unknown> {
  const properties = Object.entries((reported.properties ?? {}) as Record<string, JsonSchema>)
  if (depth >= DEPTH_MAX) return {}
  return Object.fromEntries(
    properties.map(([member, of]) => [member, exampleOf(of, components, member, depth + 1)]),
  )
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] => [type].flat()

/** Returns true if a value has the type of a schema, and a text its format and length. */
function admits(reported: JsonSchema, value: unknown): boolean {
  const { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = reported
  const types = typesOf(reported)
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array')
  if (typeof value === 'number') return types.includes('integer') || types.includes('number')
  if (typeof value !== 'string') return types.includes('object')
  if (!types.includes('string')) return false
  if (format === 'date-time' && value !== TIME) return false
  if (format === 'uri' && !value.startsWith('https:')) return false
  if (format === 'email' && !value.includes('@')) return false
  if (value.length < Number(minLength) || value.length > Number(maxLength)) return false
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value)
}
