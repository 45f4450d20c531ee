import { randomBytes } from 'node:crypto'

/** Replacement of a secret or a part of one. */
const MARK = '[redacted]'
/** Minimum length of a secret that is searched: shorter ones occur in any text by chance. */
const SECRET_LENGTH_MIN = 4
/** Minimum length of a part of a secret that is searched. */
const PART_LENGTH = 8
/** Minimum and maximum length of the start or end of a secret beside a mask. */
const MASKED_LENGTH_MIN = 2
const MASKED_LENGTH_MAX = 64

/** Masked characters, as in `sk-ab****wxyz`, and the parts of a word before and after them. */
const MASK = /(?:[*•…]+|\.{3,}|[xX]{4,})[*•….xX]*/g
const BEFORE_MASK = /[\w.+/-]*$/
const BEHIND_MASK = /^[\w.+/=-]*/

/** Path and query of a URL as written. */
const PATH_AND_QUERY = /^[^:/?#]+:\/\/[^/?#]*([^?#]*)(?:\?([^#]*))?/
/** Separators of the texts in a path: slashes and placeholders. */
const PATH_GAP = /\/|\{[^{}]*\}/
/** A segment of a path that is a plain word or a version, as in 0032-endpoint-search.sql. */
const PLAIN_SEGMENT = /^(?=.{0,32}$)(?:[a-z]+(?:[-_.][a-z]+)*|v\d{1,3})$/
/** A short word or number, such as `json`. */
const PLAIN_VALUE = /^(?:[a-z]{0,7}|[\d.]{0,7})$/i

/** Removes secrets that were sent to a provider from its texts. */
export type SecretFilter = (text: string) => string

/** Headers and URLs that are sent to a provider, and may contain its keys. */
export type Sent = {
  readonly headers: Readonly<Record<string, string>>
  /** URLs of targets. */
  readonly urls: readonly string[]
}

/**
 * Creates a filter for what is sent to the targets of a service, which contains its key at its provider. It removes each
 * value: as sent, without its scheme, in lower case, in base64, in URLs and in JSON; parts of eight characters and more;
 * and words with masked characters between its start and end. The time of both steps grows with the length of what they
 * are given.
 */
export function secretFilter({ headers, urls }: Sent): SecretFilter {
  const values = [...Object.values(headers).flatMap(secretsIn), ...urls.flatMap(secretsInUrl)]
  // A secret never takes a line break with it: lines frame the events of a stream.
  const secrets = [...new Set(values)]
    .flatMap(secret => secret.split(/[\r\n]+/))
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
  if (secrets.length === 0) return text => text
  const forms = [...new Set(secrets.flatMap(formsOf))]
  const parts = createPartIndex(forms)
  const shortForms = forms.filter(({ length }) => length < PART_LENGTH)
  const withoutMasked = maskFilter(secrets.map(lower))
  return text => cut(withoutMasked(text), parts, shortForms)
}

/** Returns a header's value, the part after its scheme, and user and password of basic authentication (RFC 7617). */
function secretsIn(value: string): string[] {
  const [scheme = '', ...rest] = value.trim().split(/\s+/)
  const token = rest.join(' ')
  if (token === '') return [value.trim()]
  if (scheme.toLowerCase() !== 'basic') return [value.trim(), token]
  const pair = Buffer.from(token, 'base64').toString('utf8')
  return [value.trim(), token, pair, pair.slice(pair.indexOf(':') + 1)]
}

/**
 * Returns the values in the query of a target's URL and long segments of its path, as written and decoded, without plain
 * words: they are part of usual messages, and of JSON.
 */
function secretsInUrl(url: string): string[] {
  const [, path = '', query = ''] = PATH_AND_QUERY.exec(url) ?? []
  const segments = path
    .split(PATH_GAP)
    .filter(segment => segment.length >= PART_LENGTH && !PLAIN_SEGMENT.test(segment))
  const values = query
    .split('&')
    .map(parameter => parameter.slice(parameter.indexOf('=') + 1))
    .filter(value => !PLAIN_VALUE.test(value))
  return [...segments, ...values].flatMap(written => [written, decoded(written)])
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '))
  } catch {
    // Percent signs of another meaning.
    return written
  }
}

/** Returns the possible encodings of a secret. */
function formsOf(secret: string): string[] {
  const written = [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('/', '\\/'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]
  return [...new Set(written.map(lower))]
}

/** Lower case of ASCII only, so that positions stay the same. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())

/** Returns true if the characters of a text from a position on are a part of a secret. */
type PartIndex = (text: string, at: number) => boolean

/** Start value of the hash: unknown outside, so that nobody can choose parts with equal hashes. */
const SEED = randomBytes(4).readInt32LE()
const FACTOR = 0x9e3779b1

/** Creates a hash table of all parts of the forms: of their positions, as strings would take ten times the memory. */
function createPartIndex(forms: readonly string[]): PartIndex {
  const source = forms.join('')
  const bits = Math.ceil(Math.log2(2 * source.length))
  // Positions plus one; 0 is free. At most half of the slots are used.
  const slots = new Int32Array(2 ** bits)
  const slotOf = (text: string, at: number): number => {
    let hash = SEED
    for (let index = at; index < at + PART_LENGTH; index += 1)
      hash = Math.imul(hash ^ text.charCodeAt(index), FACTOR) ^ (hash >>> 15)
    for (let slot = hash >>> (32 - bits); ; slot = (slot + 1) % slots.length) {
      const found = slots[slot] ?? 0
      if (found === 0 || isSamePart(source, found - 1, text, at)) return slot
    }
  }
  let start = 0
  for (const { length } of forms) {
    for (let at = start; at + PART_LENGTH <= start + length; at += 1) slots[slotOf(source, at)] = at + 1
    start += length
  }
  return (text, at) => slots[slotOf(text, at)] !== 0
}

function isSamePart(one: string, at: number, other: string, otherAt: number): boolean {
  for (let index = 0; index < PART_LENGTH; index += 1)
    if (one.charCodeAt(at + index) !== other.charCodeAt(otherAt + index)) return false
  return true
}

/** Creates a filter that removes masked words that begin or end like a secret. @param secrets in lower case */
function maskFilter(secrets: readonly string[]): SecretFilter {
  const isStart = startFinder(secrets)
  const isReversedEnd = startFinder(secrets.map(reversed))
  return text => {
    let clean = ''
    let from = 0
    for (const { 0: mask, index } of text.matchAll(MASK)) {
      if (index < from) continue
      const end = index + mask.length
      const [before = ''] =
        BEFORE_MASK.exec(text.slice(Math.max(from, index - MASKED_LENGTH_MAX), index)) ?? []
      const [behind = ''] = BEHIND_MASK.exec(text.slice(end, end + MASKED_LENGTH_MAX)) ?? []
      const isSecret = isStart(lower(before)) || isReversedEnd(reversed(lower(behind)))
      clean += text.slice(from, index - before.length) + (isSecret ? MARK : before + mask + behind)
      from = end + behind.length
    }
    return clean + text.slice(from)
  }
}

const reversed = (text: string): string => [...text].reverse().join('')

/** Creates a binary search for secrets that begin with a text long enough. */
function startFinder(secrets: readonly string[]): (start: string) => boolean {
  const sorted = secrets.toSorted((one, other) => (one < other ? -1 : 1))
  return start => {
    let low = 0
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1
      if ((sorted[middle] ?? '') < start) low = middle + 1
      else high = middle
    }
    return start.length >= MASKED_LENGTH_MIN && sorted[low]?.startsWith(start) === true
  }
}

/** Removes text that consists of parts, or equals an encoding too short to have parts. */
function cut(text: string, isPart: PartIndex, shortForms: readonly string[]): string {
  const source = lower(text)
  const isSecret = new Uint8Array(text.length)
  for (let at = 0; at + PART_LENGTH <= source.length; at += 1) {
    if (isPart(source, at)) isSecret.fill(1, at, at + PART_LENGTH)
  }
  for (const form of shortForms) {
    for (let at = source.indexOf(form); at !== -1; at = source.indexOf(form, at + 1)) {
      isSecret.fill(1, at, at + form.length)
    }
  }
  let clean = ''
  for (let at = 0; at < text.length; at += 1) {
    if (isSecret[at] === 0) clean += text[at]
    else if (at === 0 || isSecret[at - 1] === 0) clean += MARK
  }
  return clean
}
