/** A JSON Schema of draft 2020-12, of the few keywords that are inferred. */
export type InferredSchema = { readonly [Keyword: string]: unknown }

/** Deepest level that is described; deeper values may be anything. */
const DEPTH_MAX = 6
/** Members of an object that are described; others may be anything. */
const MEMBERS_MAX = 100
/** Values described in all, so that the schema stays cheap to check. */
const NODES_MAX = 400
/** What stands in an example for a secret. */
export const REDACTED = '...'

const SECRET_NAME =
  /(?:^|[-_. ])(?:apikey|key|token|secret|auth|authorization|passw(?:or)?d|pwd|cookie|session|sig|signature|credentials?|appid)(?:$|[-_. ])/i

/** Whether a header, parameter or member of this name usually holds something that strangers must not see. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2'))
}

/**
 * A schema that a value fits, and others like it: types only. Nothing is required of callers, since one example does
 * not say what may be left out.
 */
export function inferSchema(value: unknown): InferredSchema {
  let nodes = 0
  const infer = (of: unknown, depth: number): InferredSchema => {
    nodes += 1
    if (depth > DEPTH_MAX || nodes > NODES_MAX || of === null) return {}
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
 * A value with its secrets taken out, and the paths at which they were. What is below a member whose name is that of a
 * secret is one, and so is what looks like one, wherever it stands; a member is left out whose name looks like one.
 *
 * @param value       of a bounded depth
 * @param looksSecret judges a text
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
