import { isObject } from '@farebox/wire/common'

/** Estimated bytes of model text per token; an event with text has at least one. */
const BYTES_PER_TOKEN = 3
/** Maximum length of a parsed event, in characters; a longer one counts in full. */
const PARSED_LENGTH_MAX = 65_536
/** Maximum depth of inspected members of a delta. */
const DEPTH_MAX = 8
/** Members of a delta that the model did not write. */
const LABELS: ReadonlySet<string> = new Set(['role', 'type', 'id', 'stop_reason', 'stop_sequence'])

/** Estimates the output of a streamed answer as it passes, for a stream whose usage never arrives. */
export type OutputTally = {
  /** Takes the data of the next event. Never throws. */
  see(data: string): void
  /** Tokens of the text so far, rounded up. */
  readonly tokens: number
}

/** Creates a tally for one stream of OpenAI (chat completions, completions, responses) or Anthropic messages. */
export function createOutputTally(): OutputTally {
  let bytes = 0
  let events = 0
  return {
    see(data) {
      const more = data.length > PARSED_LENGTH_MAX ? data.length : textBytesOf(data)
      bytes += more
      if (more > 0) events += 1
    },
    get tokens() {
      return Math.max(events, Math.ceil(bytes / BYTES_PER_TOKEN))
    },
  }
}

function textBytesOf(data: string): number {
  if (!data.includes('"delta"') && !data.includes('"text"')) return 0
  try {
    const message: unknown = JSON.parse(data)
    if (!isObject(message)) return 0
    const choices = Array.isArray(message.choices) ? message.choices.filter(isObject) : []
    const said = [message.delta, ...choices.map(({ delta, text }) => delta ?? text)]
    return said.reduce<number>((sum, part) => sum + bytesIn(part, DEPTH_MAX), 0)
  } catch {
    return 0
  }
}

/** Returns the UTF-8 bytes of all text in a value. */
function bytesIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null || depth === 0) return 0
  return Object.entries(value).reduce(
    (sum, [name, member]) => (LABELS.has(name) ? sum : sum + bytesIn(member, depth - 1)),
    0,
  )
}
