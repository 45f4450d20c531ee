import { isObject } from '@farebox/wire/common'

/**
 * Conversion of complete responses to streams. Some providers ignore a request for a stream; clients that wait for
 * events would find none in the response, and treat a paid answer as empty. Unknown members of the response are
 * forwarded where the API has a place for them.
 */

/** An event to write; `name` is empty if the API's events have none. */
export type ApiStreamEvent = { readonly name: string; readonly message: Members }

type Members = Readonly<Record<string, unknown>>

/** Returns the chunks of a chat completion, with its usage in the last. */
export function chatEvents(completion: Members): ApiStreamEvent[] {
  const { choices, usage, ...rest } = completion
  const chunk = (members: Members): ApiStreamEvent => ({
    name: '',
    message: { ...rest, object: 'chat.completion.chunk', ...members },
  })
  const said = listOf(choices)
  const deltas = said.map(({ message, finish_reason: _finish, ...choice }) => ({
    ...choice,
    delta: deltaOf(membersOf(message)),
    finish_reason: null,
  }))
  const ends = said.map(({ index, finish_reason }) => ({ index, delta: {}, finish_reason }))
  return [
    chunk({ choices: deltas }),
    chunk({ choices: ends }),
    ...(usage === undefined ? [] : [chunk({ choices: [], usage })]),
  ]
}

function deltaOf(message: Members): Members {
  const calls = message.tool_calls
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: listOf(calls).map((call, index) => ({ index, ...call })) }
}

/** Returns the chunks of a completion, with its usage in the last. */
export function completionEvents(completion: Members): ApiStreamEvent[] {
  const { choices, usage, ...rest } = completion
  const chunk = (members: Members): ApiStreamEvent => ({ name: '', message: { ...rest, ...members } })
  return [
    chunk({ choices: listOf(choices) }),
    ...(usage === undefined ? [] : [chunk({ choices: [], usage })]),
  ]
}

/** Final event of a response by its status; `completed` by default. */
const RESPONSE_ENDS: Readonly<Record<string, string>> = {
  incomplete: 'response.incomplete',
  failed: 'response.failed',
}

/** Returns the events of a response of the Responses API. */
export function responsesEvents(response: Members): ApiStreamEvent[] {
  const last = RESPONSE_ENDS[String(response.status)] ?? 'response.completed'
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const events: [string, Members][] = [
    ['response.created', { response: begun }],
    ...listOf(response.output).flatMap(itemEvents),
    [last, { response }],
  ]
  return events.map(([name, members], index) => ({
    name,
    message: { type: name, sequence_number: index, ...members },
  }))
}

function itemEvents(item: Members, outputIndex: number): [string, Members][] {
  const at = { output_index: outputIndex, item_id: item.id }
  const inner = item.type === 'function_call' ? argumentEvents(item, at) : partEvents(item, at)
  const begun = {
    ...item,
    ...('status' in item && { status: 'in_progress' }),
    ...(inner.length > 0 && (item.type === 'function_call' ? { arguments: '' } : { content: [] })),
  }
  return [
    ['response.output_item.added', { output_index: outputIndex, item: begun }],
    ...inner,
    ['response.output_item.done', { output_index: outputIndex, item }],
  ]
}

function argumentEvents(item: Members, at: Members): [string, Members][] {
  return [
    ['response.function_call_arguments.delta', { ...at, delta: item.arguments }],
    ['response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments }],
  ]
}

function partEvents(item: Members, at: Members): [string, Members][] {
  return listOf(item.content).flatMap((part, contentIndex): [string, Members][] => {
    const here = { ...at, content_index: contentIndex }
    const text: [string, Members][] =
      part.type === 'output_text'
        ? [
            ['response.output_text.delta', { ...here, delta: part.text, logprobs: [] }],
            ['response.output_text.done', { ...here, text: part.text, logprobs: [] }],
          ]
        : []
    const begun = text.length > 0 ? { ...part, text: '' } : part
    return [
      ['response.content_part.added', { ...here, part: begun }],
      ...text,
      ['response.content_part.done', { ...here, part }],
    ]
  })
}

/** Returns the events of a message of Anthropic's API. */
export function messageEvents(message: Members): ApiStreamEvent[] {
  const { stop_reason, stop_sequence = null, usage } = message
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null }
  const events: Members[] = [
    { type: 'message_start', message: begun },
    ...listOf(message.content).flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
  return events.map(event => ({ name: String(event.type), message: event }))
}

function blockEvents(block: Members, index: number): Members[] {
  const deltas = blockDeltas(block)
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } },
    ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** Returns the deltas of a block. Blocks of other types are sent completely at their start. */
function blockDeltas(block: Members): Members[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text_delta', text: block.text }]
    case 'tool_use':
    case 'server_tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) }]
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ]
    default:
      return []
  }
}

function emptied({ type }: Members): Members {
  if (type === 'text') return { text: '' }
  if (type === 'thinking') return { thinking: '', signature: '' }
  return type === 'tool_use' || type === 'server_tool_use' ? { input: {} } : {}
}

function listOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(membersOf) : []
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {}
}
