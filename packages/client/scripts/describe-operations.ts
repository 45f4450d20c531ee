import { errorTable } from '@farebox/wire/errors'
import openapiTS, { astToString } from 'openapi-typescript'

const USED: readonly string[] = ['components', 'operations']

/** The parts of an OpenAPI document that are used here. */
type Document = Parameters<typeof openapiTS>[0] & {
  paths: Record<string, Record<string, Described>>
}
type Described = {
  operationId?: string
  summary?: string
  parameters?: { name: string; in: string; example?: unknown }[]
  responses: Record<string, { headers?: unknown; content?: Record<string, { example?: unknown }> }>
  requestBody?: { content: Record<string, { example?: unknown }> }
}

const OPTIONS = {
  silent: true,
  // A member with a default may be left out of a request; answers name what is always there.
  defaultNonNullable: false,
  // An object of which nothing is promised may have any member.
  emptyObjectsUnknown: true,
} as const

const HEAD = `/**
 * Types of every operation, and where each one is. Made of apps/gateway/openapi.json by \`npm run contract\`.
 */
`

/**
 * Returns the source of \`schema.gen.ts\`: types of what each operation takes and answers, a table of their places, and
 * the error codes. Error bodies are left out, as all have one shape (\`GatewayError\`), and so are examples.
 *
 * @param text the contract, an OpenAPI document
 */
export async function describeOperations(text: string): Promise<string> {
  const document = JSON.parse(text) as Document
  const places = new Map<string, string>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === undefined) continue
      places.set(operation.operationId, placeOf(operation.operationId, method, path, operation))
      strip(operation)
    }
  }
  // Of its other declarations, such as `paths`, the client uses none.
  const nodes = (await openapiTS(document, OPTIONS)).filter(isUsed)
  const types = astToString(nodes)
  const table = `/** Where each operation is, and whether it takes an idempotency key. */
export const operationPlaces = {
${[...places.keys()]
  .sort()
  .map(id => places.get(id))
  .join('\n')}
} as const satisfies Partial<Record<keyof operations, { method: string; path: string; key?: true }>>

/** An error code of the gateway. */
export type ErrorCode =
${Object.keys(errorTable)
  .sort()
  .map(code => `  | '${code}'`)
  .join('\n')}
`
  return `${HEAD}${types}\n${table}`
}

type Node = Awaited<ReturnType<typeof openapiTS>>[number]

function isUsed(node: Node): boolean {
  return (
    'name' in node && typeof node.name === 'object' && USED.includes((node.name as { text: string }).text)
  )
}

/** An entry of the table. Its comment is what an editor shows for the client's function of that name. */
function placeOf(id: string, method: string, path: string, { summary, parameters = [] }: Described): string {
  const takesKey = parameters.some(({ name }) => name.toLowerCase() === 'x-idempotency-key')
  const place = `{ method: '${method.toUpperCase()}', path: '${path}'${takesKey ? ', key: true' : ''} }`
  return `  /** ${summary}. */\n  ${id}: ${place},`
}

/** Takes out what no type is made of, or what is the same for all. */
function strip(operation: Described): void {
  const { 200: done } = operation.responses
  operation.responses = done === undefined ? {} : { 200: done }
  delete done?.headers
  const contents = [done?.content, operation.requestBody?.content].flatMap(each => Object.values(each ?? {}))
  for (const content of contents) delete content.example
}
