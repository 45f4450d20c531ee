import { createServer, type IncomingMessage } from 'node:http'
import { verifyWebhook, type WebhookEvent, WebhookRefusal } from '@farebox/client/webhooks'

/** A receiver of webhooks: `WEBHOOK_SECRET=whsec_... node server.ts`; two secrets during a rotation, by a comma. */
const { WEBHOOK_SECRET = '', PORT = '8600' } = process.env
const secrets = WEBHOOK_SECRET.split(',').filter(secret => secret !== '')
if (secrets.length === 0 || secrets.some(secret => !secret.startsWith('whsec_'))) {
  process.stderr.write('Set WEBHOOK_SECRET to the secret (whsec_...) in the answer of POST /webhooks.\n')
  process.exit(1)
}

const BODY_BYTES_MAX = 65_536
const IDS_KEPT_MAX = 10_000
/** Deliveries that were taken, the oldest in front. A real receiver keeps these in its database. */
const taken = new Set<string>()

const server = createServer(async (request, response) => {
  try {
    const event = verifyWebhook({ headers: request.headers, body: await bodyOf(request) }, secrets)
    if (!taken.has(event.id)) act(event)
    remember(event.id)
    response.writeHead(204).end()
  } catch (error) {
    process.stderr.write(`refused: ${error instanceof Error ? error.message : error}\n`)
    // Whoever cannot prove to be the gateway learns nothing more.
    response.writeHead(error instanceof WebhookRefusal ? 401 : 400, { connection: 'close' }).end()
  }
})
server.listen(Number(PORT), () => process.stdout.write(`Listening on port ${PORT}\n`))

/** Answers must come within 15 seconds: what takes longer belongs into a queue. */
function act({ id, type, timestamp, data }: WebhookEvent): void {
  process.stdout.write(`${timestamp} ${type} ${id} ${JSON.stringify(data)}\n`)
}

function remember(id: string): void {
  taken.add(id)
  const [oldest] = taken
  if (taken.size > IDS_KEPT_MAX && oldest !== undefined) taken.delete(oldest)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new Error('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
