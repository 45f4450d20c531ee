import { exampleOf, instanceOf, isObject } from './example-of.ts'

type Members = Readonly<Record<string, unknown>>

/** The parts of a service that decide where the arguments of a call go. */
export type Shape = {
  readonly method: string
  readonly encoding: 'json' | 'form' | 'multipart' | 'text'
  readonly pathParameters: readonly string[]
  readonly request: Members
}

/** Name of the argument that is the body of a text. */
const TEXT_ARGUMENT = 'body'

/** Returns true for calls without a body, whose arguments are parameters. */
const isBodiless = (method: string): boolean => ['GET', 'HEAD', 'DELETE'].includes(method)

/** How a service sends the body of a call, for people; null if it sends none. */
export function describeBody(shape: {
  readonly method: string
  readonly encoding: Shape['encoding']
  readonly contentType: string | null
}): string | null {
  if (isBodiless(shape.method)) return null
  if (shape.encoding === 'text') return shape.contentType ?? 'Plain text'
  return { json: 'JSON', form: 'Form', multipart: 'Form with files' }[shape.encoding]
}

const propertiesOf = (schema: unknown): Members =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : {}

/**
 * Returns the payload that arguments make, as for tools: names of the path go there, names of the query schema there,
 * and the rest is the body.
 */
export function payloadOf({ method, encoding, pathParameters, request }: Shape, args: Members): Members {
  const inQuery = Object.keys(propertiesOf(request.query))
  const entries = Object.entries(args)
  const pick = (isPicked: (name: string) => boolean) =>
    Object.fromEntries(entries.filter(([name]) => isPicked(name)))
  const isPath = (name: string) => pathParameters.includes(name)
  const isQuery = (name: string) => !isPath(name) && (isBodiless(method) || inQuery.includes(name))
  const path = pick(isPath)
  const query = pick(isQuery)
  const rest = pick(name => !isPath(name) && !isQuery(name))
  const body = encoding === 'text' ? (rest[TEXT_ARGUMENT] ?? '') : rest
  return {
    ...(pathParameters.length > 0 && { path }),
    ...((isBodiless(method) || Object.keys(query).length > 0) && { query }),
    ...(!isBodiless(method) && { body }),
  }
}

/** Returns the schema of all arguments, for a form; the properties of path and query come first. */
export function argumentSchemaOf(
  { encoding, pathParameters, request }: Shape,
  body: Members | null,
): Members {
  const path = propertiesOf(request.path)
  const inPath = pathParameters.map(name => [name, path[name] ?? { type: 'string' }] as const)
  const requiredBy = (schema: unknown) =>
    isObject(schema) && Array.isArray(schema.required) ? schema.required : []
  const text = { type: 'string', title: 'Body', maxLength: 1_000_000 }
  const inBody = encoding === 'text' ? { [TEXT_ARGUMENT]: text } : propertiesOf(body)
  return {
    type: 'object',
    properties: { ...Object.fromEntries(inPath), ...propertiesOf(request.query), ...inBody },
    required: [
      ...pathParameters,
      ...requiredBy(request.query),
      ...(encoding === 'text' ? [TEXT_ARGUMENT] : requiredBy(body)),
    ],
  }
}

/** Returns example arguments of a call. Optional parameters without an example are left out. */
export function exampleArguments({ encoding, pathParameters, request }: Shape): Members {
  const path = propertiesOf(request.path)
  const required =
    isObject(request.query) && Array.isArray(request.query.required) ? request.query.required : []
  const isKnown = (of: unknown) =>
    isObject(of) && ['example', 'examples', 'default', 'const'].some(keyword => keyword in of)
  const query = Object.entries(propertiesOf(request.query)).filter(
    ([name, of]) => required.includes(name) || isKnown(of),
  )
  const example = exampleOf(request)
  const body = encoding === 'text' ? { [TEXT_ARGUMENT]: typeof example === 'string' ? example : '' } : example
  return {
    ...Object.fromEntries(
      pathParameters.map(name => [name, instanceOf(isObject(path[name]) ? path[name] : { type: 'string' })]),
    ),
    ...Object.fromEntries(query.map(([name, of]) => [name, instanceOf(isObject(of) ? of : {})])),
    ...(isObject(body) ? body : {}),
  }
}
