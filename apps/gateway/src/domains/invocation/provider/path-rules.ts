import { ISSUES_MAX } from '@farebox/wire/errors'

/** Maximum length of a value in a path, in UTF-16 code units. */
const VALUE_LENGTH_MAX = 512
/** Maximum length of all values together, percent-encoded. */
const ENCODED_LENGTH_MAX = 4_096

type Issue = { readonly path: string; readonly message: string }

/**
 * Reads the values for the placeholders of a service's targets. A value fills one place in one segment of the path: it
 * never holds a slash or `..`, whatever a server makes of them.
 *
 * @param placeholders names that must be given, and no other
 * @returns the values by name, percent-encoded; or what is first wrong with them
 */
export function readPath(
  placeholders: readonly string[],
  path: Readonly<Record<string, unknown>> = {},
): { readonly values: ReadonlyMap<string, string> } | { readonly issues: readonly Issue[] } {
  const issues: Issue[] = []
  const values = new Map<string, string>()
  let length = 0
  for (const name of placeholders) {
    const value = Object.hasOwn(path, name) ? path[name] : undefined
    const message = faultOf(value)
    if (message !== null) {
      issues.push({ path: `payload.path.${name}`, message })
      continue
    }
    const encoded = encodeURIComponent(String(value))
    length += encoded.length
    values.set(name, encoded)
  }
  for (const name of Object.keys(path)) {
    if (issues.length >= ISSUES_MAX) break
    if (!placeholders.includes(name)) {
      issues.push({ path: `payload.path.${name}`, message: 'is not a placeholder of the service' })
    }
  }
  if (length > ENCODED_LENGTH_MAX) {
    issues.push({ path: 'payload.path', message: `may be ${ENCODED_LENGTH_MAX} characters, percent-encoded` })
  }
  return issues.length > 0 ? { issues } : { values }
}

function faultOf(value: unknown): string | null {
  if (value === undefined || value === null) return 'is missing: the path of the service needs it'
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return 'must be text, a number, true or false'
  const text = String(value)
  if (text === '') return 'must not be empty'
  if (text.length > VALUE_LENGTH_MAX) return `may be ${VALUE_LENGTH_MAX} characters`
  if (/[/\\]/.test(text)) return 'must not contain a slash'
  if (text === '.' || text.includes('..')) return 'must not contain .. or be a dot'
  const isEncodable = text.isWellFormed() && !/\p{Cc}/u.test(text)
  return isEncodable ? null : 'contains characters that are not allowed in a path'
}
