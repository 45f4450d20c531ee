import { once } from 'node:events'
import { createServer, request } from 'node:http'

/**
 * Starts a proxy to a gateway on which Lighthouse can measure. Headless Chromium requests a document twice when the
 * answer has a `Referrer-Policy`, and Lighthouse takes the first request for a failure. The proxy removes that header
 * and passes everything else unchanged.
 *
 * @param gateway its URL
 */
export async function openMeasuredLine(gateway: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    const passed = request(
      new URL(asked.url ?? '/', gateway),
      { method: asked.method, headers: asked.headers },
      reported => {
        const { 'referrer-policy': _, ...headers } = reported.headers
        answer.writeHead(reported.statusCode ?? 502, headers)
        reported.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The line has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
