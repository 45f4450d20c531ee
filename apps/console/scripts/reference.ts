import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The contract of the gateway. */
export const CONTRACT = join(import.meta.dirname, '../../gateway/openapi.json')

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
}
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly 'x-error-codes'?: readonly string[]
}
type Contract = {
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Returns the operations of the contract as Markdown: a section for each tag, a heading for each operation. */
export async function referenceText(): Promise<string> {
  const { tags, paths } = JSON.parse(await readFile(CONTRACT, 'utf8')) as Contract
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = tags.map(({ name, description = '' }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name)).map(operationText)
    return [`## ${name}`, description, ...own].join('\n\n')
  })
  return sections.join('\n\n')
}

function operationText(given: { path: string; method: string; operation: Operation }): string {
  const { path, method, operation } = given
  const { summary, description = '', parameters = [], requestBody } = operation
  const named = parameters.filter(parameter => 'name' in parameter)
  const example = Object.values(requestBody?.content ?? {})[0]?.example
  const errors = operation['x-error-codes'] ?? []
  return [
    `### ${method.toUpperCase()} ${path}`,
    `**${summary}.** ${description}`,
    `Access: ${accessText(operation)}. In the client: \`${operation.operationId}\`.`,
    named.map(parameterText).join('\n'),
    example === undefined ? '' : `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    errors.length === 0 ? '' : `Errors: ${errors.map(code => `\`${code}\``).join(', ')}.`,
  ]
    .filter(text => text !== '')
    .join('\n\n')
}

function parameterText({ name, in: place, required, description = '' }: Parameter): string {
  return `- \`${name}\` (${place}${required === true ? ', required' : ''})${description === '' ? '' : `: ${description}`}`
}

function accessText({ security = [] }: Operation): string {
  const names = security.flatMap(Object.keys)
  return names.length === 0 ? 'everybody' : names.map(name => `\`${name}\``).join(' or ')
}
