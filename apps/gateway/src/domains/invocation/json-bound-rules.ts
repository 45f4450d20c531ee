/** Bounds of JSON text that is parsed, validated and passed on. */
export type JsonBounds = {
  /** Most arrays and objects that are open at once. */
  readonly depthMax: number
  /** Most values: objects, arrays and what is in them. */
  readonly nodesMax: number
}

/** Bounds of what a provider sends. */
export const PROVIDER_JSON: JsonBounds = { depthMax: 64, nodesMax: 100_000 }

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20

/**
 * Whether JSON text goes beyond bounds, told in one pass over its characters that ends at the first excess: what would
 * be expensive to parse never is. Of text that is no JSON, the answer means nothing.
 */
export function exceedsJsonBounds(text: string, { depthMax, nodesMax }: JsonBounds): boolean {
  let depth = 0
  let nodes = 1
  let isFirst = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= SPACE) continue
    if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth -= 1
      isFirst = false
      continue
    }
    if (code === COMMA || isFirst) {
      nodes += 1
      if (nodes > nodesMax) return true
    }
    isFirst = code === OPEN_ARRAY || code === OPEN_OBJECT
    if (isFirst) {
      depth += 1
      if (depth > depthMax) return true
    } else if (code === QUOTE) at = endOfString(text, at)
  }
  return false
}

/** Where a string that begins at a quotation mark ends; the end of the text when it does not. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return at
}
