import { ISSUES_MAX } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'

/** Methods without a body: the body's members are sent in the query. */
const BODILESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])
/** Maximum parameters of a call, repeated ones included: no common server reads a longer query. */
const PARAMETERS_MAX = 10_000

type Payload = Pick<InvokeInput['payload'], 'body' | 'query'>
/** The part of a payload that cannot be in a query, and its path. */
type Issue = { readonly path: string; readonly message: string }
type Members = Readonly<Record<string, unknown>>

/** Returns true if a service's method sends no body. */
export const isBodiless = (method: string): boolean => BODILESS_METHODS.has(method)

const isScalar = (value: unknown): boolean => ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

/**
 * Returns the query string of a call: for a service without a body the members of `payload.body`, then those of
 * `payload.query`. An array repeats its parameter; null is left out.
 *
 * @param fixed names of parameters that callers may not send, in lower case
 * @returns the query string; or the first parts of the payload that do not fit: objects, arrays of anything but scalars,
 * and fixed parameters
 */
export function readQuery(
  method: string,
  { body, query }: Payload,
  fixed: readonly string[],
): { readonly text: string } | { readonly issues: readonly Issue[] } {
  if (query === undefined && !isBodiless(method)) return { text: '' }
  const parameters = new URLSearchParams()
  const issues: Issue[] = []
  const add = (members: Members, root: string) => {
    const fields = fieldsIn(members)
    const count = fields.reduce((sum, { values }) => sum + values.length, 0)
    if (count > PARAMETERS_MAX) issues.push({ path: root, message: TOO_MANY })
    for (const { name, values } of count > PARAMETERS_MAX ? [] : fields) {
      if (issues.length >= ISSUES_MAX) return
      if (isFixed(name, fixed)) issues.push({ path: `${root}.${name}`, message: FIXED })
      if (values.every(isScalar)) for (const each of values) parameters.append(name, String(each))
      else issues.push({ path: `${root}.${name}`, message: NO_PLACE })
    }
  }
  if (isBodiless(method)) add(membersOf(body), 'payload.body')
  add(query ?? {}, 'payload.query')
  return issues.length > 0 ? { issues } : { text: parameters.toString() }
}

/** Returns the members that are sent, each with its values. */
const fieldsIn = (members: Members): { readonly name: string; readonly values: readonly unknown[] }[] =>
  Object.entries(members).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : { name, values: Array.isArray(value) ? value : [value] },
  )

/** Servers may read `Plan` and `plan[]` as `plan`. */
const isFixed = (name: string, fixed: readonly string[]): boolean =>
  [name, name.split('[', 1)[0] ?? ''].some(each => fixed.includes(each.trim().toLowerCase()))

const TOO_MANY = `must have at most ${PARAMETERS_MAX} parameters`

const FIXED = 'is set by the provider: leave it out'

const membersOf = (body: Payload['body']): Members => (typeof body === 'object' ? body : {})

const NO_PLACE =
  'cannot be sent in a query: send text, a number, a boolean, or an array of these, which repeats the parameter'

/**
 * Returns the values to validate against the schema of the request body: the body; without one, all parameters.
 *
 * @returns candidates, one of which must fit; see {@link checkedParameters}
 */
export function checkedPayload(method: string, { body, query }: Payload): readonly unknown[] {
  return isBodiless(method) && query !== undefined ? checkedParameters(method, { body, query }) : [body]
}

/**
 * Returns the values to validate against the schema of the query: all parameters.
 *
 * @returns candidates, one of which must be valid: the parameters as sent, and with text converted where it looks like
 * a number or a boolean
 */
export function checkedParameters(method: string, { body, query = {} }: Payload): readonly unknown[] {
  const inBody = isBodiless(method) ? membersOf(body) : {}
  const merged: Record<string, unknown> = { ...inBody }
  const read: Record<string, unknown> = { ...inBody }
  for (const [name, value] of Object.entries(query)) {
    const isTwice = Object.hasOwn(inBody, name)
    merged[name] = isTwice ? [inBody[name], value].flat() : value
    read[name] = isTwice ? merged[name] : readText(value)
  }
  return [merged, read]
}

const readText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readText)
  if (value === 'true' || value === 'false') return value === 'true'
  const isNumber = typeof value === 'string' && /^-?(?:0|[1-9]\d{0,99})(?:\.\d{1,14})?$/.test(value)
  return isNumber ? Number(value) : value
}
