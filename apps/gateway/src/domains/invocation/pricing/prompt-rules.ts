import { GatewayError } from '@farebox/wire/errors'

/** Text is taken to have a token for so many bytes ... */
const BYTES_PER_TOKEN = 3
/** ... and so many more for what every request brings along. */
const TOKENS_PER_REQUEST = 16
/** Input tokens that may be charged beyond one for each byte of text. */
const TOKENS_BESIDE_TEXT = 1_024

/** What a service counts for the parts of a prompt that are no text. */
export type PromptTerms = {
  /** Tokens of an image, a sound or a file that is sent in base64. */
  readonly mediaTokens: number
  /** Tokens of a prompt that names context; null: such a prompt is refused. */
  readonly contextTokens: number | null
}

/** What the prompt of a request counts, in tokens. */
export type PromptCount = {
  /** What the hold counts. */
  readonly promptTokens: number
  /** Most input tokens that can be charged. */
  readonly maxInputTokens: number
}

/** What a prompt holds beside text. */
type Found = { mediaParts: number; mediaBytes: number; named: string | null }
type Value = Readonly<Record<string, unknown>>

/** Members that hold the URL of a part, in the APIs of OpenAI and those that follow it. */
const URL_MEMBERS = ['image_url', 'video_url', 'audio_url', 'file_url'] as const
/** Members that name stored files. */
const FILE_MEMBERS = ['file_id', 'file_ids', 'vector_store_ids'] as const
/** Members that hold parts, or parts of parts. Arguments of tools are the caller's own JSON and not looked into. */
const INNER_MEMBERS = ['content', 'output', 'file', 'source', 'container', 'input_image_mask'] as const
/** Members of a request that hold its prompt. */
const PROMPT_MEMBERS = ['messages', 'input', 'system', 'instructions', 'tools'] as const

const DATA_URL = /^data:([^,;]*)[^,]{0,200};base64,/i
const REMOTE_URL = /^[a-z][a-z0-9+.-]{0,20}:\/\//i
const NOT_BASE64 = /[^A-Za-z0-9+/_=\r\n-]/
const TEXT_TYPE = /^(?:text\/|application\/(?:json|xml|x-ndjson)\b)/i

/**
 * Counts the prompt of a request to a model: text by its bytes, media parts in base64 by what the service says.
 *
 * @param body as it is forwarded
 * @param bytes of `body` as compact JSON
 * @throws GatewayError INVALID_PAYLOAD that names the member, for what only names context (a former response, a
 *   conversation, a stored prompt or file, a remote URL), when the service does not say what such a prompt counts
 */
export function countPrompt(body: Value, bytes: number, terms: PromptTerms): PromptCount {
  const found = findMedia(body)
  const mediaTokens = found.mediaParts * terms.mediaTokens
  if (found.named !== null) {
    if (terms.contextTokens === null) throw unknownContext(found.named)
    return { promptTokens: terms.contextTokens, maxInputTokens: terms.contextTokens + mediaTokens }
  }
  const textBytes = bytes - found.mediaBytes
  return {
    promptTokens: Math.ceil(textBytes / BYTES_PER_TOKEN) + TOKENS_PER_REQUEST + mediaTokens,
    maxInputTokens: textBytes + TOKENS_BESIDE_TEXT + mediaTokens,
  }
}

function unknownContext(member: string): GatewayError {
  const path = `payload.body.${member}`
  const message =
    'Names context whose size the gateway cannot know. Send the content itself, or choose a service whose manifest has contextTokens.'
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

/** The member of a request that stands for context kept elsewhere; null when there is none. */
function namedByRequest({ previous_response_id, conversation, prompt }: Value): string | null {
  if (isGiven(previous_response_id)) return 'previous_response_id'
  if (isGiven(conversation)) return 'conversation'
  return isObject(prompt) && isGiven(prompt.id) ? 'prompt.id' : null
}

/** Adds what a value and its parts hold. Nesting is bounded by that of request bodies. */
function visit(value: unknown, trail: string[], found: Found): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) within(String(index), trail, () => visit(item, trail, found))
  } else if (isObject(value)) {
    visitPart(value, trail, found)
    for (const name of INNER_MEMBERS) {
      if (typeof value[name] === 'object') within(name, trail, () => visit(value[name], trail, found))
    }
  }
}

function within(name: string, trail: string[], look: () => void): void {
  trail.push(name)
  look()
  trail.pop()
}

function visitPart(part: Value, trail: readonly string[], found: Found): void {
  const name = (...members: string[]) => {
    found.named ??= [...trail, ...members].join('.')
  }
  for (const member of URL_MEMBERS) {
    const given = part[member]
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

/** Counts a text as a media part when it is base64, bare or in a data URL, of anything but text. */
function countMedia(text: unknown, found: Found): void {
  if (typeof text !== 'string') return
  const [head = '', type = ''] = DATA_URL.exec(text) ?? []
  const data = text.slice(head.length)
  if (data === '' || TEXT_TYPE.test(type) || NOT_BASE64.test(data)) return
  found.mediaParts += 1
  found.mediaBytes += text.length
}

/** Whether an item of `input` stands for one that is kept elsewhere; its type may be left out (Responses API). */
function isReference({ type, id, role }: Value, [member, , ...inside]: readonly string[]): boolean {
  if (member !== 'input' || inside.length > 0 || !isGiven(id)) return false
  return type === 'item_reference' || (!isGiven(type) && !isGiven(role))
}

const isRemote = (value: unknown): boolean => typeof value === 'string' && REMOTE_URL.test(value)

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
