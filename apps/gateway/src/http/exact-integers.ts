import { randomUUID } from 'node:crypto'

/** Digits of the integers that are kept: all shorter ones are exact, and longer ones take more than linear time. */
const DIGITS_MIN = 16
const DIGITS_MAX = 100
/** A long integer between the signs of JSON; texts may hold one, too. */
const LONG_INTEGER = /[[:,\s]-?[1-9]\d{15,99}\s*[,\]}]/

/** What Node has and the types of its JSON do not name. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

/**
 * Returns the value of a JSON text, with each integer that a number would round as a bigint. Takes linear time.
 *
 * @param parsed the value by JSON.parse, which is returned if it is exact
 */
export function withExactIntegers(text: string, parsed: unknown): unknown {
  if (!LONG_INTEGER.test(text)) return parsed
  // No text of a caller begins with it, however it is escaped.
  const mark = `${randomUUID()}:`
  const pieces: string[] = []
  // Some clients send a byte order mark; `parsed` was read without it (RFC 8259, 8.1).
  let end = text.startsWith('\ufeff') ? 1 : 0
  for (const [from, to] of inexactIntegers(text)) {
    pieces.push(text.slice(end, from), '"', mark, text.slice(from, to), '"')
    end = to
  }
  if (pieces.length === 0) return parsed
  const marked: unknown = JSON.parse(pieces.join('') + text.slice(end))
  return replaced(marked, leaf =>
    typeof leaf === 'string' && leaf.startsWith(mark) ? BigInt(leaf.slice(mark.length)) : leaf,
  )
}

/** Returns a value as JSON, a bigint as the integer that it is. */
export function exactJson(value: unknown): string {
  return JSON.stringify(replaced(value, leaf => (typeof leaf === 'bigint' ? rawJSON(String(leaf)) : leaf)))
}

/** Returns a value with the nearest number for each bigint, for code that knows numbers only. */
export function roundIntegers<Value>(value: Value): Value {
  return replaced(value, leaf => (typeof leaf === 'bigint' ? Number(leaf) : leaf)) as Value
}

/** Yields where the integers of a JSON text begin and end that a number would round. */
function* inexactIntegers(text: string): Generator<readonly [from: number, to: number]> {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === MINUS || isDigit(code)) {
      const from = at
      while (isOfNumber(text.charCodeAt(at + 1))) at += 1
      if (isInexact(text.slice(from, at + 1))) yield [from, at + 1]
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Returns true for digits, and `+`, `-`, `.`, `e` and `E`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || code === 0x45 || code === 0x65

const isInexact = (number: string): boolean =>
  number.length >= DIGITS_MIN &&
  number.length <= DIGITS_MAX &&
  /^-?\d+$/.test(number) &&
  String(Number(number)) !== number

/** Returns a JSON value with other leaves. What has none that changes is returned as it is, anything else is copied. */
function replaced(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return change(value)
  if (Array.isArray(value)) return replacedItems(value, change)
  const members = value as Readonly<Record<string, unknown>>
  let copy: Record<string, unknown> | null = null
  for (const name of Object.keys(members)) {
    const next = replaced(members[name], change)
    if (next === members[name]) continue
    copy ??= Object.assign({}, members)
    copy[name] = next
  }
  return copy ?? value
}

function replacedItems(items: readonly unknown[], change: (leaf: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let at = 0; at < items.length; at += 1) {
    const next = replaced(items[at], change)
    if (next === items[at]) continue
    copy ??= items.slice()
    copy[at] = next
  }
  return copy ?? items
}
