import { setImmediate as nextTurn } from 'node:timers/promises'
import { isObject } from '@farebox/wire/common'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import { faultOfTemplate, placeholdersOf } from '@farebox/wire/path-template'
import type { Pricing } from './pricing/pricing-rules.ts'
import type { ManifestIssue } from './rules.ts'
import { compilePayloadSchema, PayloadSchemaError } from './schema/payload-schema.ts'

type Invoke = RegisterServiceBody['invoke']
type Schema = Readonly<Record<string, unknown>>

/** Methods whose calls carry no body. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** Returns what of a manifest would make calls impossible: templates, encoding, schemas, and names that clash. */
export function issuesOfShape(invoke: Invoke, model: Pricing['model']): ManifestIssue[] {
  return issuesIn(invoke, model, schemasOf(invoke).flatMap(issuesOfSchema))
}

/** Returns the same, compiling one schema in each turn of the event loop: it takes up to 100 ms. */
export async function issuesOfShapeByTurns(
  invoke: Invoke,
  model: Pricing['model'],
): Promise<ManifestIssue[]> {
  const schemas: ManifestIssue[] = []
  for (const each of schemasOf(invoke)) {
    schemas.push(...issuesOfSchema(each))
    await nextTurn()
  }
  return issuesIn(invoke, model, schemas)
}

function issuesIn(invoke: Invoke, model: Pricing['model'], schemas: ManifestIssue[]): ManifestIssue[] {
  const templates = issuesOfTemplates(invoke)
  if (templates.length + schemas.length > 0) return [...templates, ...schemas]
  return [...issuesOfEncoding(invoke), ...issuesOfModel(invoke, model), ...issuesOfNames(invoke)]
}

const schemasOf = ({ request, response }: Invoke) => [
  { schema: request.body, path: 'invoke.request.body' },
  { schema: request.query, path: 'invoke.request.query' },
  { schema: request.path, path: 'invoke.request.path' },
  { schema: response.body, path: 'invoke.response.body' },
]

function issuesOfTemplates({ targets }: Invoke): ManifestIssue[] {
  const names = placeholderList(targets[0]?.url)
  return targets.flatMap(({ url }, index): ManifestIssue[] => {
    const path = `invoke.targets.${index}.url`
    const fault = faultOfTemplate(url)
    if (fault !== null) return [{ path, message: fault }]
    if (placeholderList(url) === names) return []
    return [
      { path, message: 'Must hold the placeholders of the first target: a call may go to any of them.' },
    ]
  })
}

const placeholderList = (url = ''): string => placeholdersOf(url).toSorted().join(' ')

function issuesOfEncoding({ method, encoding, contentType, request }: Invoke): ManifestIssue[] {
  const issue = (path: string, message: string) => ({ path, message })
  if (encoding !== 'json' && BODILESS.has(method)) {
    return [issue('invoke.encoding', `Calls by ${method} send no body.`)]
  }
  if (encoding !== 'text' && typeof contentType === 'string') {
    return [issue('invoke.contentType', 'Is for encoding text; the other encodings have their own.')]
  }
  const type = isObject(request.body) ? request.body.type : undefined
  const needed = encoding === 'text' ? 'string' : 'object'
  if (encoding === 'json' || type === undefined || [type].flat().includes(needed)) return []
  return [issue('invoke.request.body.type', `A body of encoding ${encoding} is of type ${needed}.`)]
}

/** The APIs of models have one URL and JSON bodies. */
function issuesOfModel({ targets, encoding }: Invoke, model: Pricing['model']): ManifestIssue[] {
  if (model === 'fixed') return []
  const issues: ManifestIssue[] = []
  if (encoding !== 'json') issues.push({ path: 'invoke.encoding', message: 'Models are called with JSON.' })
  if (placeholderList(targets[0]?.url) !== '') {
    const message = 'Models are called at one URL: their clients cannot fill placeholders.'
    issues.push({ path: 'invoke.targets.0.url', message })
  }
  return issues
}

/** Arguments of tools are flat: each name has one place only. */
function issuesOfNames({ targets, request, encoding }: Invoke): ManifestIssue[] {
  const path = placeholdersOf(targets[0]?.url ?? '')
  const inPath = namesOf(request.path)
  const query = namesOf(request.query)
  const body = encoding === 'text' ? ['body'] : namesOf(request.body)
  const properties = (part: string, name: string) => `invoke.request.${part}.properties.${name}`
  return [
    ...inPath
      .filter(name => !path.includes(name))
      .map(name => ({ path: properties('path', name), message: `No target has {${name}} in its path.` })),
    ...query
      .filter(name => isObject(request.query) && isObjectOnly(request.query, name))
      .map(name => ({ path: properties('query', name), message: 'An object cannot be sent in a query.' })),
    ...query
      .filter(name => path.includes(name))
      .map(name => ({ path: properties('query', name), message: clash(name, 'the path of the targets') })),
    ...body
      .filter(name => path.includes(name))
      .map(name => ({ path: properties('body', name), message: clash(name, 'the path of the targets') })),
    ...body
      .filter(name => query.includes(name))
      .map(name => ({ path: properties('body', name), message: clash(name, 'invoke.request.query') })),
  ]
}

const clash = (name: string, place: string): string =>
  `${JSON.stringify(name)} stands in ${place} too. Arguments of tools are flat: give each its own name.`

/** Returns the names that a schema of an object describes or requires. */
export function namesOf(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const { properties, required } = schema
  const described = isObject(properties) ? Object.keys(properties) : []
  const needed = Array.isArray(required) ? required.filter(name => typeof name === 'string') : []
  return [...new Set([...described, ...needed])]
}

/**
 * Returns the names of the parameters, in lower case, that the URL of a target sets and no schema leaves to callers. The
 * schema of the body describes the parameters of a service without a body.
 */
export function fixedParameters(service: {
  readonly method: string
  readonly targets: readonly { readonly url: string }[]
  readonly request: { readonly query?: unknown; readonly body?: unknown }
}): string[] {
  const { method, targets, request } = service
  const open = [...namesOf(request.query), ...(BODILESS.has(method) ? namesOf(request.body) : [])]
  const names = targets.flatMap(({ url }) => [...new URL(url).searchParams.keys()])
  return [...new Set(names.filter(name => !open.includes(name)).map(name => name.toLowerCase()))]
}

function isObjectOnly({ properties }: Schema, name: string): boolean {
  const of = isObject(properties) ? properties[name] : undefined
  return isObject(of) && of.type === 'object'
}

function issuesOfSchema({ schema, path }: { schema: unknown; path: string }): ManifestIssue[] {
  try {
    compilePayloadSchema(schema, path)
    return []
  } catch (error) {
    if (!(error instanceof PayloadSchemaError)) throw error
    return [{ path, message: error.message }]
  }
}
