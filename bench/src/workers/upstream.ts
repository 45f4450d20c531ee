import { createServer, type IncomingMessage } from 'node:http'
import { announce } from './announce.ts'

/**
 * The provider: bare node:http that parses the JSON it is sent and answers with about 200 bytes of JSON, which
 * repeat the number it was asked, so that a caller can tell its own answer from another's.
 */

/** A kept connection must not be closed under a call, so it is kept longer than any round lasts. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000
const NOTE = 'A fare is taken once, whoever asks how often. '.repeat(3)

const server = createServer(async (request, response) => {
  const body = await textOf(request)
  const asked: unknown = body === '' ? null : JSON.parse(body)
  const number = typeof asked === 'object' && asked !== null && 'number' in asked ? asked.number : null
  const answer = Buffer.from(JSON.stringify({ ok: true, number, note: NOTE }))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
  response.end(answer)
})
server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
server.listen(0, '127.0.0.1', () => announce(server.address()))

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
