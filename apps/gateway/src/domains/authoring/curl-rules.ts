import { type CurlOption, optionByLetter, optionByName } from './curl-options-rules.ts'

/** A part of a command that was left out, and why. `option` as curl names it, or as written. */
export type Unsupported = { readonly option: string; readonly message: string }

/** A part of a form (`-F`). `value` is empty where it is in a file. */
export type FormField = { readonly name: string; readonly value: string; readonly isFile: boolean }

/** The request of a curl command, as far as it is known without running it. */
export type CurlRequest = {
  readonly url: string
  /** Upper case, as sent by curl. */
  readonly method: string
  /** In the order of the command, names as written; includes those of `-u`, `-b` and `-A`. */
  readonly headers: readonly { readonly name: string; readonly value: string; readonly from: string }[]
  /** The body, with its parts joined as by curl; null if there is none. */
  readonly body: string | null
  /** True if the option of the body implies JSON. */
  readonly isJson: boolean
  /** True if part of the body is in a file. */
  readonly hasFile: boolean
  /** By the header of that name; null when there is none. */
  readonly contentType: string | null
  readonly form: readonly FormField[]
  /** `-m`, in seconds. */
  readonly maxTimeSeconds: number | null
  readonly unsupported: readonly Unsupported[]
}

/** Why a draft cannot be made from words. */
export class CurlError extends Error {
  override readonly name = 'CurlError'
  /** Unusable part of the command, as curl names it or as written; null if there is none. */
  readonly option: string | null

  constructor(message: string, option: string | null = null) {
    super(message)
    this.option = option
  }
}

const HEADERS_MAX = 64
const FIELDS_MAX = 200
/** Words before `curl` that do not affect the request. */
const BEFORE_CURL = /^(?:sudo|time|command|env|\$|[A-Za-z_]\w*=.*)$/s
const CURL = /^(?:.*[/\\])?curl(?:\.exe)?$/

const WHY: Readonly<Record<string, string>> = {
  insecure: 'Certificates of targets are always checked.',
  location: 'Redirects are not followed: give the URL that they lead to.',
  'location-trusted': 'Redirects are not followed: give the URL that they lead to.',
}

const CLIENT_CERTIFICATE =
  'Targets get no client certificate; they verify the signature of the gateway instead.'
const CHALLENGED = 'A password that a server asks for cannot be sent; use a key or Basic authentication (-u).'
const SOCKET = 'Targets are called by host and port, not through a socket.'
/** Why an option makes calls impossible. */
const WHY_REFUSED: Readonly<Record<string, string>> = {
  'upload-file': 'A body that is a file cannot be sent; parts of a form can (-F).',
  'aws-sigv4': 'Requests are not signed for AWS; use your own proxy in between.',
  'request-target': 'The target of a request is that of its URL.',
  'unix-socket': SOCKET,
  'abstract-unix-socket': SOCKET,
  digest: CHALLENGED,
  ntlm: CHALLENGED,
  negotiate: CHALLENGED,
}

type Draft = {
  urls: string[]
  method: string | null
  headers: CurlRequest['headers'][number][]
  data: string[]
  isJson: boolean
  hasFile: boolean
  contentType: string | null
  isGet: boolean
  isHead: boolean
  query: string[]
  form: FormField[]
  maxTimeSeconds: number | null
  unsupported: Unsupported[]
}

/**
 * Parses the words of a curl command.
 *
 * @throws CurlError
 */
export function readCurl(words: readonly string[]): CurlRequest {
  const start = words.findIndex(word => !BEFORE_CURL.test(word))
  if (start === -1 || !CURL.test(words[start] ?? '')) throw new CurlError('Must be a curl command.')
  const draft: Draft = {
    urls: [],
    method: null,
    headers: [],
    data: [],
    isJson: false,
    hasFile: false,
    contentType: null,
    isGet: false,
    isHead: false,
    query: [],
    form: [],
    maxTimeSeconds: null,
    unsupported: [],
  }
  readArguments(draft, words.slice(start + 1))
  return requestOf(draft)
}

function readArguments(draft: Draft, given: readonly string[]): void {
  let isOptionsOver = false
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? ''
    if (isOptionsOver || !word.startsWith('-') || word === '-') {
      draft.urls.push(word)
    } else if (word === '--') {
      isOptionsOver = true
    } else {
      const takes = word.startsWith('--') ? readLong(draft, word) : readShort(draft, word)
      if (takes === null) continue
      at += 1
      const value = given[at]
      if (value === undefined) throw new CurlError(`${word} needs a value.`)
      apply(draft, takes, value, word)
    }
  }
}

/** @returns the option if its value is the next word */
function readLong(draft: Draft, word: string): CurlOption | null {
  const [name = '', inline] = split(word.slice(2), '=')
  const option = optionByName(name)
  if (option === undefined) {
    draft.unsupported.push({ option: `--${name}`, message: 'Unknown option.' })
    return null
  }
  if (!option.takesValue) apply(draft, option, '', word)
  else if (inline === undefined) return option
  else apply(draft, option, inline, `--${name}`)
  return null
}

/** Parses combined letters, `-sSXPOST`. @returns the option if its value is the next word */
function readShort(draft: Draft, word: string): CurlOption | null {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at)
    const option = optionByLetter(letter)
    if (option === undefined) {
      draft.unsupported.push({ option: `-${letter}`, message: 'Unknown option.' })
      return null
    }
    if (option.takesValue) {
      const rest = word.slice(at + 1)
      if (rest === '') return option
      apply(draft, option, rest, `-${letter}`)
      return null
    }
    apply(draft, option, '', `-${letter}`)
  }
  return null
}

function apply(draft: Draft, { name, fate }: CurlOption, value: string, written: string): void {
  if (fate === 'ignored') return
  if (fate === 'refused') throw new CurlError(WHY_REFUSED[name] ?? CLIENT_CERTIFICATE, written)
  if (fate === 'unsupported') {
    draft.unsupported.push({ option: written, message: WHY[name] ?? 'Not supported by the gateway.' })
    return
  }
  const header = (headerName: string, text: string) => addHeader(draft, headerName, text, written)
  switch (name) {
    case 'request':
      draft.method = value.toUpperCase()
      break
    case 'get':
      draft.isGet = true
      break
    case 'head':
      draft.isHead = true
      break
    case 'url':
      draft.urls.push(value)
      break
    case 'header':
      readHeader(draft, value, written)
      break
    case 'user':
      readUser(draft, value, written)
      break
    case 'oauth2-bearer':
      header('Authorization', `Bearer ${value}`)
      break
    case 'user-agent':
      header('User-Agent', value)
      break
    case 'referer':
      header('Referer', value)
      break
    case 'cookie':
      if (value.includes('=')) header('Cookie', value)
      else noFile(draft, written)
      break
    case 'max-time':
      draft.maxTimeSeconds = Number.isFinite(Number(value)) && Number(value) > 0 ? Number(value) : null
      break
    case 'url-query':
      draft.query.push(value.startsWith('+') ? value.slice(1) : encoded(value))
      break
    default:
      readData(draft, name, value, written)
  }
}

function readData(draft: Draft, name: string, value: string, written: string): void {
  const isFile = value.startsWith('@') || (name === 'data-urlencode' && /^[^=]*@/.test(value))
  if (name === 'form' || name === 'form-string') {
    const [field = '', content = ''] = split(value, '=')
    const isFile = name === 'form' && content.startsWith('@')
    const isText = name === 'form' && content.startsWith('<')
    if (isText) noFile(draft, written)
    const text = name === 'form' ? content.replace(/;(?:type|filename|encoder|headers)=.*$/s, '') : content
    const part = { name: field, value: isFile || isText ? '' : text, isFile }
    if (draft.form.length < FIELDS_MAX) draft.form.push(part)
  } else if (name === 'data-raw') {
    draft.data.push(value)
  } else if (isFile && name === 'data-binary') {
    throw new CurlError('A body that is a file cannot be sent; parts of a form can (-F).', written)
  } else if (isFile) {
    draft.hasFile = true
    noFile(draft, written)
  } else if (name === 'data-urlencode') {
    draft.data.push(encoded(value))
  } else {
    if (name === 'json') draft.isJson = true
    draft.data.push(value)
  }
}

function readHeader(draft: Draft, value: string, written: string): void {
  if (value.startsWith('@')) {
    noFile(draft, written)
    return
  }
  const match = /^([^:;]*)[:;]([\s\S]*)$/.exec(value)
  const [, name = '', text = ''] = match ?? []
  // `Name:` removes a header of curl's own, which the gateway does not send.
  if (name.trim() === '' || text.trim() === '') return
  if (name.trim().toLowerCase() === 'content-type') draft.contentType = text.trim()
  addHeader(draft, name.trim(), text.trim(), written)
}

function readUser(draft: Draft, value: string, written: string): void {
  if (value.includes(':')) addHeader(draft, 'Authorization', `Basic ${base64(value)}`, written)
  else draft.unsupported.push({ option: written, message: 'A password prompt is not supported.' })
}

function addHeader(draft: Draft, name: string, value: string, from: string): void {
  if (draft.headers.length < HEADERS_MAX) draft.headers.push({ name, value, from })
}

function noFile(draft: Draft, option: string): void {
  draft.unsupported.push({ option, message: 'Files are not read: give the content.' })
}

function requestOf(draft: Draft): CurlRequest {
  const [url, ...others] = draft.urls
  if (url === undefined) throw new CurlError('The command has no URL.')
  const unsupported = [...draft.unsupported]
  if (others.length > 0) {
    unsupported.push({ option: 'url', message: 'Only the first of several URLs is read.' })
  }
  const data = draft.data.length === 0 ? null : draft.data.join(draft.isJson ? '' : '&')
  const inQuery = [...draft.query, ...(draft.isGet && data !== null ? [data] : [])]
  const body = draft.isGet ? null : data
  const hasBody = body !== null || draft.form.length > 0 || (draft.hasFile && !draft.isGet)
  const { headers, isJson, hasFile, contentType, form, maxTimeSeconds } = draft
  return {
    url: withQuery(url, inQuery),
    method: draft.method ?? (draft.isHead ? 'HEAD' : hasBody ? 'POST' : 'GET'),
    headers,
    body,
    isJson,
    hasFile,
    contentType,
    form,
    maxTimeSeconds,
    unsupported,
  }
}

function withQuery(url: string, parts: readonly string[]): string {
  if (parts.length === 0) return url
  return `${url}${url.includes('?') ? '&' : '?'}${parts.join('&')}`
}

/** `content`, `=content` and `name=content`, as for `--data-urlencode`. */
function encoded(value: string): string {
  const [name = '', content] = split(value, '=')
  if (content === undefined) return encodeURIComponent(value)
  return name === '' ? encodeURIComponent(content) : `${name}=${encodeURIComponent(content)}`
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

/** Splits a text at the first occurrence of a character; without one the second part is undefined. */
function split(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at)
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)]
}
