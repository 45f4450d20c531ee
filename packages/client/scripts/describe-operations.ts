import openapiTS, { astToString } from 'openapi-typescript'

/** What of an OpenAPI document is looked at here. */
type Document = Parameters<typeof openapiTS>[0] & {
  paths: Record<string, Record<string, Described>>
}
type Described = {
  operationId?: string
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
 * The source of \`schema.gen.ts\`: types of what each operation takes and answers, and a table of their places.
 * Errors are left out, as they all have one shape (\`GatewayError\`), and so are examples.
 *
 * @param text the contract, an OpenAPI document
 */
export async function describeOperations(text: string): Promise<string> {
  const document = JSON.parse(text) as Document
  const places: string[] = []
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === undefined) continue
      places.push(placeOf(operation.operationId, method, path, operation))
      strip(operation)
    }
  }
  const types = astToString(await openapiTS(document, OPTIONS))
  const table = `/** Where each operation is, and whether it takes an idempotency key. */
export const operationPlaces = {
${places.sort().join('\n')}
} as const satisfies Partial<Record<keyof operations, { method: string; path: string; key?: true }>>
`
  return `${HEAD}${types}\n${table}`
}

function placeOf(id: string, method: string, path: string, { parameters = [] }: Described): string {
  const takesKey = parameters.some(({ name }) => name.toLowerCase() === 'x-idempotency-key')
  return `  ${id}: { method: '${method.toUpperCase()}', path: '${path}'${takesKey ? ', key: true' : ''} },`
}

/** Takes out what no type is made of, or what is the same for all. */
function strip(operation: Described): void {
  const { 200: done } = operation.responses
  operation.responses = done === undefined ? {} : { 200: done }
  delete done?.headers
  const contents = [done?.content, operation.requestBody?.content].flatMap(each => Object.values(each ?? {}))
  for (const content of contents) delete content.example
}
