import { mayBeBuilt } from '../provider/json-scan-rules.ts'
import { findUsageBlock, isObject, readUsage, readUsageBlock, type Usage } from './usage-rules.ts'

type Members = Readonly<Record<string, unknown>>
type Event = { readonly name: string; readonly data: string }

/** Reads the usage of a streamed answer while it passes by. */
export type UsageMeter = {
  /** Takes the next event; every one of the stream, in order. Never throws. */
  see(event: Event): void
  /** Whether an event's data is the mark that ends OpenAI's streams. */
  isDone(data: string): boolean
  /** The final usage; null as long as there is none that is final and plainly right. */
  readonly usage: Usage | null
  /** Whether the stream has come to its own proper end, without an error of the provider in it. */
  readonly isWhole: boolean
}

/** What is special to one of the formats. */
type Reader = {
  /** A cheap look whether the event can matter; only then it is parsed. */
  matters(event: Event): boolean
  /** Takes an event that matters; `message` is its data parsed, null when that is no JSON object. */
  take(message: Members | null, event: Event): void
  /** Takes `[DONE]`. */
  finish(): void
  readonly usage: Usage | null
  readonly isWhole: boolean
}

/** Most choices of a chat completion, as OpenAI has it. */
const CHOICES_MAX = 128

const COLON = 0x3a
const LETTER_N = 0x6e
const ZERO = 0x30

/** Whether an event's data is `[DONE]`, with which OpenAI's streams end. */
export const isDone = (data: string): boolean => data.length < 16 && data.trim() === '[DONE]'

/**
 * Whether JSON text has a member of that name, at any depth, with a value that does not start with `except`. A
 * quotation mark within a string is escaped, so `"usage"` as text of a model is never taken for a member.
 */
function hasMember(text: string, quoted: string, except: number): boolean {
  for (let at = text.indexOf(quoted); at !== -1; at = text.indexOf(quoted, at + quoted.length)) {
    const colon = skipSpace(text, at + quoted.length)
    if (text.charCodeAt(colon) !== COLON) continue
    if (text.charCodeAt(skipSpace(text, colon + 1)) !== except) return true
  }
  return false
}

/** Whether an event may be the provider's word that it failed: by its name, or by a member `error` that is not null. */
export const saysError = ({ name, data }: Event): boolean =>
  name === 'error' || hasMember(data, '"error"', LETTER_N)

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at += 1
  return at
}

/** The object that an event's data says; null when it says none, or one that is too dear to build. */
function parse(data: string): Members | null {
  if (!mayBeBuilt(data)) return null
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const typeOf = (message: Members | null, event: Event): string =>
  typeof message?.type === 'string' ? message.type : event.name

/** The format that a first message is of; null when that cannot be told yet. */
function readerFor(message: Members | null, event: Event): Reader | null {
  if (message === null) return null
  const type = typeOf(message, event)
  if (type.startsWith('response.')) return createResponsesReader()
  if (type.startsWith('message_') || type.startsWith('content_block_')) return createMessagesReader()
  return Array.isArray(message.choices) || 'usage' in message ? createChatReader() : null
}

/**
 * Makes a meter for one stream: OpenAI chat completions, OpenAI responses or Anthropic messages, told apart by the
 * events. A usage that is unclear makes it null, also after a clear one; counts that fall are unclear.
 */
export function createUsageMeter(): UsageMeter {
  let reader: Reader | null = null
  let hasFailed = false
  let isEnded = false

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
      const message = parse(event.data)
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
  }
}

/** Whether a message is the provider's word that it failed in mid-stream. */
function isError(message: Members | null, event: Event): boolean {
  const type = typeOf(message, event)
  return type === 'error' || type === 'response.failed' || (message?.error ?? null) !== null
}

/**
 * Chat completions: chunks with `choices`, then `[DONE]`. Usage comes in a chunk of its own with empty choices, or
 * with the last choice, or running in every chunk. The last one counts. It is final when every choice has its
 * finish reason, or in a chunk without choices after those with some, or at `[DONE]`; and only as long as no more
 * content comes. Azure starts with a chunk without choices, which is not that.
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
        // Broken: what it said of the usage is not known.
        if (hasMember(data, '"usage"', LETTER_N)) latest = null
        return
      }
      const { choices } = message
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

/** Whether a chunk may say more than a piece of the first choice's text. */
function saysMore(data: string): boolean {
  return (
    hasMember(data, '"usage"', LETTER_N) ||
    hasMember(data, '"finish_reason"', LETTER_N) ||
    hasMember(data, '"error"', LETTER_N) ||
    hasMember(data, '"index"', ZERO)
  )
}

/** Whether a choice of a chunk brings content: anything in its delta but its role. */
function hasText(choice: Members): boolean {
  const { delta } = choice
  if (!isObject(delta)) return typeof choice.text === 'string' && choice.text !== ''
  return Object.entries(delta).some(
    ([key, value]) =>
      key !== 'role' && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
}

/** Events of the Responses format with which a response ends. */
const RESPONSE_ENDS = ['response.completed', 'response.incomplete', 'response.failed']

/** Responses: the event that ends the response has the whole of it, usage included. */
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

/** Counts of Anthropic's usage that later events of a stream repeat. */
const RUNNING_COUNTS = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const

/**
 * Messages: `message_start` has the input and the first of the output, each `message_delta` the output so far and
 * in newer versions the input again. Final with the stop reason, or with `message_stop`.
 */
function createMessagesReader(): Reader {
  let counts: Members = {}
  let latest: Usage | null = null
  let isBroken = false
  let hasStarted = false
  let isStopped = false
  let isEnded = false

  /** The block on top of the counts so far; null when it is unclear in itself or by falling counts. */
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
