import type { Encoding } from '@farebox/wire/encodings'
import type { InvokeInput } from '@farebox/wire/invocation'

type Payload = InvokeInput['payload']
type Shape = {
  readonly encoding: Encoding
  readonly placeholders: readonly string[]
  readonly queryNames: readonly string[]
}

/** Name of the argument that is the whole body of a `text` service. */
const TEXT_ARGUMENT = 'body'

/**
 * Returns the payload that the arguments of a tool make. They are flat: names of the path go there, names of the query
 * schema there, and the rest is the body, which for `text` is the argument `body`.
 *
 * @param payload the arguments under `body`; its `query` is added
 */
export function spreadArguments(service: Shape, payload: Payload): Payload {
  const { body, query } = payload
  const { placeholders, queryNames, encoding } = service
  const isPlain = placeholders.length === 0 && queryNames.length === 0 && encoding !== 'text'
  if (isPlain || typeof body !== 'object') return payload
  const path: Record<string, unknown> = {}
  const asked: Record<string, unknown> = {}
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body)) {
    const place = placeholders.includes(name) ? path : queryNames.includes(name) ? asked : rest
    place[name] = value
  }
  return {
    path: path as Payload['path'],
    query: { ...asked, ...query } as Payload['query'],
    body: bodyOf(encoding, rest),
  }
}

function bodyOf(encoding: Encoding, rest: Readonly<Record<string, unknown>>): Payload['body'] {
  const names = Object.keys(rest)
  if (names.length === 0 && encoding !== 'json') return undefined
  // Members beside the text do not fit: the object is refused as invalid text.
  const isText = encoding === 'text' && names.length === 1
  return isText ? (rest[TEXT_ARGUMENT] as string) : rest
}

/** Returns issues of a payload that arguments made, with the paths of the arguments. */
export function asArguments<Issue extends { readonly path: string }>(
  { queryNames, encoding }: Shape,
  issues: readonly Issue[],
): Issue[] {
  const argumentOf = (path: string): string => {
    if (path === 'payload.body' && encoding === 'text') return `payload.body.${TEXT_ARGUMENT}`
    const [, part, name = ''] = path.split('.')
    const isArgument = part === 'path' || (part === 'query' && queryNames.includes(name))
    return isArgument ? path.replace(/^payload\.\w+/, 'payload.body') : path
  }
  return issues.map(issue => ({ ...issue, path: argumentOf(issue.path) }))
}
