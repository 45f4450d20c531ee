import { once } from 'node:events'
import { createServer, request } from 'node:http'

/**
 * A line to a gateway on which its pages can be measured. Chromium without a window asks for a document twice when the
 * answer has a `Referrer-Policy`, whatever it says, and Lighthouse takes the first for a failure; so that header is taken
 * away. Everything else passes as it is.
 *
 * @param gateway its URL
 */
export async function openMeasuredLine(gateway: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    const passed = request(
      new URL(asked.url ?? '/', gateway),
      { method: asked.method, headers: asked.headers },
      told => {
        const { 'referrer-policy': _, ...headers } = told.headers
        answer.writeHead(told.statusCode ?? 502, headers)
        told.pipe(answer)
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
