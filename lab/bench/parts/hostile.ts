import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { usdc } from '@farebox/money'
import { listen } from '../../../apps/gateway/test/kit/network/loopback.ts'
import { INVOKE } from '../../kit/caller.ts'
import { readMemory } from '../../kit/proc.ts'
import type { SiteGateway } from '../../kit/site.ts'
import type { Reached } from '../figures.ts'
import { openServices } from '../market/market.ts'
import type { Options } from '../options.ts'
import type { PartResult, Section, Stage } from '../part.ts'

/** Largest answer that calls itself JSON, in bytes, and most values in it: what a gateway takes by default. */
const BYTES_MAX = 2 * 1_048_576
const NODES_MAX = 100_000
/** Calls one after another, of which the median counts; the first are not counted. */
const ROUNDS = 7
const WARMUP_ROUNDS = 2
const AT_ONCE = 50
/** Longest wait for an answer, in ms: fifty at once share what processors there are. */
const TIMEOUT_MS = 120_000

const listed = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join(',')

/** Answers that are expensive to read, and whether they are passed on. */
const ANSWERS: readonly { readonly name: string; readonly text: string; readonly isTaken: boolean }[] = [
  { name: 'empty arrays, 2 MiB', text: `[${'[],'.repeat(BYTES_MAX / 3 - 2)}[]]`, isTaken: false },
  { name: 'nested arrays, 2 MiB', text: '['.repeat(BYTES_MAX - 1), isTaken: false },
  { name: 'too many numbers, 2 MiB', text: `[${'1,'.repeat(BYTES_MAX / 2 - 2)}1]`, isTaken: false },
  { name: '99,000 names', text: `{${listed(NODES_MAX - 1_000, i => `"name ${i}":1`)}}`, isTaken: true },
  { name: '49,000 shapes', text: `[${listed(NODES_MAX / 2 - 1_000, i => `{"a${i}":1}`)}]`, isTaken: true },
  { name: '99,000 numbers', text: `[${listed(NODES_MAX - 1_000, i => `${i / 7}`)}]`, isTaken: true },
  { name: 'escaped text, 2 MiB', text: `{"a":"${'\\u0041'.repeat((BYTES_MAX - 8) / 6)}"}`, isTaken: true },
]

/** Effect of one kind of answer on others. */
type Line = {
  readonly answer: string
  readonly isTaken: boolean
  /** Longest `GET /health` beside one such answer, in ms: the median of some rounds. */
  readonly oneMs: number
  /** Longest beside fifty at once, in ms; and the highest memory of the gateway until then, in MiB. */
  readonly crowdMs: number
  readonly peakMiB: number
}

/** Measures how long one answer holds others up, and what fifty at once take. */
export async function runHostile(_options: Options, stage: Stage): Promise<PartResult> {
  const provider = stage.stopLater(await startHostile())
  const gateway = await stage.startGateway({ owners: 0 })
  const offers = ANSWERS.map((_, index) => {
    return { name: `Hostile ${index}`, urls: [`${provider.origin}/${index}`], price: usdc(100n) }
  })
  const { services } = await openServices(gateway, offers)
  const errors: string[] = []
  const restMs = await longestBeside(gateway, () => pause(1_000))
  const lines: Line[] = []
  for (const [index, { name: answer, isTaken }] of ANSWERS.entries()) {
    const call = async () => {
      const problem = await problemOf(gateway, services[index] ?? '', isTaken)
      if (problem !== null) errors.push(`${answer}: ${problem}`)
    }
    const rounds: number[] = []
    while (rounds.length < WARMUP_ROUNDS + ROUNDS) rounds.push(await longestBeside(gateway, call))
    const oneMs = rounds.slice(WARMUP_ROUNDS).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
    const crowdMs = await longestBeside(gateway, () => Promise.all(Array.from({ length: AT_ONCE }, call)))
    const line = { answer, isTaken, oneMs, crowdMs, peakMiB: readMemory(gateway.pid)?.peakMiB ?? Number.NaN }
    lines.push(line)
    stage.say(cellsOf(line).join(', '))
  }
  return {
    sections: [sectionOf(lines, restMs)],
    reached: reachedBy(lines, restMs),
    findings: errors.slice(0, 1).map(first => `${errors.length} wrong answers, the first: ${first}`),
    isSound: errors.length === 0,
  }
}

/** Starts a provider that answers at `/i` with the answer `i`. */
async function startHostile() {
  const bodies = ANSWERS.map(({ text }) => Buffer.from(text))
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.method === 'POST' ? bodies[Number(request.url?.slice(1))] : '')
  })
  return listen(server)
}

/** Makes a paid call; returns what is wrong with its answer, which is not parsed: that is not to be measured here. */
async function problemOf(
  { url, owners: { credentials } }: SiteGateway,
  serviceId: string,
  isTaken: boolean,
): Promise<string | null> {
  try {
    const response = await fetch(url + INVOKE, {
      method: 'POST',
      headers: { 'x-credential': credentials[0] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ serviceId, costUsdc: '0.0001', payload: { body: {} } }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const isRefused = response.status === 502 && text.includes('"too_large"')
    return (isTaken ? response.status === 200 : isRefused) ? null : `${response.status} ${text.slice(0, 200)}`
  } catch (error) {
    return String(error)
  }
}

/** Returns the longest `GET /health`, asked again and again while some work goes on, in ms. */
async function longestBeside({ url }: SiteGateway, work: () => Promise<unknown>): Promise<number> {
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

const cellsOf = ({ answer, isTaken, oneMs, crowdMs, peakMiB }: Line): string[] => [
  ...[answer, isTaken ? 'passed on' : 'too_large'],
  ...[oneMs.toFixed(0), crowdMs.toFixed(0), peakMiB.toFixed(0)],
]

const sectionOf = (lines: readonly Line[], restMs: number): Section => ({
  title: 'Hostile answers',
  table: [
    ['answer', 'is', 'longest /health, one, ms', `${AT_ONCE} at once, ms`, 'highest memory so far, MiB'],
    ...lines.map(cellsOf),
  ],
  notes: [`GET /health of the gateway at rest took ${restMs.toFixed(0)} ms at most.`],
})

function reachedBy(lines: readonly Line[], restMs: number): Reached {
  const most = (pick: (line: Line) => number) => Math.max(...lines.map(pick))
  return {
    hostileMs: most(({ oneMs }) => oneMs) - restMs,
    hostileCrowdMs: most(({ crowdMs }) => crowdMs),
    hostileMemory: most(({ isTaken, peakMiB }) => (isTaken ? 0 : peakMiB)),
  }
}
