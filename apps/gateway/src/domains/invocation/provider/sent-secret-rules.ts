/** Replacement of a secret or a part of one. */
const MARK = '[redacted]'
/** Minimum length of a secret that is searched: shorter ones occur in any text by chance ... */
const SECRET_LENGTH_MIN = 4
/** ... and minimum length of a part of one. */
const PART_LENGTH = 8
/** Maximum and minimum length of the start or end of a secret around a mask. */
const MASKED_LENGTH_MIN = 2

/** A word with masked characters, as in `sk-ab****wxyz`: the parts before and after the mask. */
const MASKED = /([A-Za-z0-9_.+/-]{0,64})(?:[*•…]+|\.{3,}|[xX]{4,})[*•….xX]*([A-Za-z0-9_.+/=-]{0,64})/g

/** Removes secrets that were sent to a provider from its texts. */
export type SecretFilter = (text: string) => string

/**
 * Creates a filter for the headers of a service, which contain its key at its provider. It removes each value: as sent,
 * without its scheme, in lower case, in base64, in URLs and in JSON; parts of eight characters and more; and words with
 * masked characters between its start and end.
 *
 * @param headers names and values that are sent to the provider
 */
export function secretFilter(headers: Readonly<Record<string, string>>): SecretFilter {
  const secrets = [...new Set(Object.values(headers).flatMap(secretsIn))].filter(
    secret => secret.length >= SECRET_LENGTH_MIN,
  )
  if (secrets.length === 0) return text => text
  const forms = secrets.flatMap(formsOf)
  const parts = new Set(forms.flatMap(partsOf))
  return text => cut(maskedIn(text, secrets), parts, forms)
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

function partsOf(form: string): string[] {
  const count = Math.max(0, form.length - PART_LENGTH + 1)
  return Array.from({ length: count }, (_, at) => form.slice(at, at + PART_LENGTH))
}

/** Removes masked words that begin or end like a secret. */
function maskedIn(text: string, secrets: readonly string[]): string {
  const all = secrets.map(lower)
  return text.replace(MASKED, (word, before: string, behind: string) => {
    const start = lower(before)
    const end = lower(behind)
    const isStart = start.length >= MASKED_LENGTH_MIN && all.some(secret => secret.startsWith(start))
    const isEnd = end.length >= MASKED_LENGTH_MIN && all.some(secret => secret.endsWith(end))
    return isStart || isEnd ? MARK : word
  })
}

/** Removes text that consists of parts, or equals an encoding too short to have parts. */
function cut(text: string, parts: ReadonlySet<string>, forms: readonly string[]): string {
  const source = lower(text)
  const isSecret = new Uint8Array(text.length)
  for (let at = 0; at + PART_LENGTH <= source.length; at += 1) {
    if (parts.has(source.slice(at, at + PART_LENGTH))) isSecret.fill(1, at, at + PART_LENGTH)
  }
  for (const form of forms.filter(({ length }) => length < PART_LENGTH)) {
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
