import { createServer, type ServerResponse } from 'node:http'
import { type FareboxRequest, verifyFarebox } from '@farebox/client/express'

/**
 * A provider that serves nobody but its gateway, and only its own services:
 * `GATEWAY_URL=... PUBLIC_URL=... WALLET=0x... node server.ts`; for services signed by HMAC with
 * `SIGNING_SECRETS=sig_...:sigsec_...`, two of them by a comma.
 */
const {
  GATEWAY_URL = 'http://127.0.0.1:8402',
  PORT = '8500',
  WALLET = '',
  SIGNING_SECRETS = '',
} = process.env
if (WALLET === '') {
  process.stderr.write('Set WALLET to the address (0x...) of the wallet that registered your services.\n')
  process.exit(1)
}
const publicUrl = process.env.PUBLIC_URL ?? `http://127.0.0.1:${PORT}`

const secrets = Object.fromEntries(
  SIGNING_SECRETS.split(',')
    .filter(pair => pair !== '')
    .map(pair => pair.split(':') as [string, string]),
)

const verify = verifyFarebox({
  gatewayUrl: GATEWAY_URL,
  publicUrl,
  wallet: WALLET,
  secrets,
  refuseReplays: true,
})

const server = createServer((request: FareboxRequest, response) => {
  verify(request, response, error => {
    if (error === undefined) serve(request, response)
    else send(response, 400, { error: { reason: 'unreadable', message: 'The body is not JSON.' } })
  })
})
server.listen(Number(PORT), () => process.stdout.write(`Listening; reached as ${publicUrl}\n`))

function serve(request: FareboxRequest, response: ServerResponse): void {
  const invocationId = request.farebox?.invocationId ?? null
  // A health probe: signed like a call, and paid by nobody.
  if (invocationId === null) send(response, 200, { status: 'ok' })
  else send(response, 200, { invocationId, youSent: request.body ?? null })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
