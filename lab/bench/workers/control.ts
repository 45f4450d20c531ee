import fastify from 'fastify'
import { Pool } from 'undici'
import { announce } from './worker-process.ts'

/**
 * The gateway is compared with this proxy, the plainest in the same stack. It parses the caller's JSON, sends
 * the payload on by undici and hands the answer back. No credential, no price, no money, no database.
 */

/** Connections that may wait to be accepted: a thousand callers come nearly at once. */
const BACKLOG = 4_096

const [upstreamUrl] = process.argv.slice(2)
if (upstreamUrl === undefined) throw new Error('Usage: control.ts <upstream url>')
const pool = new Pool(new URL(upstreamUrl).origin)
const path = new URL(upstreamUrl).pathname

const app = fastify({ logger: false })
app.post<{ Body: { payload: { body: unknown } } }>('/call', async (request, reply) => {
  const answer = await pool.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(request.body.payload.body),
  })
  const text = await answer.body.text()
  return reply
    .code(answer.statusCode)
    .header('content-type', answer.headers['content-type'] ?? 'application/json')
    .send(text)
})
await app.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG })
announce(app.server.address())
