import { createServer, type IncomingMessage } from 'node:http'
import { announce } from './announce.ts'
import { CHAT_ID_PREFIX } from './chat.ts'

/**
 * The provider: bare node:http that parses the JSON it is sent and answers with about 200 bytes of JSON, which
 * repeat the number it was asked, so that a caller can tell its own answer from another's. Asked for a chat completion,
 * it answers with one of about the same length; the number comes as the end user's name then.
 */

/** A kept connection must not be closed under a call, so it is kept longer than any round lasts. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000
/** Connections that may wait to be accepted: a thousand callers come nearly at once. */
const BACKLOG = 4_096
const NOTE = 'A fare is taken once, whoever asks how often. '.repeat(3)

type Asked = { readonly number?: number; readonly messages?: unknown; readonly user?: string }

const server = createServer(async (request, response) => {
  const body = await textOf(request)
  const { messages, user, number = null } = (body === '' ? {} : JSON.parse(body)) as Asked
  const answer = Buffer.from(
    JSON.stringify(messages === undefined ? { ok: true, number, note: NOTE } : completion(user)),
  )
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
  response.end(answer)
})
server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => announce(server.address()))

function completion(number: string | undefined) {
  const message = { role: 'assistant', content: 'They will.' }
  return {
    id: `${CHAT_ID_PREFIX}${number}`,
    object: 'chat.completion',
    created: 1_795_000_000,
    model: 'bench',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
  }
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.once('end', () => resolve(text))
    request.once('error', reject)
  })
}
