import type { EventStream } from '@farebox/client'
import { readObject } from '@farebox/client/errors'
import { printForeign, printJson } from '../terminal/output.ts'

type ServerEvent = EventStream extends AsyncIterable<infer Event> ? Event : never
type Json = Record<string, unknown>

/** Prints the events of a stream. */
export type EventPrinter = {
  event(event: ServerEvent): void
  /** Ends the last line. */
  end(): void
}

/** Returns a printer for people: the text of a model as it comes; other events as they are, one a line. */
export function createTextPrinter(isModel: boolean): EventPrinter {
  let isAtLineStart = true
  return {
    event({ data }) {
      const text = isModel ? textOf(readObject(data)) : data === '[DONE]' ? '' : `${data}\n`
      if (text === '') return
      isAtLineStart = text.endsWith('\n')
      printForeign(text)
    },
    end() {
      if (!isAtLineStart) process.stdout.write('\n')
    },
  }
}

/** Returns a printer for programs: one JSON object a line. */
export function createJsonPrinter(): EventPrinter {
  return {
    event({ event, data }) {
      if (data !== '[DONE]') printJson({ event, data: readObject(data) ?? data })
    },
    end() {},
  }
}

/** Returns the text that an event of OpenAI's or Anthropic's streams adds; an empty one if it adds none. */
function textOf(event: Json | null): string {
  if (event === null) return ''
  const { choices, type, delta } = event
  if (Array.isArray(choices)) return choices.map(choiceText).join('')
  if (type === 'response.output_text.delta' && typeof delta === 'string') return delta
  if (type === 'content_block_delta') return memberText(delta, 'text')
  return ''
}

/** Returns the text of a whole answer by OpenAI's chat completions or Anthropic's messages; undefined for others. */
export function answerTextOf(answer: Json): string | undefined {
  const { choices, content } = answer
  const parts = Array.isArray(choices)
    ? choices.map((each: Json) => memberText(each.message, 'content'))
    : content
  if (!Array.isArray(parts)) return undefined
  return parts.map(part => (typeof part === 'string' ? part : memberText(part, 'text'))).join('') || undefined
}

function choiceText(choice: Json): string {
  return memberText(choice.delta, 'content') + memberText(choice, 'text')
}

function memberText(of: unknown, name: string): string {
  const value = typeof of === 'object' && of !== null ? (of as Json)[name] : undefined
  return typeof value === 'string' ? value : ''
}
