import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseUsdc } from '@farebox/money'
import { reachGateway } from './gateway.ts'
import { createNarrator } from './narrator.ts'
import { takeTour } from './story.ts'

/** Price per call of the tour's own service, in USDC. */
const PRICE = parseUsdc('0.05')

/** The tour's own service, which counts its calls. */
async function serveFortunes() {
  const calls = { count: 0 }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.method === 'POST') calls.count += 1
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ fortune: 'A meter that is read twice is still billed once.', number: calls.count }),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The service of the tour has no port.')
  return { url: `http://127.0.0.1:${address.port}/fortune`, calls, close: () => server.close() }
}

if (process.argv.some(each => each === '--help' || each === '-h')) {
  process.stdout.write(`Usage: npm run tour

Deposits, mints a credential, sells and calls a service, and withdraws, on a development gateway: that of FAREBOX_URL, else
the one at http://127.0.0.1:8402, else one started for the tour.
`)
  process.exit()
}

/** Takes the tour, on a gateway that it starts if none answers. */
async function tour(): Promise<void> {
  const print = (message: string) => process.stdout.write(`${message}\n`)
  const gateway = await reachGateway(process.env.FAREBOX_URL, print)
  const fortunes = await serveFortunes()
  try {
    await takeTour({ url: gateway.url, narrator: createNarrator(), fortunes, price: PRICE })
    print('\nThe tour is complete: every amount was right to the micro-dollar.')
  } finally {
    fortunes.close()
    await gateway.stop()
  }
}

try {
  await tour()
} catch (error) {
  process.stderr.write(`\nThe tour failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
