import { once } from 'node:events'
import { request } from 'node:http'
import { createSecureServer } from 'node:http2'
import { makeCertificate } from '../../gateway/test/kit/network/certificate.ts'

/** Headers of a connection, which HTTP/2 does not allow (RFC 9113, section 8.2.2). */
const OF_A_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'] as const

/**
 * Starts a proxy to a gateway on which Lighthouse can measure: HTTP/2 over TLS, as the proxies of `deploy/` serve
 * browsers. Its certificate is self-signed.
 *
 * Headless Chromium requests a document twice when the answer has a `Referrer-Policy`, and Lighthouse takes the first
 * request for a failure: the proxy removes that header. It passes all others that are not of the connection unchanged.
 *
 * @param gateway its URL
 */
export async function openMeasuredLine(gateway: string): Promise<{ url: string; stop(): Promise<void> }> {
  const sessions = new Set<{ destroy(): void }>()
  const server = createSecureServer(makeCertificate(1), (asked, answer) => {
    const headers = Object.fromEntries(
      Object.entries(asked.headers).filter(([name]) => !name.startsWith(':')),
    )
    headers.host = asked.authority
    const passed = request(new URL(asked.url, gateway), { method: asked.method, headers }, reported => {
      const { 'referrer-policy': _, ...given } = reported.headers
      for (const name of OF_A_CONNECTION) delete given[name]
      answer.writeHead(reported.statusCode ?? 502, given)
      reported.pipe(answer)
    })
    passed.on('error', () => answer.stream.destroy())
    asked.pipe(passed)
  })
  server.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The line has no port.')
  return {
    url: `https://127.0.0.1:${address.port}`,
    async stop() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
