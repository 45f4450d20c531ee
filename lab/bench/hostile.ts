import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { usdc } from '@farebox/money'
import { createApi } from './api.ts'
import { freshWallet, registerService } from './market.ts'
import { readMemory } from './memory.ts'
import type { BenchGateway } from './site.ts'

/** Largest answer that calls itself JSON, in bytes, and most values in it: what a gateway takes by default. */
const BYTES_MAX = 2 * 1_048_576
const NODES_MAX = 100_000
/** Calls one after another, of which the median counts; the first are not counted. */
const ROUNDS = 7
const WARMUP_ROUNDS = 2
const AT_ONCE = 50
/** Longest wait for an answer, in ms: fifty at once share what processors there are. */
const TIMEOUT_MS = 120_000

/** An answer that is dear to read, and what must become of it. */
type HostileAnswer = { readonly name: string; readonly text: string; readonly isTaken: boolean }

const listed = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join(',')

const ANSWERS: readonly HostileAnswer[] = [
  { name: 'empty arrays, 2 MiB', text: `[${'[],'.repeat(BYTES_MAX / 3 - 2)}[]]`, isTaken: false },
  { name: 'nested arrays, 2 MiB', text: '['.repeat(BYTES_MAX - 1), isTaken: false },
  { name: 'too many numbers, 2 MiB', text: `[${'1,'.repeat(BYTES_MAX / 2 - 2)}1]`, isTaken: false },
  { name: '99,000 names', text: `{${listed(NODES_MAX - 1_000, i => `"name ${i}":1`)}}`, isTaken: true },
  { name: '49,000 shapes', text: `[${listed(NODES_MAX / 2 - 1_000, i => `{"a${i}":1}`)}]`, isTaken: true },
  { name: '99,000 numbers', text: `[${listed(NODES_MAX - 1_000, i => `${i / 7}`)}]`, isTaken: true },
  { name: 'escaped text, 2 MiB', text: `{"a":"${'\\u0041'.repeat((BYTES_MAX - 8) / 6)}"}`, isTaken: true },
]

/** What one kind of answer does to others. */
export type HostileLine = {
  readonly answer: string
  readonly isTaken: boolean
  /** Longest `GET /health` beside one such answer, in ms: the median of some rounds. */
  readonly oneMs: number
  /** Longest beside 50 at once, in ms; and the highest memory of the gateway until then, in MiB. */
  readonly crowdMs: number
  readonly peakMiB: number
}

/** Figures of a gateway whose provider answers as dearly as it can. */
export type HostileFigures = {
  readonly atOnce: number
  /** `GET /health` of a gateway at rest, the longest of a second, in ms. */
  readonly restMs: number
  readonly lines: readonly HostileLine[]
  /** Resident memory of the gateway at first, in MiB; null where it cannot be read. */
  readonly startMiB: number | null
  readonly errors: readonly string[]
}

/** Measures how long one answer holds others up, and what fifty at once take. */
export async function measureHostile({
  gateway,
  say,
}: {
  gateway: BenchGateway
  say: (line: string) => void
}): Promise<HostileFigures> {
  await using provider = await startHostile()
  const api = createApi(gateway.url)
  const [credential = ''] = gateway.owners.credentials
  const token = await api.signIn(freshWallet())
  const errors: string[] = []
  const start = await readMemory(gateway.pid)
  const restMs = await longestBeside(gateway, () => new Promise(done => setTimeout(done, 1_000)))
  const lines: HostileLine[] = []
  for (const [index, answer] of ANSWERS.entries()) {
    const serviceId = await registerService(api, {
      token,
      index,
      price: usdc(100n),
      upstreamUrl: provider.url,
    })
    const call = () => callOnce(gateway, { serviceId, credential, answer, errors })
    const rounds: number[] = []
    for (let round = 0; round < WARMUP_ROUNDS + ROUNDS; round += 1)
      rounds.push(await longestBeside(gateway, call))
    const counted = rounds.slice(WARMUP_ROUNDS).sort((a, b) => a - b)
    const oneMs = counted[Math.floor(ROUNDS / 2)] ?? 0
    const crowdMs = await longestBeside(gateway, () => Promise.all(Array.from({ length: AT_ONCE }, call)))
    const peakMiB = (await readMemory(gateway.pid))?.peakMiB ?? 0
    lines.push({ answer: answer.name, isTaken: answer.isTaken, oneMs, crowdMs, peakMiB })
    say(
      `${answer.name}: one ${oneMs.toFixed(0)} ms, ${AT_ONCE} at once ${crowdMs.toFixed(0)} ms, ${peakMiB.toFixed(0)} MiB`,
    )
  }
  return { atOnce: AT_ONCE, restMs, lines, startMiB: start?.nowMiB ?? null, errors }
}

/** A provider whose service `i` answers with the answer `i`. */
async function startHostile() {
  const bodies = ANSWERS.map(({ text }) => Buffer.from(text))
  const server = createServer((request, response) => {
    const index = Number(/service-(\d+)/.exec(request.url ?? '')?.[1])
    request.resume()
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.method === 'POST' ? bodies[index] : '')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

/** Makes a paid call and reads its answer as text: what building it would take is not to be measured here. */
async function callOnce(
  { url }: BenchGateway,
  call: { serviceId: string; credential: string; answer: HostileAnswer; errors: string[] },
): Promise<void> {
  const { serviceId, credential, answer, errors } = call
  try {
    const response = await fetch(`${url}/api/v1/agent/invoke`, {
      method: 'POST',
      headers: { 'x-credential': credential, 'content-type': 'application/json' },
      body: JSON.stringify({ serviceId, costUsdc: '0.0001', payload: { body: {} } }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const isRight = answer.isTaken
      ? response.status === 200
      : response.status === 502 && text.includes('"too_large"')
    if (!isRight) errors.push(`${answer.name}: ${response.status} ${text.slice(0, 200)}`)
  } catch (error) {
    errors.push(`${answer.name}: ${String(error)}`)
  }
}

/** The longest `GET /health`, asked again and again while some work goes on, in ms. */
async function longestBeside({ url }: BenchGateway, work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work().finally(() => {
    isOver = true
  })
  let longest = 0
  do {
    const from = performance.now()
    await (await fetch(`${url}/health`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - from)
  } while (!isOver)
  await over
  return longest
}
