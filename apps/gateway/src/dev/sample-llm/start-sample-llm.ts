import type { IncomingMessage, ServerResponse } from 'node:http'
import { BODY_BYTES_MAX, readBody, type SampleProvider, startSampleServer } from '../samples/sample-server.ts'
import { chatCompletions } from './chat-completions.ts'
import { complete } from './complete.ts'
import { completions } from './completions.ts'
import { type Dialect, Refusal } from './dialect.ts'
import { embeddings } from './embeddings.ts'
import { messages, messageTokens } from './messages.ts'
import { type Speed, startPace } from './pace.ts'
import { responses } from './responses.ts'
import { hangUpSignal, sendEvents, sendJson } from './send-answer.ts'
import { loadTokenizer } from './tokenizer.ts'

const DIALECTS: readonly Dialect[] = [
  chatCompletions,
  responses,
  completions,
  embeddings,
  messages,
  messageTokens,
]
const HEALTH_PATHS = ['/', '/health']

/** Returns the API at a path, or null. */
export function dialectAt(path: string): Dialect | null {
  return DIALECTS.find(dialect => dialect.path === path) ?? null
}

/**
 * Starts the sample LLM provider of development mode: `/v1/chat/completions`, `/v1/responses`, `/v1/completions`,
 * `/v1/embeddings` (OpenAI), `/v1/messages` and its `count_tokens` (Anthropic), complete or streamed, with tokens counted
 * by a real tokenizer. Its text is derived from the prompt. GET on these, `/` or `/health` is a health check.
 *
 * @param portFile stores its port for the next start; null: any port
 */
export function startSampleLlm(portFile: string | null, speed: Speed): Promise<SampleProvider> {
  return startSampleServer((request, response) => answer(request, response, speed), portFile)
}

async function answer(request: IncomingMessage, response: ServerResponse, speed: Speed): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://sample')
  const dialect = dialectAt(pathname)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && (dialect !== null || HEALTH_PATHS.includes(pathname))) {
    sendJson(response, 200, { status: 'ok' })
    return
  }
  try {
    if (dialect === null) throw new Refusal(404, `There is no ${request.method} ${pathname}.`)
    if (request.method !== 'POST') throw new Refusal(405, `${pathname} takes POST.`)
    const text = await readBody(request)
    if (text === null) {
      response.setHeader('connection', 'close')
      throw new Refusal(413, `A body must have at most ${BODY_BYTES_MAX} bytes.`)
    }
    await answerPrompt(response, { dialect, text, speed })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    sendJson(response, error.status, (dialect ?? chatCompletions).error(error))
  }
}

async function answerPrompt(
  response: ServerResponse,
  input: { dialect: Dialect; text: string; speed: Speed },
): Promise<void> {
  const { dialect, text, speed } = input
  const ask = dialect.read(jsonOf(text))
  const completion = complete(ask, await loadTokenizer())
  if (ask.isStream) {
    await sendEvents(response, dialect.events(completion), speed)
    return
  }
  await startPace(speed, hangUpSignal(response))(completion.outputTokens)
  sendJson(response, 200, dialect.whole(completion))
}

/** @throws Refusal if it is not JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The body is not JSON.')
  }
}
