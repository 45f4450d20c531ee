import { isObject } from '@farebox/wire/common'
import { GATEWAY_HEADERS } from '@farebox/wire/upstream-headers'
import type { Members, OperationFindings } from './document-rules.ts'
import type { Resolve } from './reference-rules.ts'

/** Headers that OpenAPI describes elsewhere. */
const DESCRIBED_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])
/** Headers that every call has, with a value of the gateway. */
const SENT_BY_GATEWAY: ReadonlySet<string> = new Set(['idempotency-key', 'traceparent'])
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/
const HEADER_VALUE = /^[\x20-\x7e]{0,1000}$/
const NAME_LENGTH_MAX = 128
/** Maximum number of values that a warning lists. */
const VALUES_SHOWN_MAX = 10

/**
 * Reads a header parameter. A service sends the same headers with every call, so its value is the only one that the
 * document allows, its default, or, of a required one, an example or the first that is allowed; else a placeholder.
 *
 * @param headers gets the header, if calls are to send it
 */
export function readHeader(
  node: Members,
  headers: Record<string, string>,
  { resolve, found }: { resolve: Resolve; found: OperationFindings },
): void {
  const name = String(node.name).toLowerCase()
  if (DESCRIBED_ELSEWHERE.has(name)) return
  const leaveOut = (message: string) =>
    void found.unsupported.push({ option: name.slice(0, NAME_LENGTH_MAX), message })
  const why = whyUnsent(name)
  if (why !== null) {
    leaveOut(why)
    return
  }
  const schema = schemaOf(node, resolve)
  const allowed: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : []
  const fixed = schema.const ?? schema.default ?? (allowed.length === 1 ? allowed[0] : undefined)
  if (node.required !== true && fixed === undefined) {
    leaveOut('Headers of callers are not forwarded. To send one value with every call, use upstreamHeaders.')
    return
  }
  const value = textOf(fixed ?? exampleOf(node, schema, resolve) ?? allowed[0])
  headers[name] = value ?? `<${name}>`
  const others = allowed.map(textOf).filter(each => each !== null && each !== value)
  const choice = others.length === 0 ? '' : ` Also allowed: ${others.slice(0, VALUES_SHOWN_MAX).join(', ')}.`
  const message =
    value === null
      ? `Enter the value that every call sends: callers cannot choose it.${choice}`
      : `Every call sends this value: callers cannot choose it.${choice}`
  found.warnings.push({ path: `upstreamHeaders.${name}`, message })
}

/** Returns why a header is never sent for a provider; null if it may be. */
function whyUnsent(name: string): string | null {
  if (SENT_BY_GATEWAY.has(name)) return 'The gateway sends its own with every call.'
  const isOwn = GATEWAY_HEADERS.has(name) || name.startsWith('farebox-') || !HEADER_NAME.test(name)
  return isOwn ? 'This header is not sent for providers.' : null
}

/** Returns the schema of a parameter, which may be that of its only media type. */
function schemaOf({ schema, content }: Members, resolve: Resolve): Members {
  const media = isObject(content) ? resolve(Object.values(content)[0]).node : undefined
  const { node } = resolve(schema ?? (isObject(media) ? media.schema : undefined))
  return isObject(node) ? node : {}
}

function exampleOf({ example, examples }: Members, schema: Members, resolve: Resolve): unknown {
  const named = isObject(examples) ? resolve(Object.values(examples)[0]).node : undefined
  const listed = Array.isArray(schema.examples) ? schema.examples[0] : undefined
  return example ?? (isObject(named) ? named.value : undefined) ?? schema.example ?? listed
}

/** Returns a value as a header has it, lists with commas; null if no header can. */
function textOf(value: unknown): string | null {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isPlain = parts.every(part => ['string', 'number', 'boolean'].includes(typeof part))
  const text = parts.join(',')
  return isPlain && HEADER_VALUE.test(text) ? text : null
}
