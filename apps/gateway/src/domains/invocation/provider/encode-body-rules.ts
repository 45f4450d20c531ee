import { type Encoding, TEXT_TYPE_DEFAULT } from '@farebox/wire/encodings'

/** Maximum number of fields of a form, and of parts of a multipart body. */
const PARTS_MAX = 200
const NAME_LENGTH_MAX = 256
const FILENAME_LENGTH_MAX = 255
const PART_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[\x20-\x7e]{1,190}$/
const PART_TYPE_DEFAULT = 'application/octet-stream'
/** Standard Base64 with its padding (RFC 4648, 4). */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

type Issue = { readonly path: string; readonly message: string }
type Members = Readonly<Record<string, unknown>>

/** An encoded body. */
export type EncodedBody = { readonly contentType: string; readonly bytes: string | Buffer }

/**
 * Encodes the body of a call for its service.
 *
 * @param body     `payload.body`
 * @param boundary separates the parts of a multipart body; callers must not be able to guess it
 * @returns null for JSON, which is serialised when it is sent, and without a body; or why it cannot be encoded
 */
export function encodeBody(
  service: { readonly encoding: Encoding; readonly contentType: string | null },
  body: Members | string | undefined,
  boundary: () => string,
): { readonly encoded: EncodedBody | null } | { readonly issues: readonly Issue[] } {
  const { encoding, contentType } = service
  if (body === undefined) return { encoded: null }
  if (encoding === 'text') {
    if (typeof body !== 'string') return misfit('must be a string: the service accepts text')
    return body.isWellFormed()
      ? { encoded: { contentType: contentType ?? TEXT_TYPE_DEFAULT, bytes: body } }
      : misfit('contains half of a surrogate pair')
  }
  if (typeof body === 'string')
    return misfit('must be an object: only services with encoding text accept a string')
  if (encoding === 'json') return { encoded: null }
  const fields = fieldsOf(body, PARTS_MAX + 1)
  if (fields.length > PARTS_MAX) return misfit(`must have at most ${PARTS_MAX} fields`)
  return encoding === 'form' ? encodeForm(fields) : encodeMultipart(fields, boundary())
}

const misfit = (message: string) => ({ issues: [{ path: 'payload.body', message }] })

type Field = { readonly name: string; readonly path: string; readonly value: unknown }

/** Returns the first fields of a form: an array repeats its name, null is left out. */
function fieldsOf(body: Members, count: number): readonly Field[] {
  const fields: Field[] = []
  for (const [name, value] of Object.entries(body)) {
    if (fields.length >= count) break
    const path = `payload.body.${name}`
    if (Array.isArray(value)) {
      const values = value.slice(0, count)
      fields.push(...values.map((each, index) => ({ name, path: `${path}.${index}`, value: each })))
    } else if (value !== null && value !== undefined) fields.push({ name, path, value })
  }
  return fields
}

const textOf = (value: unknown): string | null =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : null

function encodeForm(fields: readonly Field[]): ReturnType<typeof encodeBody> {
  const issues: Issue[] = []
  const form = new URLSearchParams()
  for (const { name, path, value } of fields) {
    const text = textOf(value)
    if (text === null) issues.push({ path, message: FORM_MISFIT })
    else form.append(name, text)
  }
  if (issues.length > 0) return { issues }
  return { encoded: { contentType: 'application/x-www-form-urlencoded', bytes: form.toString() } }
}

const FORM_MISFIT =
  'cannot be sent in a form: send text, a number, a boolean, or an array of these, which repeats the field'

/** Encodes multipart/form-data (RFC 7578), names escaped as browsers do. */
function encodeMultipart(fields: readonly Field[], boundary: string): ReturnType<typeof encodeBody> {
  const issues: Issue[] = []
  const pieces: Buffer[] = []
  for (const { name, path, value } of fields) {
    const part = partOf(name, value)
    if (typeof part === 'string') {
      issues.push({ path, message: part })
      continue
    }
    pieces.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${part.head}\r\n\r\n`))
    pieces.push(part.content, Buffer.from('\r\n'))
  }
  if (issues.length > 0) return { issues }
  const bytes = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  return { encoded: { contentType: `multipart/form-data; boundary=${boundary}`, bytes } }
}

/** Returns the head and content of a part, or why it is invalid. */
function partOf(name: string, value: unknown): { head: string; content: Buffer } | string {
  if (name.length > NAME_LENGTH_MAX) return `has a name over ${NAME_LENGTH_MAX} characters`
  const head = `name="${escaped(name)}"`
  const text = textOf(value)
  if (text !== null) return { head, content: Buffer.from(text) }
  if (typeof value !== 'object' || value === null || !('base64' in value)) return PART_MISFIT
  const { base64, filename = name, contentType = PART_TYPE_DEFAULT, ...others } = value as Members
  const [other] = Object.keys(others)
  if (other !== undefined)
    return `has a member ${JSON.stringify(other.slice(0, 64))}, which files do not have`
  if (typeof base64 !== 'string' || !BASE64.test(base64)) return 'has an invalid base64 (RFC 4648, padded)'
  if (typeof filename !== 'string' || filename === '' || filename.length > FILENAME_LENGTH_MAX) {
    return `has a filename that is not text of 1 to ${FILENAME_LENGTH_MAX} characters`
  }
  if (typeof contentType !== 'string' || !PART_TYPE.test(contentType)) return 'has an invalid contentType'
  const named = `${head}; filename="${escaped(filename)}"\r\ncontent-type: ${contentType}`
  return { head: named, content: Buffer.from(base64, 'base64') }
}

const PART_MISFIT =
  'is not a part: send text, a number, a boolean, {base64, filename?, contentType?}, or an array of these'

/** Escapes a name in a part's head (HTML, multipart/form-data encoding algorithm). */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
