/** What is put for a secret, or a part of one. */
const MARK = '[redacted]'
/** Shortest secret that is looked for: what is shorter is in any text by chance ... */
const SECRET_LENGTH_MIN = 4
/** ... and shortest part of one. */
const PART_LENGTH = 8
/** Longest start or end of a secret that is looked for around a mask, and shortest. */
const MASKED_LENGTH_MIN = 2

/** A word in which characters are masked, as in `sk-ab****wxyz`: what stands before the mask, and behind it. */
const MASKED = /([A-Za-z0-9_.+/-]{0,64})(?:[*•…]+|\.{3,}|[xX]{4,})[*•….xX]*([A-Za-z0-9_.+/=-]{0,64})/g

/** Cuts secrets that were sent to a provider out of what it says. */
export type SecretFilter = (text: string) => string

/**
 * Makes a filter for the headers of a service, which hold its key at its provider. It cuts out each value, as it was
 * sent, without its scheme, in lower case, as base64, in a URL and in JSON; parts of eight characters and more; and words
 * whose masked characters stand between a start and an end of it.
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

/** A header's value; what follows its scheme; and of basic authentication user and password (RFC 7617). */
function secretsIn(value: string): string[] {
  const [scheme = '', ...rest] = value.trim().split(/\s+/)
  const token = rest.join(' ')
  if (token === '') return [value.trim()]
  if (scheme.toLowerCase() !== 'basic') return [value.trim(), token]
  const pair = Buffer.from(token, 'base64').toString('utf8')
  return [value.trim(), token, pair, pair.slice(pair.indexOf(':') + 1)]
}

/** How a secret may be written. */
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

/** In lower case as far as ASCII goes, so that places stay where they are. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())

function partsOf(form: string): string[] {
  const count = Math.max(0, form.length - PART_LENGTH + 1)
  return Array.from({ length: count }, (_, at) => form.slice(at, at + PART_LENGTH))
}

/** The text without masked words that begin or end as a secret does. */
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

/** The text without anything that consists of parts, or is a form that is too short to have any. */
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
