import { isObject } from '@farebox/wire/common'
import { readEventJson, UNREAD } from '../provider/json-scan-rules.ts'
import { findUsageBlock, readUsage, readUsageBlock, type Usage } from './usage-rules.ts'

type Members = Readonly<Record<string, unknown>>
type Event = { readonly name: string; readonly data: string }

/** Reads the usage of a streamed answer as it passes. */
export type UsageMeter = {
  /** Takes the next event; requires all events in order. Never throws. */
  see(event: Event): void
  /** Returns true if an event's data ends OpenAI's streams. */
  isDone(data: string): boolean
  /** The final usage; null until there is one that is final and valid. */
  readonly usage: Usage | null
  /** True if the stream has ended properly, without an error of the provider. */
  readonly isWhole: boolean
  /** True if an event that may matter was too large to read. */
  readonly hasUnread: boolean
}

/** Rules of one format. */
type Reader = {
  /** Cheap test whether the event may matter; only then it is parsed. */
  matters(event: Event): boolean
  /** Takes a relevant event; `message` is its parsed data, null if that is no JSON object. */
  take(message: Members | null, event: Event): void
  /** Takes `[DONE]`. */
  finish(): void
  readonly usage: Usage | null
  readonly isWhole: boolean
}

/** Maximum choices of a chat completion, as at OpenAI. */
const CHOICES_MAX = 128

const COLON = 0x3a
const LETTER_N = 0x6e
const ZERO = 0x30

/** Returns true if an event's data is `[DONE]`, which ends OpenAI's streams. */
export const isDone = (data: string): boolean => data.length < 16 && data.trim() === '[DONE]'

/**
 * Returns true if JSON text has a member with this name, at any depth, whose value does not start with `except`.
 * Quotation marks in strings are escaped, so `"usage"` in a model's text does not match.
 */
function hasMember(text: string, quoted: string, except: number): boolean {
  for (let at = text.indexOf(quoted); at !== -1; at = text.indexOf(quoted, at + quoted.length)) {
    const colon = skipSpace(text, at + quoted.length)
    if (text.charCodeAt(colon) !== COLON) continue
    if (text.charCodeAt(skipSpace(text, colon + 1)) !== except) return true
  }
  return false
}

/**
 * Returns true if an event may report a failure of the provider: by its name, or by a member `error` that is not null.
 */
export const saysError = ({ name, data }: Event): boolean =>
  name === 'error' || hasMember(data, '"error"', LETTER_N)

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at += 1
  return at
}

/** Members of an event that readers take. */
const READ_MEMBERS = [
  'type',
  'error',
  'choices',
  'usage',
  'x_groq',
  'message.usage',
  'delta.stop_reason',
  'response.object',
  'response.status',
  'response.usage',
  'response.x_groq',
]

/** Returns the value of an event's data; null if it is not JSON. */
function parse(data: string): unknown {
  try {
    return readEventJson(data, READ_MEMBERS)
  } catch {
    return null
  }
}

const typeOf = (message: Members | null, event: Event): string =>
  typeof message?.type === 'string' ? message.type : event.name

/** Returns the format of a first message; null if it is not clear yet. */
function readerFor(message: Members | null, event: Event): Reader | null {
  if (message === null) return null
  const type = typeOf(message, event)
  if (type.startsWith('response.')) return createResponsesReader()
  if (type.startsWith('message_') || type.startsWith('content_block_')) return createMessagesReader()
  return Array.isArray(message.choices) || 'usage' in message ? createChatReader() : null
}

/**
 * Creates a meter for one stream: OpenAI chat completions, OpenAI responses or Anthropic messages, recognised by their
 * events. Invalid usage makes the result null, even after valid usage; decreasing counts are invalid.
 */
export function createUsageMeter(): UsageMeter {
  let reader: Reader | null = null
  let hasFailed = false
  let isEnded = false
  let hasUnread = false

  return {
    see(event) {
      if (event.data === '') return
      if (isDone(event.data)) {
        isEnded = true
        reader?.finish()
        return
      }
      hasFailed ||= event.name === 'error'
      if (reader !== null && !reader.matters(event)) return
      const value = parse(event.data)
      hasUnread ||= value === UNREAD
      const message = isObject(value) ? value : null
      reader ??= readerFor(message, event)
      hasFailed ||= isError(message, event)
      reader?.take(message, event)
    },
    isDone,
    get usage() {
      return reader?.usage ?? null
    },
    get isWhole() {
      return !hasFailed && (reader?.isWhole ?? isEnded)
    },
    get hasUnread() {
      return hasUnread
    },
  }
}

/** Returns true if a message reports a failure of the provider in mid-stream. */
function isError(message: Members | null, event: Event): boolean {
  const type = typeOf(message, event)
  return type === 'error' || type === 'response.failed' || (message?.error ?? null) !== null
}

/**
 * Chat completions: chunks with `choices`, then `[DONE]`. Usage is in a chunk with empty choices, in the last choice,
 * or cumulative in every chunk. The last one counts. It is final once every choice has its finish reason, in a chunk
 * without choices after those with some, or at `[DONE]`, and only if no more content follows. Azure starts with a chunk
 * without choices, which does not count.
 */
function createChatReader(): Reader {
  const unfinished = new Set([0])
  const finished = new Set<number>()
  let latest: Usage | null = null
  let highest: Pick<Usage, 'inputTokens' | 'outputTokens'> = { inputTokens: 0, outputTokens: 0 }
  let hasBlock = false
  let hasContent = false
  let isAlone = false
  let isStale = false
  let isEnded = false

  const isCrowded = (): boolean => unfinished.size + finished.size > CHOICES_MAX

  const takeChoices = (choices: readonly unknown[]): void => {
    for (const choice of choices) {
      if (!isObject(choice)) continue
      const index = typeof choice.index === 'number' ? choice.index : 0
      const isFinish = typeof choice.finish_reason === 'string' && choice.finish_reason !== ''
      if (isFinish && !isCrowded()) {
        unfinished.delete(index)
        finished.add(index)
      } else if (!finished.has(index) && !isCrowded()) unfinished.add(index)
      if (hasText(choice)) {
        hasContent = true
        isStale = true
      }
    }
  }

  const takeUsage = (message: Members, choices: unknown): void => {
    const usage = readUsage(message)
    const isFalling =
      usage !== null && (usage.inputTokens < highest.inputTokens || usage.outputTokens < highest.outputTokens)
    latest = isFalling ? null : usage
    if (latest !== null) highest = latest
    hasBlock = true
    isStale = false
    isAlone = hasContent && Array.isArray(choices) && choices.length === 0
  }

  return {
    matters({ data }) {
      const isCandidate = hasBlock || saysMore(data)
      if (!isCandidate) hasContent = true
      return isCandidate
    },
    take(message, { data }) {
      if (message === null) {
        // Invalid: the stated usage is unusable.
        if (hasMember(data, '"usage"', LETTER_N)) latest = null
        return
      }
      const choices = message.choices === UNREAD ? UNREAD_CHOICES : message.choices
      if (Array.isArray(choices)) takeChoices(choices)
      if ((findUsageBlock(message) ?? null) !== null) takeUsage(message, choices)
    },
    finish() {
      isEnded = true
    },
    get usage() {
      if (isStale || isCrowded()) return null
      return isEnded || isAlone || unfinished.size === 0 ? latest : null
    },
    get isWhole() {
      return isEnded
    },
  }
}

/** Choices that are too expensive to build: some content. */
const UNREAD_CHOICES = [{ text: 'unread' }]

/** Returns true if a chunk may contain more than text of the first choice. */
function saysMore(data: string): boolean {
  return (
    hasMember(data, '"usage"', LETTER_N) ||
    hasMember(data, '"finish_reason"', LETTER_N) ||
    hasMember(data, '"error"', LETTER_N) ||
    hasMember(data, '"index"', ZERO)
  )
}

/** Returns true if a choice of a chunk has content: anything in its delta but its role. */
function hasText(choice: Members): boolean {
  const { delta } = choice
  if (!isObject(delta)) return typeof choice.text === 'string' && choice.text !== ''
  return Object.entries(delta).some(
    ([key, value]) =>
      key !== 'role' && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
}

/** Final events of the Responses format. */
const RESPONSE_ENDS = ['response.completed', 'response.incomplete', 'response.failed']

/** Responses: the event that ends the response contains all of it, with usage. */
function createResponsesReader(): Reader {
  let latest: Usage | null = null
  let isEnded = false
  return {
    matters: ({ name, data }) =>
      RESPONSE_ENDS.includes(name) || data.includes('"response"') || data.includes('"error"'),
    take(message, event) {
      const type = typeOf(message, event)
      if (!RESPONSE_ENDS.includes(type)) return
      latest = readUsage(message?.response)
      isEnded ||= message !== null && type !== 'response.failed'
    },
    finish() {},
    get usage() {
      return latest
    },
    get isWhole() {
      return isEnded
    },
  }
}

/** Counts of Anthropic's usage that later events repeat. */
const RUNNING_COUNTS = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const

/**
 * Messages: `message_start` has the input and the first output, each `message_delta` the output so far and in newer
 * versions the input again. Final with the stop reason, or with `message_stop`.
 */
function createMessagesReader(): Reader {
  let counts: Members = {}
  let latest: Usage | null = null
  let isBroken = false
  let hasStarted = false
  let isStopped = false
  let isEnded = false

  /** Returns the counts updated by a block; null if it is invalid or counts decrease. */
  const merge = (block: Members, assumed: Members): { counts: Members; usage: Usage } | null => {
    const stated = Object.fromEntries(
      RUNNING_COUNTS.flatMap(name => ((block[name] ?? null) === null ? [] : [[name, block[name]]])),
    )
    const merged: Members = { ...counts, ...stated }
    const usage = readUsageBlock({ ...block, ...assumed, ...merged })
    if (usage === null) return null
    const isFalling = RUNNING_COUNTS.some(name => Number(merged[name] ?? 0) < Number(counts[name] ?? 0))
    return isFalling ? null : { counts: merged, usage }
  }

  const takeStart = (message: unknown): void => {
    isBroken ||= hasStarted
    hasStarted = true
    const block = isObject(message) ? (message.usage ?? null) : null
    if (block === null) return
    const merged = isObject(block) ? merge(block, { input_tokens: 0, output_tokens: 0 }) : null
    if (merged === null) isBroken = true
    else counts = merged.counts
  }

  const takeDelta = (message: Members | null): void => {
    const block = message?.usage
    const hasOutput = isObject(block) && (block.output_tokens ?? null) !== null
    const merged = hasOutput ? merge(block, {}) : null
    latest = merged?.usage ?? null
    if (merged !== null) counts = merged.counts
    const stop = isObject(message?.delta) ? message.delta.stop_reason : null
    isStopped ||= typeof stop === 'string'
  }

  return {
    matters: ({ name, data }) =>
      name.startsWith('message_') || data.includes('"message_') || data.includes('"error"'),
    take(message, event) {
      const type = typeOf(message, event)
      if (type === 'message_start') takeStart(message?.message)
      if (type === 'message_delta') takeDelta(message)
      if (type === 'message_stop') isEnded = true
    },
    finish() {},
    get usage() {
      return isBroken || !(isStopped || isEnded) ? null : latest
    },
    get isWhole() {
      return isEnded
    },
  }
}
