import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import {
  createVerifier,
  type ReceivedMessage,
  Refusal,
  type Verified,
  type VerifyOptions,
} from '../../../examples/provider-verify/verify-farebox.ts'

/** A request as the provider got it, and what its verifier made of it. */
export type Judged = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly verified: Verified | null
  /** Reason of the refusal; null when it was believed. */
  readonly refused: string | null
}

/** A provider that judges every request by the example for providers, and answers all of them. */
export type SignedProvider = {
  /** Its origin, without a trailing slash. */
  readonly url: string
  readonly seen: Judged[]
  /** The verifier, for messages that a test makes up. */
  judge(message: ReceivedMessage): Promise<Verified>
  stop(): Promise<void>
}

/** Starts one on a free loopback port. The gateway may start after it: its URL is asked for when it is needed. */
export async function startSignedProvider(
  gatewayUrl: string,
  options: Partial<VerifyOptions> = {},
): Promise<SignedProvider> {
  const seen: Judged[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const message = { method, url, headers, body: Buffer.concat(chunks) }
    const verdict = await judge(message).then(
      verified => ({ verified, refused: null }),
      error => ({ verified: null, refused: error instanceof Refusal ? error.reason : String(error) }),
    )
    seen.push({ ...message, ...verdict })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"ok":true}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The provider has no port.')
  const url = `http://127.0.0.1:${address.port}`
  const judge = createVerifier({ gatewayUrl, publicUrl: url, ...options })

  return {
    ...{ url, seen, judge },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
