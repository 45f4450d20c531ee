import { isObject } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { misreadingsOf } from '@farebox/wire/strict'

/** Estimated bytes of text per token. */
const BYTES_PER_TOKEN = 3
/** Tokens that every request adds to those of its text. */
const TOKENS_PER_REQUEST = 16
/** Input tokens that may be charged beyond one per byte of text. */
const TOKENS_BESIDE_TEXT = 1_024

/** A service's token counts for prompt parts other than text. */
export type PromptTerms = {
  /** Tokens of a base64 image, sound or file. */
  readonly mediaTokens: number
  /** Tokens of a prompt that refers to context; null: such a prompt is refused. */
  readonly contextTokens: number | null
}

/** Token counts of a request's prompt. */
export type PromptCount = {
  /** Counted by the hold. */
  readonly promptTokens: number
  /** Maximum chargeable input tokens. */
  readonly maxInputTokens: number
}

/** Prompt parts other than text. */
type Found = { mediaParts: number; mediaBytes: number; named: string | null }
type Value = Readonly<Record<string, unknown>>
/** Members and indexes from the request to a value. */
type Trail = (string | number)[]

/** Members with the URL of a part, in OpenAI's and similar APIs. */
const URL_MEMBERS = ['image_url', 'video_url', 'audio_url', 'file_url'] as const
/** Members that refer to stored files. */
const FILE_MEMBERS = ['file_id', 'file_ids', 'vector_store_ids'] as const
/** Members with nested parts. Tool arguments are the caller's own JSON and are not inspected. */
const INNER_MEMBERS = ['content', 'output', 'file', 'source', 'container', 'input_image_mask'] as const
/** Members of parts that are read. */
const READ_MEMBERS: ReadonlySet<string> = new Set([
  ...URL_MEMBERS,
  ...FILE_MEMBERS,
  ...INNER_MEMBERS,
  'type',
  'role',
  'id',
  'url',
  'audio',
  'file_data',
  'input_audio',
  'data',
  'media_type',
])
/** Returns the member of parts for which a provider may take a name. */
const meaningOf = misreadingsOf([...READ_MEMBERS])
/** Members of parts with text, which may be a URL. Search results state theirs, and are not read from it. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set([
  'text',
  'content',
  'output',
  'title',
  'name',
  'filename',
  'context',
  'thinking',
  'reasoning',
  'refusal',
  'transcript',
  'description',
  'stdout',
  'stderr',
])
const SEARCH_RESULT = /^(?:web_)?(?:search|fetch)_result$/
/** Objects in parts that are text of the caller or of an earlier answer. */
const OPAQUE_MEMBERS: ReadonlySet<string> = new Set([
  ...INNER_MEMBERS,
  'input',
  'arguments',
  'action',
  'annotations',
  'citations',
  'metadata',
])
/** Members of a request that contain its prompt. */
const PROMPT_MEMBERS = ['messages', 'input', 'system', 'instructions', 'tools'] as const

/** Members of a request that refer to context. */
const REQUEST_MEMBERS = ['previous_response_id', 'conversation', 'data_sources'] as const

const DATA_URL = /^data:([^,;]*)[^,]{0,200};base64,/i
const REMOTE_URL = /^\s*[a-z][a-z0-9+.-]{0,20}:\/\//i
const NOT_BASE64 = /[^A-Za-z0-9+/_=\r\n-]/
const TEXT_TYPE = /^(?:text\/|application\/(?:json|xml|x-ndjson)\b)/i

/**
 * Counts the prompt tokens of a request to a model: text by bytes, base64 media by the service's count.
 *
 * @param body as forwarded
 * @param bytes of `body` as compact JSON
 * @throws GatewayError INVALID_PAYLOAD that names the member, for references to context (a former response, a
 * conversation, a stored prompt or file, a remote URL) if the service sets no count for them, and for members misspelt
 * in case
 */
export function countPrompt(body: Value, bytes: number, terms: PromptTerms): PromptCount {
  const found = findMedia(body)
  const mediaTokens = found.mediaParts * terms.mediaTokens
  if (found.named !== null) {
    if (terms.contextTokens === null) throw unknownContext(found.named)
    return { promptTokens: terms.contextTokens, maxInputTokens: terms.contextTokens + mediaTokens }
  }
  const textBytes = bytes - found.mediaBytes
  const textTokens = Math.max(
    Math.ceil(textBytes / BYTES_PER_TOKEN),
    countIds(body.input) + countIds(body.prompt),
  )
  return {
    promptTokens: textTokens + TOKENS_PER_REQUEST + mediaTokens,
    maxInputTokens: textBytes + TOKENS_BESIDE_TEXT + mediaTokens,
  }
}

/** Tokens of a prompt that is given by their numbers: a list of them, or a list of such lists. */
function countIds(prompt: unknown): number {
  if (!Array.isArray(prompt)) return 0
  let ids = 0
  for (const item of prompt) {
    if (typeof item === 'number') ids += 1
    else if (Array.isArray(item)) for (const each of item) if (typeof each === 'number') ids += 1
  }
  return ids
}

/** An item of the Responses API. Clients that count on the provider's storage, as the AI SDK does, send references. */
const ITEM = /^input\.\d+\.id$/

function unknownContext(member: string): GatewayError {
  const refers = ITEM.test(member)
    ? 'Refers to a stored item of an earlier answer. Send the item itself, as clients do with store: false (in the AI SDK providerOptions: { openai: { store: false } })'
    : 'Refers to context of unknown size. Send the content itself'
  return invalid(member, `${refers}, or choose a service whose manifest has contextTokens.`)
}

function invalid(member: string, message: string): GatewayError {
  const path = `payload.body.${member}`
  return new GatewayError(
    'INVALID_PAYLOAD',
    { issues: [{ path, message }] },
    { message: `${path}: ${message}` },
  )
}

function findMedia(body: Value): Found {
  const found: Found = { mediaParts: 0, mediaBytes: 0, named: namedByRequest(body) }
  for (const name of PROMPT_MEMBERS) visit(body[name], [name], found)
  return found
}

/** Returns the member of a request that refers to stored context, or null. */
function namedByRequest(body: Value): string | null {
  const member = REQUEST_MEMBERS.find(name => isGiven(body[name]))
  if (member !== undefined) return member
  const { prompt } = body
  return isObject(prompt) && isGiven(prompt.id) ? 'prompt.id' : null
}

/** Adds the parts of a value, recursively. Nesting is bounded by that of request bodies. */
function visit(value: unknown, trail: Trail, found: Found): void {
  if (Array.isArray(value)) {
    const last = trail.push(0) - 1
    for (let index = 0; index < value.length; index += 1) {
      trail[last] = index
      if (typeof value[index] === 'object') visit(value[index], trail, found)
    }
    trail.pop()
  } else if (isObject(value)) {
    const names = Object.keys(value)
    // Most parts of a long list have nothing to read: a member that is missing takes longest to look up.
    const isRead = checkNames(names, trail)
    if (isRead) visitPart(value, trail, found)
    nameRemote(value, names, { trail, found })
    for (const name of isRead ? INNER_MEMBERS : []) {
      if (typeof value[name] !== 'object') continue
      trail.push(name)
      visit(value[name], trail, found)
      trail.pop()
    }
  }
}

/** Refuses a member whose name is read but for its case; returns true if any is read. */
function checkNames(names: readonly string[], trail: Readonly<Trail>): boolean {
  let isRead = false
  for (const name of names) {
    if (READ_MEMBERS.has(name)) isRead = true
    else {
      const meant = meaningOf(name)
      if (meant !== undefined)
        throw invalid([...trail, name].join('.'), `Unknown member. Did you mean "${meant}"?`)
    }
  }
  return isRead
}

function visitPart(part: Value, trail: Readonly<Trail>, found: Found): void {
  const name = (...members: string[]) => {
    found.named ??= [...trail, ...members].join('.')
  }
  for (const member of URL_MEMBERS) {
    const given = part[member]
    if (given === undefined) continue
    const [url, path] = isObject(given) ? [given.url, [member, 'url']] : [given, [member]]
    if (typeof url !== 'string' || url === '') continue
    if (/^data:/i.test(url)) countMedia(url, found)
    else name(...path)
  }
  for (const member of FILE_MEMBERS) if (isGiven(part[member])) name(member)
  if (isReference(part, trail)) name('id')
  if (part.type === 'url' && isGiven(part.url)) name('url')
  if (isObject(part.audio) && isGiven(part.audio.id)) name('audio', 'id')
  if (isRemote(part.file_data)) name('file_data')
  else countMedia(part.file_data, found)
  if (isObject(part.input_audio)) countMedia(part.input_audio.data, found)
  if (part.type === 'base64' && !TEXT_TYPE.test(String(part.media_type))) countMedia(part.data, found)
}

function nameRemote(
  part: Value,
  names: readonly string[],
  { trail, found }: { trail: Readonly<Trail>; found: Found },
): void {
  if (names.length === 0 || found.named !== null) return
  const isContent = trail.includes('content') || trail.includes('output')
  const path = isContent ? remotePathIn(part, names) : null
  if (path !== null) found.named = [...trail, ...path].join('.')
}

/** Returns the path of a remote URL in a content part, in a member of any name but those of text; null without any. */
function remotePathIn(part: Value, names: readonly string[]): readonly string[] | null {
  for (const member of names) {
    const value = part[member]
    if (TEXT_MEMBERS.has(member)) continue
    if (isRemote(value) || (Array.isArray(value) && value.some(isRemote))) {
      const isCited = SEARCH_RESULT.test(String(part.type)) && (member === 'url' || member === 'source')
      if (!isCited) return [member]
    }
    if (!isObject(value) || OPAQUE_MEMBERS.has(member)) continue
    const inner = remotePathIn(value, Object.keys(value))
    if (inner !== null) return [member, ...inner]
  }
  return null
}

/** Counts a text as media if it is base64, bare or in a data URL, of anything but text. */
function countMedia(text: unknown, found: Found): void {
  if (typeof text !== 'string') return
  const [head = '', type = ''] = DATA_URL.exec(text) ?? []
  const data = text.slice(head.length)
  if (data === '' || TEXT_TYPE.test(type) || NOT_BASE64.test(data)) return
  found.mediaParts += 1
  found.mediaBytes += text.length
}

/** Returns true if an item of `input` refers to a stored one; its type may be omitted (Responses API). */
function isReference({ type, id, role }: Value, [member, , ...inside]: Readonly<Trail>): boolean {
  if (member !== 'input' || inside.length > 0 || !isGiven(id)) return false
  return type === 'item_reference' || (!isGiven(type) && !isGiven(role))
}

const isRemote = (value: unknown): boolean => typeof value === 'string' && REMOTE_URL.test(value)

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
