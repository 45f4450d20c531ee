import { type Folded, fold } from './folding-rules.ts'

/** Kinds of redacted text. */
export type SecretKind =
  | 'email'
  | 'credential'
  | 'jwt'
  | 'privatekey'
  | 'seedphrase'
  | 'signature'
  | 'cardnumber'
  | 'pem'

/** Position of a secret in a text, in UTF-16 code units. */
export type Secret = { readonly kind: SecretKind; readonly start: number; readonly end: number }

/** Returns the replacement of a secret. */
export const markOf = (kind: SecretKind): string => `[redacted:${kind}]`
const MARK = /\[redacted:[a-z]+\]/g

/** Words of seed phrases (BIP-39). */
export type SeedWords = ReadonlySet<string>

/**
 * All patterns take linear time: an unbounded repetition is followed by nothing that can fail, or cannot start inside
 * itself.
 */
const patterns: readonly (readonly [SecretKind, RegExp])[] = [
  // The gateway's own tokens and signing secrets, and voucher codes, which are money.
  ['credential', /(?:agt|psk|whsec|whsk|sigsec)_[A-Za-z0-9+/_-]{16,}={0,2}/gi],
  ['credential', /FBX(?:[\s-]?[0-9A-HJKMNP-TV-Z]{4}){7}/gi],
  // JWS: three parts of base64url, the first of which starts as a JSON object does (RFC 7519); or JWE with five (RFC
  // 7516).
  ['jwt', /(?<![\w-])e(?:yJ|yA|wo|w0|wk)[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*){1,4}/g],
  // Keys of other providers.
  ['credential', /(?<![A-Za-z0-9])(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}/g],
  ['credential', /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}/g],
  [
    'credential',
    /(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AIza|ya29\.|hf_|gsk_|xai-|pplx-|r8_|SG\.|dop_v1_|shpat_|AGE-SECRET-KEY-1)[A-Za-z0-9_.-]{16,}/g,
  ],
  ['credential', /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}/g],
  // Text labelled as a secret. Only the first group, the secret itself, is cut.
  ['credential', /bearer\s{1,4}((?=[A-Za-z0-9+/._~=-]{0,64}\d)[A-Za-z0-9+/._~=-]{16,})/dgi],
  [
    'credential',
    /(?:[Aa]uthorization|AUTHORIZATION)["']?\s{0,3}[:=]\s{0,3}["']?(?:[Bb]asic\s{1,4}|[Bb]earer\s{1,4}|[Tt]oken\s{1,4})?((?=[a-z+/._~-]{0,64}[0-9A-Z=])[A-Za-z0-9+/._~=-]{8,})/dg,
  ],
  [
    'credential',
    /(?:password|passwd|passphrase|pwd|mnemonic|client[_ -]?secret|secret[_ -]?(?:access[_ -]?)?key|private[_ -]?key|api[_ -]?key)["']?\s{0,3}[:=]\s{0,3}["']?([^\s"',;]{4,})/dgi,
  ],
  // The username may be an email address.
  ['credential', /:\/\/([^\s/:]{0,100}:[^\s/@]{1,200})@/dg],
  [
    'email',
    /[\w.+-]{1,64}\s{0,2}[[(]\s?at\s?[\])]\s{0,2}[\w-]{1,63}(?:\s{0,2}(?:\.|[[(]\s?dot\s?[\])])\s{0,2}[\w-]{1,63}){1,5}/gi,
  ],
]

/** Finds text that looks like a secret; prefers false positives. Skips earlier replacements. Results may overlap. */
export function findSecrets(source: string, words: SeedWords): Secret[] {
  const folded = fold(source)
  return secretsOf(folded, words).map(({ kind, start, end }) => ({
    kind,
    ...folded.sourceOf({ start, end }),
  }))
}

function secretsOf({ text }: Folded, words: SeedWords): Secret[] {
  const found = patterns.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(match => {
      const [start, end] = match.indices?.[1] ?? [match.index, match.index + match[0].length]
      return { kind, start, end }
    }),
  )
  const marks = new Set(Array.from(text.matchAll(MARK), ({ index }) => index))
  const secrets = [
    ...found.filter(({ start, end }) => !(marks.has(start) && text.indexOf(']', start) === end - 1)),
    ...findPem(text),
    ...findEmails(text),
    ...findCards(text),
    ...findSeedPhrases(text, words),
  ]
  return [...secrets, ...findHex(text, linesBetween(text, secrets))]
}

/** Replaces secrets and earlier replacements by line breaks, so that their contents do not serve as context. */
function linesBetween(text: string, secrets: readonly Secret[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end } of secrets.toSorted((a, b) => a.start - b.start)) {
    if (end <= at) continue
    parts.push(text.slice(at, start), '\n'.repeat(end - Math.max(at, start)))
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('').replaceAll(MARK, mark => '\n'.repeat(mark.length))
}

const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{1,40}-----/g
const PEM_TAIL = /-----END [A-Z0-9 ]{1,40}-----/g
/** Separates joined texts; see redaction-rules.ts. Does not occur in messages. */
export const TEXT_END = '\u0001'

/** Finds PEM blocks (RFC 7468). An unterminated one extends to the end of the text. */
function findPem(text: string): Secret[] {
  const found: Secret[] = []
  let from = 0
  let isTailAhead = true
  for (const { index } of text.matchAll(PEM_HEAD)) {
    if (index < from) continue
    PEM_TAIL.lastIndex = index
    const tail: RegExpExecArray | null = isTailAhead ? PEM_TAIL.exec(text) : null
    isTailAhead = tail !== null
    const stop = text.indexOf(TEXT_END, index)
    const open = stop === -1 ? text.length : stop
    from = tail === null ? open : tail.index + tail[0].length
    found.push({ kind: 'pem', start: index, end: from })
  }
  return found
}

const AT = /@|%40/g
const LOCAL_LENGTH_MAX = 128
const DOMAIN_LENGTH_MAX = 253
const LOCAL = /[\p{L}\p{M}\p{N}._%+'~!#$*^{|}-]/u
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u
const TOP_LEVEL = /\.[\p{L}][\p{L}\p{M}\p{N}-]*$/u

/** Finds email addresses, searching from the @ in both directions. */
function findEmails(text: string): Secret[] {
  const found: Secret[] = []
  let from = 0
  for (const { index, 0: at } of text.matchAll(AT)) {
    const start = walk(text, {
      from: index,
      to: Math.max(from, index - LOCAL_LENGTH_MAX),
      step: -1,
      over: LOCAL,
    })
    const after = index + at.length
    const reach = walk(text, { from: after, to: after + DOMAIN_LENGTH_MAX, step: 1, over: DOMAIN })
    const domain = text.slice(after, reach).replace(/[.-]{1,9}$/, '')
    const quoted = start === index && text[index - 1] === '"' ? text.lastIndexOf('"', index - 2) : -1
    const begin = quoted >= Math.max(from, index - LOCAL_LENGTH_MAX) ? quoted : start
    const top = TOP_LEVEL.exec(domain)
    if (begin === index || top === null || top[0].length < 3 || top.index === 0) continue
    from = after + domain.length
    found.push({ kind: 'email', start: begin, end: from })
  }
  return found
}

/** Returns the end of a run of characters of one kind. */
function walk(text: string, way: { from: number; to: number; step: 1 | -1; over: RegExp }): number {
  const { to, step, over } = way
  let at = way.from
  while (at !== to) {
    const character = text[step === 1 ? at : at - 1]
    // Surrogate pairs count as letters.
    if (character === undefined || !(over.test(character) || /[\ud800-\udfff]/.test(character))) break
    at += step
  }
  return at
}

const HEX = /(0[xX])?([0-9a-fA-F]{64,})/g
const KEY_DIGITS = 64
const SIGNATURE_DIGITS = 128
const NAME_LENGTH_MAX = 48
const NAMES_HASH =
  /(?:(?<![a-z])(?:txn?|txs|block|receipt)|transactions?|hash|hashes|txid|digest|root|nonce|topics?)(?![a-z])[^\n]{0,24}$/
const NAMES_KEY = /key|priv|secret|seed|sign|mnemonic|wallet/

/**
 * Finds private keys and signatures in hex. Transaction hashes have the same form; they are kept only with 0x and if
 * the preceding text calls them a hash and does not mention keys.
 *
 * @param names the text that may serve as context; see {@link linesBetween}
 */
function findHex(text: string, names: string): Secret[] {
  const found: Secret[] = []
  for (const match of text.matchAll(HEX)) {
    const { index: start, 0: whole, 1: prefix, 2: digits = '' } = match
    const before = names.slice(Math.max(0, start - NAME_LENGTH_MAX), start).toLowerCase()
    const name = before.slice(before.lastIndexOf('\n') + 1)
    const isHash =
      prefix !== undefined && digits.length === KEY_DIGITS && NAMES_HASH.test(name) && !NAMES_KEY.test(name)
    if (isHash) continue
    const kind = digits.length >= SIGNATURE_DIGITS ? 'signature' : 'privatekey'
    found.push({ kind, start, end: start + whole.length })
  }
  return found
}

const NUMBER = /\d(?:[ -]{0,2}\d){12,}/g
const CARD_DIGITS_MIN = 13
const CARD_DIGITS_MAX = 19

/** Finds numbers of payment cards (ISO/IEC 7812): 13 to 19 digits, in whole groups, with a valid check digit. */
function findCards(text: string): Secret[] {
  const found: Secret[] = []
  for (const { index, 0: number } of text.matchAll(NUMBER)) {
    const places = [...number.matchAll(/\d/g)].map(digit => digit.index)
    const digits = places.map(place => Number(number[place]))
    const beginsGroup = (at: number) => at === 0 || places[at] !== (places[at - 1] ?? 0) + 1
    for (let first = 0; first + CARD_DIGITS_MIN <= digits.length; first += 1) {
      if (!beginsGroup(first) || !isIssued(digits[first])) continue
      for (let count = CARD_DIGITS_MAX; count >= CARD_DIGITS_MIN; count -= 1) {
        const next = first + count
        if (next > digits.length || !(next === digits.length || beginsGroup(next))) continue
        if (!fitsLuhn(digits.slice(first, next))) continue
        const end = index + (places[next - 1] ?? 0) + 1
        found.push({ kind: 'cardnumber', start: index + (places[first] ?? 0), end })
        break
      }
    }
  }
  return found
}

/** Returns true if a card number may start with this digit. Payment networks use 2 to 6. */
function isIssued(digit: number | undefined): boolean {
  return digit !== undefined && digit >= 2 && digit <= 6
}

/** Verifies the check digit of ISO/IEC 7812-1, annex B. */
function fitsLuhn(digits: readonly number[]): boolean {
  const sum = digits.reduceRight((total, digit, index) => {
    const isDoubled = (digits.length - index) % 2 === 0
    const value = isDoubled ? digit * 2 : digit
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const WORD = /[\p{L}\p{M}]+/gu
const SEED_WORDS_MIN = 12
const SEED_GAP_MAX = 24

/**
 * Finds seed phrases (BIP-39: 12, 15, 18, 21 or 24 words): at least as many consecutive words of the list, however
 * numbered and separated. No sentence has as many without an "and" or a "the".
 */
export function findSeedPhrases(text: string, words: SeedWords): Secret[] {
  const found: Secret[] = []
  let run = { start: 0, end: 0, count: 0 }
  const close = () => {
    if (run.count >= SEED_WORDS_MIN) found.push({ kind: 'seedphrase', start: run.start, end: run.end })
    run = { start: 0, end: 0, count: 0 }
  }
  for (const { index, 0: word } of text.matchAll(WORD)) {
    if (index - run.end > SEED_GAP_MAX) close()
    if (!words.has(word.toLowerCase())) close()
    else if (run.count === 0) run = { start: index, end: index + word.length, count: 1 }
    else run = { start: run.start, end: index + word.length, count: run.count + 1 }
  }
  close()
  return found
}
