import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { buildRequest, isChat, type RequestOptions } from '../calls/build-request.ts'
import { findService } from '../calls/find-service.ts'
import { type Answer, makeCall } from '../calls/make-call.ts'
import { answerTextOf, createJsonPrinter, createTextPrinter } from '../calls/print-events.ts'
import { EXIT } from '../exit-codes.ts'
import { badInput, Failure } from '../failure.ts'
import { openSession, type Session } from '../session.ts'
import { digestOfCredential, findCall, listCalls, type PendingCall } from '../state/pending-calls.ts'
import { examples } from '../terminal/examples.ts'
import { nextCommand, quote } from '../terminal/next-command.ts'
import { note, print, printForeign, printJson, printTable } from '../terminal/output.ts'
import { collect, readAmount, readCount } from './read-options.ts'

type Options = RequestOptions & {
  readonly idempotencyKey?: string
  readonly again?: string
  readonly rotated?: true
  readonly pending?: true
  readonly retryFor: number
}

const RETRY_SECONDS_DEFAULT = 60
const RETRY_SECONDS_MAX = 86_400
const TOKENS_MAX = 10_000_000

/** `farebox invoke`. */
export function invokeCommand(): Command {
  return new Command('invoke')
    .description(
      'Call a service and pay for it. The answer goes to standard output, the bill to standard error.',
    )
    .argument('[service]', 'name or id of the service')
    .option('-f, --field <name=value>', 'member of the request; name:=JSON for numbers and others', collect)
    .option('--body <json>', 'body of the request; @FILE reads a file, - standard input')
    .option('--payload <json>', 'body, query and path of the request, as the API takes them')
    .option(
      '-p, --prompt <text>',
      'message to a model, or text for embeddings; @FILE reads a file, - standard input',
    )
    .option('--max-tokens <count>', 'maximum output tokens of a model', readCount(1, TOKENS_MAX))
    .option('--cost <usdc>', 'price to accept; default: the current price', readAmount)
    .option('--max-cost <usdc>', 'maximum cost of the call; bounds the output of a model', readAmount)
    .option('--stream', 'stream the answer; default for models, unless --json')
    .option('--no-stream', 'wait for the whole answer')
    .option('--idempotency-key <key>', 'pay once for all calls with this key; default: a new one')
    .option(
      '--retry-for <seconds>',
      'retry a call without a response for this long',
      readCount(0, RETRY_SECONDS_MAX),
      RETRY_SECONDS_DEFAULT,
    )
    .option('--again <key>', 'retry a stored call of unknown outcome, with its key')
    .option('--rotated', 'with --again: the credential was rotated since')
    .option('--pending', 'list the calls of unknown outcome')
    .addHelpText(
      'after',
      examples(
        '$ farebox invoke weather --field city=Lisbon',
        '$ farebox invoke sample-llm --prompt "Who pays the ferryman?" --max-cost 0.01',
        '$ echo \'{"days": 3}\' | farebox invoke weather --body - --json | jq .result',
        '',
        '# In a script: the same key is charged once, however often this runs.',
        '$ farebox invoke weather --field city=Lisbon --idempotency-key order-4711',
        '',
        '# After a lost connection:',
        '$ farebox invoke --pending',
        '$ farebox invoke --again order-4711',
      ),
    )
    .action(async (service: string | undefined, options: Options, command: Command) => {
      const session = openSession(command)
      if (options.pending) return showPending(session)
      const credential = session.credential()
      const { call, isRepeated } = await prepare(session, service, options, digestOfCredential(credential))
      const printer = session.isJson ? createJsonPrinter() : createTextPrinter(call.isModel)
      const patienceMs = options.retryFor * 1_000
      const answer = await makeCall(call, { credential, patienceMs, printer, isRepeated }).finally(
        printer.end,
      )
      show(session, call, answer)
    })
}

type Prepared = { readonly call: PendingCall; readonly isRepeated: boolean }

async function prepare(
  session: Session,
  service: string | undefined,
  options: Options,
  credentialDigest: string,
): Promise<Prepared> {
  const { again, idempotencyKey } = options
  if (again !== undefined) {
    const call = findCall(session.gateway, again)
    if (call === null)
      throw badInput(`There is no pending call with the key ${again}.`, 'List them: farebox invoke --pending')
    if (call.credentialDigest !== credentialDigest && !options.rotated)
      throw new Failure('OTHER_CREDENTIAL', 'The call was made with another credential. Nothing was sent.', {
        exitCode: EXIT.mismatch,
        hints: [
          'With this credential it would be a new call, and be charged again.',
          'If it is the same credential with a new token, pass --rotated.',
        ],
      })
    return { call: { ...call, credentialDigest }, isRepeated: true }
  }
  if (service === undefined) throw badInput('Name the service to call.', 'Find one: farebox discover')
  const { service: found } = await findService(session, service)
  const request = buildRequest(found, options, !session.isJson)
  const key = idempotencyKey ?? randomUUID()
  const before = idempotencyKey === undefined ? null : findCall(session.gateway, key)
  if (before !== null) return { call: repeat(before, request.body, credentialDigest), isRepeated: true }
  const call: PendingCall = {
    gateway: session.gateway,
    key,
    credentialDigest,
    ...request,
    isModel: isChat(found),
    startedAt: new Date().toISOString(),
  }
  return { call, isRepeated: idempotencyKey !== undefined }
}

/** Returns the stored call of a key with its own price, as another price would be another request. */
function repeat(before: PendingCall, body: PendingCall['body'], credentialDigest: string): PendingCall {
  const isSame =
    before.body.serviceId === body.serviceId &&
    JSON.stringify(before.body.payload) === JSON.stringify(body.payload) &&
    before.credentialDigest === credentialDigest
  if (!isSame)
    throw badInput(
      `The key ${before.key} belongs to another call of unknown outcome. Nothing was sent.`,
      `Retry that call: ${nextCommand(`invoke --again ${quote(before.key)}`)}`,
    )
  return before
}

function showPending({ isJson }: Session): void {
  const calls = listCalls()
  if (isJson) {
    printJson({
      calls: calls.map(({ key, gateway, startedAt, body }) => ({ key, gateway, startedAt, ...body })),
    })
  } else if (calls.length === 0) note('No pending calls.')
  else {
    printTable(
      ['KEY', 'SERVICE', 'STARTED', 'GATEWAY'],
      calls.map(({ key, body, startedAt, gateway }) => [key, body.serviceId, startedAt, gateway]),
    )
  }
}

function show({ isJson }: Session, { isStream, isModel, key }: PendingCall, answer: Answer): void {
  if (isJson) {
    printJson(isStream ? { event: 'gateway', data: answer } : answer)
    return
  }
  const { result } = answer
  // Some providers answer whole although they were asked to stream.
  const text = isStream && isModel && result != null ? answerTextOf(result) : undefined
  if (text !== undefined) printForeign(`${text}\n`)
  else if (isStream && answer.answerExpired) note('The answer is no longer stored.')
  else if (!isStream || result != null) showResult(result)
  const { invocationId, chargedUsdc, gateway, usage, replayed } = answer
  const call = `${invocationId}, key ${key}`
  if (replayed) {
    note(`stored answer, nothing charged now (${chargedUsdc} USDC was charged the first time; ${call})`)
    return
  }
  const held = gateway === undefined ? '' : ` of ${gateway.holdUsdc} USDC held`
  const tokens = usage === undefined ? '' : `, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  note(`charged ${chargedUsdc} USDC${held}${tokens} (${call})`)
}

/** Prints a result: text and bytes of other types as they are, else JSON. */
function showResult(result: Answer['result']): void {
  const { text, base64, contentType } = { ...(result as Record<string, unknown> | null) }
  if (typeof contentType === 'string' && typeof text === 'string') printForeign(`${text}\n`)
  else if (typeof contentType === 'string' && typeof base64 === 'string') {
    if (process.stdout.isTTY) note(`${contentType}: write it to a file with > FILE`)
    else process.stdout.write(Buffer.from(base64, 'base64'))
  } else print(JSON.stringify(result, null, 2))
}
