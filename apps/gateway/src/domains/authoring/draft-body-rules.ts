import { isDeeperThan, isObject } from '@farebox/wire/common'
import { contentTypeIn, type Encoding } from '@farebox/wire/encodings'
import type { CurlRequest, FormField } from './curl-rules.ts'
import type { Findings } from './draft-findings-rules.ts'

const BODY_DEPTH_MAX = 32
const FORM_TYPE = 'application/x-www-form-urlencoded'
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i

/** The body of a command: its encoding and an example. */
export type DraftBody = {
  readonly encoding: Encoding
  /** Content type of a text. */
  readonly contentType?: string
  /** Null if there is no readable example. */
  readonly sample: unknown
  /** Schemas of file members, by name. */
  readonly files: Readonly<Record<string, object>>
}

const none: DraftBody = { encoding: 'json', sample: null, files: {} }

/** Placeholder of a file in multipart bodies. */
export const FILE_SCHEMA = {
  type: 'object',
  description: 'A file.',
  properties: {
    base64: { type: 'string', contentEncoding: 'base64' },
    filename: { type: 'string' },
    contentType: { type: 'string' },
  },
  required: ['base64'],
}

/** Parses the body of a command as the service would receive it. */
export function readBody(request: CurlRequest, method: string, found: Findings): DraftBody {
  const { unsupported } = found
  if (['GET', 'HEAD', 'DELETE'].includes(method)) {
    if (request.body !== null || request.form.length > 0) {
      unsupported.push({ option: '-d', message: `Calls by ${method} send no body.` })
    }
    return none
  }
  if (request.form.length > 0) return readParts(request.form)
  const { body, contentType } = request
  if (body === null) return request.hasFile ? unreadBody(contentType) : none
  const isJson = request.isJson || (contentType !== null && JSON_TYPE.test(contentType))
  const json = contentType === null || isJson ? readJson(body) : undefined
  if (json !== undefined) return jsonBody(json, body, contentType, found)
  if (isJson) {
    unsupported.push({
      option: '-d',
      message: 'The body is not JSON, as its content type says; it was left out.',
    })
    return none
  }
  if (isFormText(request))
    return { ...none, encoding: 'form', sample: groupFields(new URLSearchParams(body)) }
  return textBody(body, contentType ?? FORM_TYPE, found)
}

/** Handles a body from a file: its content type determines the encoding. */
function unreadBody(contentType: string | null): DraftBody {
  if (contentType === null || JSON_TYPE.test(contentType)) return none
  if (contentType.startsWith(FORM_TYPE)) return { ...none, encoding: 'form' }
  const isTaken = contentTypeIn.safeParse(contentType).success
  return isTaken ? { ...none, encoding: 'text', contentType } : none
}

function isFormText({ body, contentType }: CurlRequest): boolean {
  if (contentType !== null) return contentType.toLowerCase().startsWith(FORM_TYPE)
  return body !== null && /^[^\s{}[\]"<>]*=/.test(body)
}

function jsonBody(
  json: unknown,
  text: string,
  contentType: string | null,
  { warnings, unsupported }: Findings,
): DraftBody {
  if (contentType !== null && !/^application\/json\b/i.test(contentType)) {
    unsupported.push({ option: '-H', message: 'JSON is sent as application/json.' })
  }
  if (isObject(json)) return { ...none, sample: json }
  const message = 'The JSON is not an object, so callers send it as text.'
  warnings.push({ path: 'invoke.encoding', message })
  return { encoding: 'text', contentType: 'application/json', sample: text, files: {} }
}

function textBody(body: string, contentType: string, { unsupported }: Findings): DraftBody {
  const isMultipart = /^multipart\//i.test(contentType)
  if (isMultipart || !contentTypeIn.safeParse(contentType).success) {
    const message = isMultipart
      ? 'The parts of a form are read only from -F; the body was left out.'
      : 'The content type cannot be sent; the body was left out.'
    unsupported.push({ option: '-d', message })
    return none
  }
  return { encoding: 'text', contentType, sample: body, files: {} }
}

function readParts(form: readonly FormField[]): DraftBody {
  const files = Object.fromEntries(form.filter(({ isFile }) => isFile).map(({ name }) => [name, FILE_SCHEMA]))
  const fields = form.filter(({ isFile }) => !isFile).map(({ name, value }) => [name, value] as const)
  return { encoding: 'multipart', sample: groupFields(fields), files }
}

/** Returns an object of fields; a repeated name becomes an array. */
export function groupFields(fields: Iterable<readonly [string, string]>): Record<string, unknown> {
  const grouped = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const values = grouped.get(name)
    if (values === undefined) grouped.set(name, [value])
    else values.push(value)
  }
  return Object.fromEntries(
    Array.from(grouped, ([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

/** @returns undefined if it is not JSON, or nested too deep for a manifest */
function readJson(text: string): unknown {
  // `{"id": {{id}}}` is JSON once its placeholders are quoted.
  for (const candidate of [
    text,
    text.replaceAll(/(?<=[:[,]\s*)(\{\{[^{}"]{1,100}\}\}|\$\w+)(?=\s*[,}\]])/g, '"$1"'),
  ]) {
    try {
      const value: unknown = JSON.parse(candidate)
      return isDeeperThan(value, BODY_DEPTH_MAX) ? undefined : value
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return undefined
}
