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
  const told = resolved(schema, components)
  const { examples, const: only, enum: values, default: assumed } = told
  if (Array.isArray(examples)) return examples[0]
  if ('const' in told) return only
  if (Array.isArray(values)) return values[0]
  const known = byName[name]
  if (known !== undefined && admits(told, known)) return known
  if (assumed !== undefined) return assumed
  const choice = told.anyOf ?? told.oneOf
  if (Array.isArray(choice)) {
    const [first] = (choice as JsonSchema[]).filter(({ type }) => type !== 'null')
    return first === undefined ? null : exampleOf(first, components, name, depth)
  }
  if (Array.isArray(told.allOf)) {
    const parts = (told.allOf as JsonSchema[]).map(part => exampleOf(part, components, name, depth))
    return Object.assign({}, ...parts)
  }
  return exampleOfType(told, components, name, depth)
}

function exampleOfType(told: JsonSchema, components: Components, name: string, depth: number): unknown {
  const type = typesOf(told).find(one => one !== 'null')
  switch (type) {
    case 'string':
      return exampleText(told)
    case 'integer':
    case 'number':
      return exampleNumber(told, name)
    case 'boolean':
      return true
    case 'array':
      return exampleArray(told, components, name, depth)
    case 'object':
      return exampleObject(told, components, depth)
    default:
      return typesOf(told).includes('null') ? null : {}
  }
}

function exampleText(told: JsonSchema): string | null {
  const prefix = /^\^([a-z]+)_/.exec(String(told.pattern))?.[1]
  const forms = prefix === undefined ? byForm : [`${prefix}_${ID}`, ...byForm]
  return forms.find(text => admits(told, text)) ?? (typesOf(told).includes('null') ? null : '')
}

function exampleNumber({ minimum, maximum, exclusiveMinimum }: JsonSchema, name: string): number {
  const least = Number(minimum ?? exclusiveMinimum ?? 0)
  const guess = /At$|deadline/.test(name) ? UNIX_SECONDS : Math.max(least, 1)
  return Math.min(Number(maximum ?? guess), guess)
}

function exampleArray(told: JsonSchema, components: Components, name: string, depth: number): unknown[] {
  if (Array.isArray(told.prefixItems)) {
    return (told.prefixItems as JsonSchema[]).map(item => exampleOf(item, components, '', depth + 1))
  }
  if (depth >= DEPTH_MAX || typeof told.items !== 'object') return []
  return [exampleOf(told.items as JsonSchema, components, name.replace(/s$/, ''), depth + 1)]
}

function exampleObject(told: JsonSchema, components: Components, depth: number): Record<string, unknown> {
  const properties = Object.entries((told.properties ?? {}) as Record<string, JsonSchema>)
  if (depth >= DEPTH_MAX) return {}
  return Object.fromEntries(
    properties.map(([member, of]) => [member, exampleOf(of, components, member, depth + 1)]),
  )
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] => [type].flat()

/** Returns true if a value has the type of a schema, and a text its format and length. */
function admits(told: JsonSchema, value: unknown): boolean {
  const { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = told
  const types = typesOf(told)
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
