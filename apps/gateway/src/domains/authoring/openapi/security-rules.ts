import { isObject } from '@farebox/wire/common'
import type { DraftWarning } from '../draft-findings-rules.ts'
import { type Members, OpenApiError } from './document-rules.ts'
import type { Resolve } from './reference-rules.ts'

/** Headers and parameters of the target with a placeholder for the provider's own key. */
export type Keys = {
  readonly headers: Readonly<Record<string, string>>
  readonly query: readonly (readonly [string, string])[]
}

/**
 * Returns where the keys go that an operation asks for: the first of its alternatives.
 *
 * @throws OpenApiError for mutual TLS, which targets do not get
 */
export function keysOf(
  document: Members,
  operation: Members,
  tools: { resolve: Resolve; warnings: DraftWarning[] },
): Keys {
  const { resolve, warnings } = tools
  const asked = Array.isArray(operation.security) ? operation.security : document.security
  const [first] = Array.isArray(asked) ? asked : []
  const schemes = isObject(document.components) ? document.components.securitySchemes : undefined
  const headers: Record<string, string> = {}
  const query: [string, string][] = []
  for (const name of isObject(first) ? Object.keys(first) : []) {
    const { node: scheme } = resolve(isObject(schemes) ? schemes[name] : undefined)
    if (!isObject(scheme)) continue
    const key = keyOf(scheme)
    if (key === null) throw new OpenApiError('Asks for a client certificate, which targets do not get.')
    if (key.place === 'query') query.push([key.name, key.value])
    else
      headers[key.name] = headers[key.name] === undefined ? key.value : `${headers[key.name]}; ${key.value}`
    const path = key.place === 'query' ? 'invoke.targets.0.url' : `upstreamHeaders.${key.name}`
    warnings.push({
      path,
      message: 'Holds a placeholder for your key: put the real value in before registering.',
    })
  }
  return { headers, query }
}

type Key = { readonly place: 'header' | 'query'; readonly name: string; readonly value: string }

/** Returns null for a key that cannot be sent. */
function keyOf({ type, in: place, name, scheme }: Members): Key | null {
  const header = (value: string): Key => ({ place: 'header', name: 'authorization', value })
  if (type === 'mutualTLS') return null
  if (type === 'http')
    return header(String(scheme).toLowerCase() === 'basic' ? 'Basic <user:password>' : 'Bearer <token>')
  if (type !== 'apiKey' || typeof name !== 'string') return header('Bearer <token>')
  if (place === 'query') return { place: 'query', name, value: '<key>' }
  return place === 'cookie'
    ? { place: 'header', name: 'cookie', value: `${name}=<key>` }
    : { place: 'header', name: name.toLowerCase(), value: '<key>' }
}
