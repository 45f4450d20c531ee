type Schema = Readonly<Record<string, unknown>>

/** A member of a request, as a form field. */
export type Member = {
  readonly name: string
  readonly title: string
  readonly hint: string | undefined
  readonly isRequired: boolean
  readonly kind: 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'json' | 'file'
  /** Options of a select. */
  readonly values: readonly string[]
  readonly placeholder: string | undefined
}

const MEMBERS_MAX = 40
const LONG_FROM = 300
const HINT_LENGTH_MAX = 200

/** Returns the form fields for a request's schema; empty if a form cannot be made of it. */
export function membersOf(schema: Schema): readonly Member[] {
  if (!isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .slice(0, MEMBERS_MAX)
    .map(([name, of]) => memberOf(name, isObject(of) ? of : {}, required.includes(name)))
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

function memberOf(name: string, of: Schema, isRequired: boolean): Member {
  const values = Array.isArray(of.enum) ? of.enum.filter(value => typeof value === 'string') : []
  const example = of.example ?? (Array.isArray(of.examples) ? of.examples[0] : undefined) ?? of.default
  return {
    name,
    isRequired,
    values,
    kind: values.length > 0 ? 'choice' : kindOf(of),
    title: typeof of.title === 'string' ? of.title : name,
    hint: typeof of.description === 'string' ? of.description.slice(0, HINT_LENGTH_MAX) : undefined,
    placeholder: typeof example === 'string' || typeof example === 'number' ? String(example) : undefined,
  }
}

function kindOf({ type, maxLength, properties }: Schema): Member['kind'] {
  if (isObject(properties) && 'base64' in properties) return 'file'
  const first = Array.isArray(type) ? type.find(each => each !== 'null') : type
  if (first === 'string') return typeof maxLength === 'number' && maxLength >= LONG_FROM ? 'long' : 'text'
  if (first === 'number' || first === 'integer' || first === 'boolean') return first
  return 'json'
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
