/** A JSON Schema of draft 2020-12, with few keywords. */
export type InferredSchema = { readonly [Keyword: string]: unknown }

/** Maximum described depth; deeper values may be anything. */
const DEPTH_MAX = 6
/** Maximum described members of an object; others may be anything. */
const MEMBERS_MAX = 100
/** Maximum described values in all, so that the schema stays cheap to check. */
const NODES_MAX = 400
/** Replaces a secret in an example. */
export const REDACTED = '...'

const SECRET_NAME =
  /(?:^|[-_. ])(?:apikey|key|token|secret|auth|authorization|passw(?:or)?d|pwd|cookie|session|sig|signature|credentials?|appid)(?:$|[-_. ])/i

/** Returns true if a header, parameter or member with this name usually has a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2'))
}

/**
 * Returns a schema that a value and similar ones fit: types only. Nothing is required, since one example does not show
 * what is optional.
 *
 * @param isOpen true for a text that represents a value of any type
 */
export function inferSchema(value: unknown, isOpen: (text: string) => boolean = () => false): InferredSchema {
  let nodes = 0
  const infer = (of: unknown, depth: number): InferredSchema => {
    nodes += 1
    if (depth > DEPTH_MAX || nodes > NODES_MAX || of === null) return {}
    if (typeof of === 'string' && isOpen(of)) return {}
    if (Array.isArray(of)) return of.length === 0 ? { type: 'array' } : inferArray(of, depth)
    if (typeof of === 'object') return inferObject(of, depth)
    return { type: typeof of }
  }
  const inferArray = (of: readonly unknown[], depth: number): InferredSchema => {
    const types = new Set(of.slice(0, MEMBERS_MAX).map(item => (Array.isArray(item) ? 'array' : typeof item)))
    return { type: 'array', items: types.size === 1 ? infer(of[0], depth + 1) : {} }
  }
  const inferObject = (of: object, depth: number): InferredSchema => {
    const members = Object.entries(of).slice(0, MEMBERS_MAX)
    return {
      type: 'object',
      properties: Object.fromEntries(members.map(([name, member]) => [name, infer(member, depth + 1)])),
    }
  }
  return infer(value, 0)
}

/**
 * Returns a value without its secrets, and their paths. Secrets are everything below a member with the name of a
 * secret, and text that looks like one; a member whose name looks like one is left out.
 *
 * @param value       of a bounded depth
 * @param looksSecret returns true for a secret text
 */
export function withoutSecrets(
  value: unknown,
  looksSecret: (text: string) => boolean,
): { value: unknown; paths: string[] } {
  const paths: string[] = []
  const strip = (of: unknown, path: string, isSecret: boolean): unknown => {
    if (typeof of === 'string') {
      if (!isSecret && !looksSecret(of)) return of
      paths.push(path)
      return REDACTED
    }
    if (typeof of !== 'object' || of === null) return of
    if (Array.isArray(of)) return of.map((item, index) => strip(item, `${path}.${index}`, isSecret))
    const members = Object.entries(of).filter(([name]) => !looksSecret(name))
    if (members.length < Object.keys(of).length) paths.push(path)
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        strip(member, `${path}.${name}`, isSecret || isSecretName(name)),
      ]),
    )
  }
  return { value: strip(value, 'invoke.request.example', false), paths }
}
