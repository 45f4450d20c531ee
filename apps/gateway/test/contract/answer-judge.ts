import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { JsonSchema } from '../../src/http/openapi/openapi-schemas.ts'
import { listen } from '../kit/network/loopback.ts'

const FAULT_LENGTH_MAX = 600

/** Statistics of the proxied answers. */
export type Verdict = {
  readonly answers: number
  /** Operations called, as `GET /path`. */
  readonly operations: ReadonlySet<string>
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Violations of the contract, with counts. */
  readonly faults: ReadonlyMap<string, number>
}

/** A proxy between a tester and a gateway that validates each answer against an OpenAPI document. */
export type Judge = { readonly url: string; verdict(): Verdict; stop(): Promise<void> }

/** The parts of an OpenAPI document that describe answers. */
export type Published = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { responses: Record<string, JsonSchema> }>>>
  >
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
}
type Response = { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }
type Route = { readonly pattern: RegExp; readonly path: string }

/**
 * @param document the published contract
 * @param target   base URL of the gateway
 */
export async function judgeAnswers(document: Published, target: string): Promise<Judge> {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema({ ...document, $id: 'contract' })
  const routes: Route[] = Object.keys(document.paths)
    .map(path => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    }))
    .sort((a, b) => b.path.replaceAll(/\{\w+\}/g, '').length - a.path.replaceAll(/\{\w+\}/g, '').length)
  const compiled = new Map<JsonSchema, ValidateFunction>()
  const operations = new Set<string>()
  const statuses = new Map<number, number>()
  const faults = new Map<string, number>()
  let answers = 0

  const validatorOf = (schema: JsonSchema): ValidateFunction => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/'))
    const made = ajv.compile(absolute)
    compiled.set(schema, made)
    return made
  }

  function faultOf(
    response: Response | undefined,
    answer: { status: number; type: string; text: string },
  ): string | null {
    if (answer.status >= 500) return `a ${answer.status}: ${answer.text}`
    if (response === undefined) return `status ${answer.status} is not named: ${answer.text}`
    if (response.content === undefined)
      return answer.text === '' ? null : `a body where none is named: ${answer.text}`
    const content = response.content[answer.type]
    if (content === undefined) return `type ${answer.type} is not named with ${answer.status}`
    if (!answer.type.includes('json')) return null
    const validate = validatorOf(content.schema)
    if (validate(JSON.parse(answer.text))) return null
    return `${answer.status} ${ajv.errorsText(validate.errors)}: ${answer.text}`
  }

  function judge(method: string, url: string, answer: { status: number; type: string; text: string }): void {
    answers += 1
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const path = url.split('?', 1)[0] ?? ''
    const route = routes.find(
      ({ pattern, path: of }) => pattern.test(path) && method.toLowerCase() in (document.paths[of] ?? {}),
    )
    // Other operations may be called; they are not found.
    if (route === undefined) {
      if (answer.status >= 500) note(`${method} ${path}: a ${answer.status}`)
      return
    }
    const name = `${method} ${route.path}`
    operations.add(name)
    const fault = faultOf(responseOf(document, route.path, method, answer.status), answer)
    if (fault !== null) note(`${name}: ${fault.slice(0, FAULT_LENGTH_MAX)}`)
  }
  const note = (fault: string) => void faults.set(fault, (faults.get(fault) ?? 0) + 1)

  const server = createServer((request, response) => relay(target, request, response, judge))
  const { origin, stop } = await listen(server)
  return {
    url: origin,
    verdict: () => ({ answers, operations, statuses, faults }),
    stop,
  }
}

/** Returns the response of a document for a status, with its reference resolved. */
function responseOf(
  { paths, components }: Published,
  path: string,
  method: string,
  status: number,
): Response | undefined {
  const reported = paths[path]?.[method.toLowerCase()]?.responses[status]
  const name = typeof reported?.$ref === 'string' ? reported.$ref.split('/').at(-1) : undefined
  return (name === undefined ? reported : components.responses?.[name]) as Response | undefined
}

function relay(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  judge: (method: string, url: string, answer: { status: number; type: string; text: string }) => void,
): void {
  const { method = 'GET', url = '/', headers } = request
  const onward = httpRequest(new URL(target).origin + url, { method, headers }, answer => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => {
      const body = Buffer.concat(chunks)
      const type = (answer.headers['content-type'] ?? '').split(';', 1)[0] ?? ''
      judge(method, url, {
        status: answer.statusCode ?? 0,
        type,
        text: answer.headers['content-encoding'] === undefined ? body.toString() : '',
      })
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.end(body)
    })
  })
  onward.on('error', error => {
    judge(method, url, { status: 599, type: '', text: `no answer: ${error.message}` })
    response.writeHead(502)
    response.end()
  })
  request.pipe(onward)
}
