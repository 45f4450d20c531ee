import { isObject } from '@farebox/wire/common'
import { registerServiceBody } from '@farebox/wire/manifest'
import { issuesOfShape } from '../../services/request-shape.ts'
import { type Members, OpenApiError, textOf } from './document-rules.ts'
import {
  type DraftTools,
  draftOperation,
  type Operation,
  type OperationDraft,
} from './draft-operation-rules.ts'
import { parseDocument } from './openapi-document-parser.ts'
import { createResolver } from './reference-rules.ts'

/** Maximum number of operations of a document. */
const OPERATIONS_MAX = 1_000
const TEXT_LENGTH_MAX = 300
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const
/** Stands for a server where drafts are tried only. */
const TRIAL_SERVER = 'https://server.invalid'

/** Options of reading a document. */
export type OpenApiInput = {
  readonly document: string
  /** Ids of the operations to draft. */
  readonly operations: readonly string[]
  /** Replaces the servers of the document. */
  readonly serverUrl: string | undefined
}

/** An operation as it is listed. */
export type ListedOperation = {
  readonly operation: string
  readonly operationId: string | null
  readonly summary: string
  readonly isDeprecated: boolean
  /** Why it cannot be sold as a service; null if it can. */
  readonly problem: string | null
}

/** The operations of a document, and manifests drafted from the chosen ones. */
export type OpenApiReading = {
  readonly title: string
  readonly operations: readonly ListedOperation[]
  readonly drafts: readonly OperationDraft[]
}

/**
 * Lists the operations of an OpenAPI document and drafts manifests from the chosen ones. Takes time that grows with the
 * document: run it in a worker. Nothing is fetched.
 *
 * @param looksSecret judges a text: callers will see nothing that it takes for a secret
 * @throws OpenApiError
 */
export function readOpenApi(input: OpenApiInput, looksSecret: (text: string) => boolean): OpenApiReading {
  const document = parseDocument(input.document)
  const resolve = createResolver(document)
  const operations = operationsOf(document, resolve)
  const tools = { document, resolve, serverUrl: input.serverUrl, looksSecret }
  const drafts = input.operations.map((id, index) => {
    const path = `operations.${index}`
    const operation = operations.find(each => each.id === id)
    if (operation === undefined) throw unknownOperation(id, operations[0]?.id, path)
    try {
      return draftChecked(operation, tools)
    } catch (error) {
      if (!(error instanceof OpenApiError) || error.path === 'serverUrl') throw error
      throw new OpenApiError(`${id.slice(0, TEXT_LENGTH_MAX)}: ${error.message}`, path)
    }
  })
  const { info } = document
  return {
    title: textOf(isObject(info) ? info.title : '', TEXT_LENGTH_MAX),
    operations: operations.map(operation => listed(operation, { ...tools, serverUrl: TRIAL_SERVER })),
    drafts,
  }
}

function operationsOf(document: Members, resolve: DraftTools['resolve']): Operation[] {
  const operations: Operation[] = []
  for (const [path, given] of Object.entries(document.paths as Members)) {
    if (!path.startsWith('/')) continue
    const { node: item } = resolve(given)
    if (!isObject(item)) continue
    for (const method of METHODS) {
      const node = item[method]
      if (!isObject(node)) continue
      const upper = method.toUpperCase()
      operations.push({ id: `${upper} ${path}`, method: upper, path, item, node })
      if (operations.length > OPERATIONS_MAX)
        throw new OpenApiError(`Must contain at most ${OPERATIONS_MAX} operations.`)
    }
  }
  return operations
}

function listed(operation: Operation, tools: DraftTools): ListedOperation {
  const { id, node } = operation
  return {
    operation: id,
    operationId: textOf(node.operationId, TEXT_LENGTH_MAX) || null,
    summary: textOf(node.summary, TEXT_LENGTH_MAX),
    isDeprecated: node.deprecated === true,
    problem: problemOf(operation, tools),
  }
}

function problemOf(operation: Operation, tools: DraftTools): string | null {
  try {
    draftOperation(operation, tools)
    return null
  } catch (error) {
    if (error instanceof OpenApiError) return error.message
    throw error
  }
}

/** Drafts a manifest that registration takes once it has a price: with simpler schemas if need be. */
function draftChecked(operation: Operation, tools: DraftTools): OperationDraft {
  const whole = draftOperation(operation, tools)
  const fault = faultOf(whole)
  if (fault === null) return whole
  const simpler = [draftOperation(operation, tools, true), withoutSchemas(whole)]
  const draft = simpler.find(each => faultOf(each) === null)
  if (draft === undefined) throw new OpenApiError(fault)
  const message = `The schemas were simplified because services do not accept them unchanged: ${fault}`
  return { ...draft, warnings: [...draft.warnings, { path: 'invoke.request', message }] }
}

/** Returns why registration would refuse a draft, or null. */
function faultOf({ manifest }: OperationDraft): string | null {
  const parsed = registerServiceBody.safeParse(manifest)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `${issue?.path.join('.')}: ${issue?.message}`.slice(0, TEXT_LENGTH_MAX)
  }
  const [issue] = issuesOfShape(parsed.data.invoke, 'fixed')
  return issue === undefined ? null : `${issue.path}: ${issue.message}`.slice(0, TEXT_LENGTH_MAX)
}

function withoutSchemas(draft: OperationDraft): OperationDraft {
  const { invoke, ...manifest } = draft.manifest as { invoke: Record<string, unknown> }
  return { ...draft, manifest: { ...manifest, invoke: { ...invoke, request: {}, response: {} } } }
}

function unknownOperation(id: string, other: string | undefined, path: string): OpenApiError {
  const named = `The document has no operation ${JSON.stringify(id.slice(0, TEXT_LENGTH_MAX))}.`
  const form =
    other === undefined
      ? ''
      : ` Name one by method and path, such as ${JSON.stringify(other.slice(0, TEXT_LENGTH_MAX))}.`
  return new OpenApiError(named + form, path)
}
