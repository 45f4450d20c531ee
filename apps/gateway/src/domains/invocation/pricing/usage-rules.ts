import { isObject } from '@farebox/wire/common'
import { TOKENS_MAX, type Usage } from '@farebox/wire/invocation'

export type { Usage } from '@farebox/wire/invocation'

type Members = Readonly<Record<string, unknown>>

/** Statuses of an unfinished OpenAI response: nothing in it is final. */
const UNFINISHED_RESPONSES: readonly unknown[] = ['queued', 'in_progress']
/** Input counts that Anthropic excludes from `input_tokens`. */
const CACHE_COUNTS = ['cache_creation_input_tokens', 'cache_read_input_tokens'] as const
/** Parts of the input, included in its count. */
const INPUT_PARTS = ['cached_tokens', 'audio_tokens'] as const
/** Parts of the output, included in its count. */
const OUTPUT_PARTS = [
  'reasoning_tokens',
  'thinking_tokens',
  'audio_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
] as const

const membersOf = (value: unknown): Members => (isObject(value) ? value : {})

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Returns a token count; NaN, which spoils every sum, for anything else. */
function count(value: unknown): number {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
  // A JSON -0 is 0.
  return isCount ? Math.abs(value) : Number.NaN
}

const countIfAny = (value: unknown): number => (isAbsent(value) ? 0 : count(value))

/** Returns true if no stated part exceeds the whole. */
function isWithin(details: unknown, parts: readonly string[], whole: number): boolean {
  if (isAbsent(details)) return true
  return isObject(details) && parts.every(part => countIfAny(details[part]) <= whole)
}

/** Counts of a block, with the cached parts of the input. */
type Counts = { input: number; output: number; cacheRead: number; cacheWrite: number }

/**
 * Returns the counts as usage if all are counts, and the stated total is one too. A total that differs from their sum
 * is kept beside them.
 */
function addUp({ input, output, cacheRead, cacheWrite }: Counts, total: unknown): Usage | null {
  const totalTokens = input + output
  const stated = isAbsent(total) ? totalTokens : count(total)
  if (!(totalTokens <= TOKENS_MAX && stated <= TOKENS_MAX && cacheRead + cacheWrite <= input)) return null
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(stated !== totalTokens && { statedTotalTokens: stated }),
  }
}

/** Returns the count of a part; 0 if it exceeds the whole, as then the provider means something else by it. */
function partOf(whole: number, value: unknown): number {
  const part = countIfAny(value)
  return part <= whole ? part : 0
}

/**
 * OpenAI chat completions: `prompt_tokens` includes cached tokens, `completion_tokens` reasoning tokens; xAI counts
 * reasoning separately, as its total shows. DeepSeek splits the prompt into cache hits and misses.
 */
function readChat(block: Members): Usage | null {
  const input = count(block.prompt_tokens)
  const completion = count(block.completion_tokens)
  const details = block.completion_tokens_details
  const reasoning = isObject(details) ? countIfAny(details.reasoning_tokens) : 0
  const isBeside = reasoning > 0 && block.total_tokens === input + completion + reasoning
  const output = isBeside ? completion + reasoning : completion
  const { prompt_cache_hit_tokens: hits, prompt_cache_miss_tokens: misses } = block
  const split = countIfAny(hits) + countIfAny(misses)
  const isSplitRight = isAbsent(hits) || isAbsent(misses) ? split <= input : split === input
  if (!isSplitRight || !isWithin(block.prompt_tokens_details, INPUT_PARTS, input)) return null
  if (!isWithin(details, OUTPUT_PARTS, output)) return null
  const { cached_tokens, cache_write_tokens } = membersOf(block.prompt_tokens_details)
  // Proxies of Anthropic's models behind this API leave its members in.
  const cacheRead = partOf(input, cached_tokens ?? hits ?? block.cache_read_input_tokens)
  const cacheWrite = partOf(input - cacheRead, cache_write_tokens ?? block.cache_creation_input_tokens)
  return addUp({ input, output, cacheRead, cacheWrite }, block.total_tokens)
}

/**
 * OpenAI responses and Anthropic messages, which share their names: OpenAI includes the cache in `input_tokens`
 * (`input_tokens_details`, `total_tokens`), Anthropic does not (`cache_*`), unless a stated total shows that it is
 * included. A block with tokens in Anthropic's members and marks of OpenAI is ambiguous and rejected.
 */
function readTokens(block: Members): Usage | null {
  const written = countIfAny(block.cache_creation_input_tokens)
  const read = countIfAny(block.cache_read_input_tokens)
  const cached = written + read
  const details = block.input_tokens_details
  const stated = count(block.input_tokens)
  const output = count(block.output_tokens)
  const isBeside = !(cached <= stated && block.total_tokens === stated + output)
  const input = isBeside ? stated + cached : stated
  if (cached > 0 && !isAbsent(details)) return null
  if (!isBreakdownRight(block.cache_creation, written)) return null
  if (!isWithin(details, INPUT_PARTS, input)) return null
  if (!isWithin(block.output_tokens_details, OUTPUT_PARTS, output)) return null
  const { cached_tokens, cache_write_tokens } = membersOf(details)
  const cacheRead = read + countIfAny(cached_tokens)
  const cacheWrite = written + partOf(input - cacheRead, cache_write_tokens)
  return addUp({ input, output, cacheRead, cacheWrite }, block.total_tokens)
}

/** Returns true if Anthropic's `cache_creation`, tokens written to the cache by lifetime, adds up to their number. */
function isBreakdownRight(breakdown: unknown, written: number): boolean {
  if (isAbsent(breakdown)) return true
  if (!isObject(breakdown)) return false
  const parts = Object.keys(breakdown).filter(key => key.endsWith('_input_tokens'))
  return parts.length === 0 || parts.reduce((sum, key) => sum + countIfAny(breakdown[key]), 0) === written
}

/** The gateway's own names, for usage reports. */
const readOwn = (block: Members): Usage | null => {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, totalTokens } = block
  const cache = { cacheRead: countIfAny(cacheReadTokens), cacheWrite: countIfAny(cacheWriteTokens) }
  return addUp({ input: count(inputTokens), output: count(outputTokens), ...cache }, totalTokens)
}

/** Readers of a block, by the members that it must have. */
const READERS = [
  { names: ['prompt_tokens', 'completion_tokens'], read: readChat },
  { names: ['input_tokens', 'output_tokens'], read: readTokens },
  { names: ['inputTokens', 'outputTokens'], read: readOwn },
] as const

/**
 * Reads a usage object in the format of OpenAI chat completions, OpenAI responses, Anthropic messages or the gateway
 * (`inputTokens`, `outputTokens`, optional `cacheReadTokens`, `cacheWriteTokens` and `totalTokens`). Null members count
 * as absent, an explicit 0 is 0. Counts in two formats at once must agree.
 *
 * @returns null unless valid: both counts present, whole, not negative, at most {@link TOKENS_MAX}, no part greater
 * than its whole. A stated total that differs from their sum is returned as `statedTotalTokens`
 */
export function readUsageBlock(block: unknown): Usage | null {
  if (!isObject(block)) return null
  const readings = READERS.filter(({ names }) => names.some(name => !isAbsent(block[name]))).map(({ read }) =>
    read(block),
  )
  const [first] = readings
  if (first === undefined || first === null) return null
  const isAgreed = readings.every(
    other => other?.inputTokens === first.inputTokens && other.outputTokens === first.outputTokens,
  )
  return isAgreed ? first : null
}

/**
 * Finds the usage object in an answer or a chunk. Groq also has it in `x_groq`.
 *
 * @returns undefined or null if there is none
 */
export function findUsageBlock(answer: Members): unknown {
  return answer.usage ?? (isObject(answer.x_groq) ? answer.x_groq.usage : undefined)
}

/** The usage of embeddings with an output of 0; some state nothing but the total. */
function withoutOutput(block: Members): Members {
  if (!isAbsent(block.input_tokens)) return { ...block, output_tokens: block.output_tokens ?? 0 }
  const { prompt_tokens, total_tokens, completion_tokens } = block
  return { ...block, prompt_tokens: prompt_tokens ?? total_tokens, completion_tokens: completion_tokens ?? 0 }
}

/**
 * Reads the final usage of a provider's complete answer, parsed: an OpenAI chat completion, response, completion or
 * embeddings, or an Anthropic message.
 *
 * @param hasOutput false for embeddings, whose usage states the input only
 * @returns null if there is no valid one, see {@link readUsageBlock}
 */
export function readUsage(answer: unknown, hasOutput = true): Usage | null {
  if (!isObject(answer)) return null
  const found = findUsageBlock(answer)
  const block = hasOutput || !isObject(found) ? found : withoutOutput(found)
  if (answer.object === 'response') {
    if (UNFINISHED_RESPONSES.includes(answer.status)) return null
    // Unknown format: it is unclear whether `input_tokens` includes them.
    if (isObject(block) && CACHE_COUNTS.some(name => countIfAny(block[name]) !== 0)) return null
  }
  return readUsageBlock(block)
}
