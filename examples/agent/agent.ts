import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createClient, GatewayError, type InputOf } from '@farebox/client'

// An agent with a budget: finds a service, calls it, asks a model about the answer, and prints what it paid.
// It may be killed at any moment. Started again it sends the same requests under the same keys: what was paid for
// already is answered from the gateway's records, and nothing is paid for twice.
const { GATEWAY = 'http://127.0.0.1:8402', CREDENTIAL = '', JOURNAL = 'agent-journal.json' } = process.env
const [words = 'echo', input = '{"hello": "world"}'] = process.argv.slice(2)

const PRICE_MAX_USDC = '0.05'
/** Exit codes after a failure. After the last two, the next run continues where this one ended. */
const REFUSED = 1
const NO_MONEY = 2
const LATER = 75

type Request = { readonly idempotencyKey: string; readonly body: InputOf<'invokeService'>['body'] }

const api = createClient({ baseUrl: GATEWAY, credential: CREDENTIAL })
const print = (text: string) => process.stdout.write(`${text}\n`)

/** The paid request of a step, made once: it is on disk before it is sent. */
async function prepare(step: string, make: () => Promise<Request['body']>): Promise<Request> {
  const journal = readJournal()
  const kept = journal[step]
  if (kept !== undefined) {
    print(`${step}: goes on with ${kept.idempotencyKey}`)
    return kept
  }
  const request = { idempotencyKey: randomUUID(), body: await make() }
  writeFileSync(`${JOURNAL}.new`, JSON.stringify({ ...journal, [step]: request }))
  renameSync(`${JOURNAL}.new`, JOURNAL)
  return request
}

function readJournal(): Record<string, Request> {
  try {
    return JSON.parse(readFileSync(JOURNAL, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

/** The best service for some words that can be called now and is not too dear, with what it says of its requests. */
async function findService(): Promise<Request['body']> {
  const wanted = { query: words, serviceKind: 'api', maxPriceUsdc: PRICE_MAX_USDC } as const
  const { results } = await api.searchServices({ body: wanted })
  const found = results.find(each => each.runtimeAvailable)
  if (found === undefined)
    throw new Error(`Nothing that answers “${words}” costs ${PRICE_MAX_USDC} USDC or less.`)
  const { service } = await api.readMarketService({ path: { id: found.serviceId } })
  if (service.serviceKind !== 'api') throw new Error(`${service.serviceName} has no fixed price any more.`)
  const { serviceId, serviceName, agentToolName, pricing, method, request } = service
  print(`${serviceName} (${agentToolName}) takes ${JSON.stringify(request)} for ${pricing.amount} USDC`)
  const given = JSON.parse(input)
  const payload = method === 'GET' || method === 'HEAD' ? { query: given } : { body: given }
  // The price that was seen: the gateway refuses the call when it is another one by then.
  return { serviceId, costUsdc: pricing.amount, payload }
}

/** Returns a question to the cheapest chat model of OpenAI's API. Models of embeddings have no price for output. */
async function findModel(question: string): Promise<Request['body']> {
  const { results } = await api.searchServices({ body: { llmDialect: 'openai', sort: 'lowest_price' } })
  const model = results.find(
    ({ pricing }) =>
      'outputPricePer1MTokensUsdc' in pricing && Number(pricing.outputPricePer1MTokensUsdc) > 0,
  )
  if (model === undefined) throw new Error('No model is for sale here.')
  const messages = [{ role: 'user', content: question }]
  return { serviceId: model.serviceId, payload: { body: { messages, max_tokens: 60, stream: true } } }
}

/** Prints a model's answer as it arrives. */
async function say(request: Request): Promise<void> {
  const stream = await api.stream('invokeService', request)
  for await (const { event, data } of stream) {
    if (event !== 'message' || data === '[DONE]') continue
    process.stdout.write(JSON.parse(data).choices?.[0]?.delta?.content ?? '')
  }
  if (stream.bill === null) throw new GatewayError('UNREACHABLE', 'The stream ended without its bill.')
  const { chargedUsdc, holdUsdc, usage } = stream.bill
  print(`\ncharged ${chargedUsdc} of the ${holdUsdc} USDC held, for ${usage?.totalTokens} tokens`)
}

/** Prints what the credential may still spend, by a free tool of the gateway. */
async function printRemains(): Promise<void> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'farebox_balance' } } as const
  const answer = await api.callMcp({ body: call })
  if (Array.isArray(answer) || !('result' in answer)) return
  const { spendableUsdc } = answer.result.structuredContent as { spendableUsdc: string }
  print(`left to spend: ${spendableUsdc} USDC`)
}

/** Prints an error and returns the exit code. Deletes the stored request if the next run is to begin anew. */
function failed(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  if (!(error instanceof GatewayError)) return REFUSED
  const { code, status, detail, requestId, isPassing } = error
  process.stderr.write(`${code} ${JSON.stringify(detail)} ${requestId ?? ''}\n`)
  // PROCESSING: a model has answered, and what it used is not known yet. The same key asks again what came of it.
  // UNREADABLE: the answer was not from the gateway, or was damaged on the way.
  if (isPassing || detail.status === 'PROCESSING' || code === 'UNREADABLE') return LATER
  // Nothing was called: with money the same request goes through.
  if (code === 'BUDGET_EXHAUSTED' || code === 'INSUFFICIENT_BALANCE') return NO_MONEY
  // A refused credential says nothing about the stored request: it may be paid for already.
  if (status === 401) return REFUSED
  // Whatever this key stands for, it stays a failure: the next run begins anew.
  rmSync(JOURNAL, { force: true })
  return REFUSED
}

try {
  const answer = await api.invokeService(await prepare('call', findService))
  print(`${answer.invocationId}: ${JSON.stringify(answer.result)}`)
  print(`charged ${answer.chargedUsdc} USDC`)
  const question = `What does this tell us? ${JSON.stringify(answer.result)}`
  await say(await prepare('model', () => findModel(question)))
  await printRemains()
  rmSync(JOURNAL)
} catch (error) {
  process.exitCode = failed(error)
}
