import { isObject } from '@farebox/wire/common'
import { type Members, OpenApiError } from './document-rules.ts'

/** Maximum number of references that lead to one another. */
const HOPS_MAX = 16

/** Follows references within a document. */
export type Resolve = (node: unknown) => { readonly node: unknown; readonly refs: readonly string[] }

/**
 * Returns a function that follows `$ref` until there is none. It never leaves the document.
 *
 * @throws OpenApiError from that function, for a reference that leads out, nowhere or in a circle
 */
export function createResolver(document: Members): Resolve {
  return start => {
    const refs: string[] = []
    let node = start
    while (isObject(node) && typeof node.$ref === 'string') {
      if (refs.length === HOPS_MAX) throw new OpenApiError(`The reference ${shown(refs[0])} is circular.`)
      refs.push(node.$ref)
      node = referredTo(document, node.$ref)
    }
    return { node, refs }
  }
}

/** Returns the value at a JSON Pointer in a fragment (RFC 6901, 6). */
function referredTo(document: Members, reference: string): unknown {
  if (!reference.startsWith('#/')) {
    throw new OpenApiError(
      `The reference ${shown(reference)} points outside the document: bundle it into one file.`,
    )
  }
  let node: unknown = document
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    const isThere = typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    if (!isThere) throw new OpenApiError(`The reference ${shown(reference)} does not resolve.`)
    node = (node as Members)[name]
  }
  return node
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const shown = (reference = ''): string => JSON.stringify(reference.slice(0, 200))
