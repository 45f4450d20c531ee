import { randomUUID } from 'node:crypto'
import { infinitePathIn } from '@farebox/wire/common'
import { GatewayError, ISSUES_MAX } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import { roundIntegers } from '../../../http/exact-integers.ts'
import type { CallableService } from '../../services/find-callable.ts'
import type { SchemaIssue } from '../../services/schema/payload-schema.ts'
import { type EncodedBody, encodeBody } from './encode-body-rules.ts'
import { asArguments, spreadArguments } from './flat-arguments-rules.ts'
import { readPath } from './path-rules.ts'
import { checkedParameters, checkedPayload, isBodiless, readQuery } from './query-rules.ts'

type Payload = InvokeInput['payload']

/** The request of a call to a target. */
export type RequestParts = {
  /** The result of spreading tool arguments, if there were any. */
  readonly payload: Payload
  /** Its parameters for the target, as a query string; empty when there are none. */
  readonly query: string
  /** Values for the placeholders of the target, percent-encoded. */
  readonly path: ReadonlyMap<string, string>
  /** Null: `payload.body` as JSON, if there is any. */
  readonly encoded: EncodedBody | null
}

/** The parts of a call that could not be read. */
export const NO_PARTS: Omit<RequestParts, 'payload'> = { query: '', path: new Map(), encoded: null }

/**
 * Reads what a call sends to a target of its service, and checks it against the schemas of the manifest.
 *
 * @param isFlat whether the members of the body are the arguments of a tool; see spreadArguments
 * @throws GatewayError INVALID_PAYLOAD with `detail.issues`
 */
export function readRequest(service: CallableService, given: Payload, isFlat: boolean): RequestParts {
  const payload = isFlat ? spreadArguments(service, given) : given
  const refuse = (found: readonly SchemaIssue[]): never => {
    const issues = found.slice(0, ISSUES_MAX)
    throw invalidPayload(isFlat ? asArguments(service, issues) : issues)
  }
  const infinite = infinitePathIn(payload)
  if (infinite !== null) return refuse([{ path: `payload${infinite}`, message: INFINITE }])
  const { method } = service
  const undeclared = undeclaredOf(service, payload)
  if (undeclared.length > 0) return refuse(undeclared)
  const query = readQuery(method, payload, service.fixedParameters)
  if ('issues' in query) return refuse(query.issues)
  const path = readPath(service.placeholders, payload.path)
  if ('issues' in path) return refuse(path.issues)
  const body = encodeBody(service, isBodiless(method) ? bodilessBody(payload) : payload.body, boundary)
  if ('issues' in body) return refuse(body.issues)
  const misfit =
    faultOf(checkedPayload(method, payload), service.validateRequest) ??
    faultOf(checkedParameters(method, payload), service.validateQuery) ??
    faultOf(checkedPath(payload), service.validatePath)
  if (misfit !== null) return refuse(misfit)
  return { payload, query: query.text, path: path.values, encoded: body.encoded }
}

const INFINITE = 'is beyond the range of JSON numbers: send it as text'

/** A body that nothing is sent of; a string is none of the parameters that it should hold. */
const bodilessBody = ({ body }: Payload) => (typeof body === 'string' ? body : undefined)

/** Parameters of a model that its provider does not describe could change what a call costs: none is held for them. */
function undeclaredOf({ pricing, queryNames }: CallableService, { query = {} }: Payload): SchemaIssue[] {
  if (pricing.model === 'fixed') return []
  return Object.keys(query)
    .filter(name => !queryNames.includes(name))
    .map(name => ({ path: `payload.query.${name}`, message: 'is not a parameter of this service' }))
}

const boundary = (): string => `farebox-${randomUUID()}`

/** Returns the issues of the first candidate if none fits. */
function faultOf(
  candidates: readonly unknown[],
  validate: CallableService['validateRequest'],
): readonly SchemaIssue[] | null {
  const found = candidates.map(each => validate(roundIntegers(each)))
  const [issues = null] = found
  return found.every(each => each !== null) ? issues : null
}

const checkedPath = ({ path = {} }: Payload): readonly unknown[] =>
  checkedParameters('POST', { body: undefined, query: path })

function invalidPayload(issues: readonly SchemaIssue[]): GatewayError {
  const [first] = issues
  const message = first && `${first.path} ${first.message}.`
  return new GatewayError('INVALID_PAYLOAD', { issues }, message === undefined ? {} : { message })
}
