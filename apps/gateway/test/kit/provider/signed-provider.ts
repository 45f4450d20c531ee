import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import {
  createVerifier,
  type ReceivedMessage,
  Refusal,
  type Verified,
  type VerifyOptions,
} from '@farebox/client/verify'
import { listen } from '../network/loopback.ts'

/** A received request and the verdict of the verifier. */
export type Judged = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly verified: Verified | null
  /** Reason of the refusal; null if the request was verified. */
  readonly refused: string | null
}

/** A provider that verifies every request with the package for providers and answers all of them. */
export type SignedProvider = {
  /** Its origin, without a trailing slash. */
  readonly url: string
  readonly seen: Judged[]
  /** The verifier, for messages made by a test. */
  judge(message: ReceivedMessage): Promise<Verified>
  stop(): Promise<void>
}

/** Starts one on a free loopback port. The gateway may start later. */
export async function startSignedProvider(
  gatewayUrl: string,
  options: Partial<VerifyOptions> & Pick<VerifyOptions, 'wallet'>,
): Promise<SignedProvider> {
  const seen: Judged[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const message = { method, url, headers, body: await buffer(request) }
    const verdict = await judge(message).then(
      verified => ({ verified, refused: null }),
      error => ({ verified: null, refused: error instanceof Refusal ? error.reason : String(error) }),
    )
    seen.push({ ...message, ...verdict })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"ok":true}')
  })
  const { origin: url, stop } = await listen(server)
  const judge = createVerifier({ gatewayUrl, publicUrl: url, ...options })

  return { url, seen, judge, stop }
}
