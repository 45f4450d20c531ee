import { GatewayError } from '@farebox/wire/errors'
import { reportUsage } from '../../src/domains/invocation/pricing/report-usage.ts'
import { type CallerAnswer, carry, type KeyedCall } from './carry.ts'
import type { Gateway, World } from './gateway.ts'
import { credentialsOf, digestOf, type Market, SECRET_ID } from './market.ts'
import { type ProvidedCall, provide, usageOf } from './provider.ts'
import type { Machine } from './wire.ts'

/** Everything that callers got and providers did, to compare with the log. */
export type Records = {
  /** By invocation. */
  readonly provided: Map<string, ProvidedCall>
  /** Answers by credential and key. */
  readonly answered: Map<string, Extract<CallerAnswer, { kind: 'answer' }>[]>
  readonly keys: Map<string, KeyedCall>
  /** Deposits by reference, and whether they were acknowledged. */
  readonly deposits: Map<string, { readonly amount: bigint; isAcknowledged: boolean }>
  /** Number of rotations by credential. */
  readonly rotations: Map<string, number>
}

/** A running history. */
export type Fixture = World & {
  readonly market: Market
  readonly records: Records
  readonly gateways: Gateway[]
  /** Number of unfinished callers and reports. */
  busy: number
  nextId: number
  /** True if others may think that a gateway is dead. */
  isExcused(machine: Machine): boolean
}

export const keyOfCall = ({ ask }: KeyedCall): string => `${ask.credentialId} ${ask.idempotencyKey}`

const TRIES_MAX = 8
const PATIENCE_MS = 1_500

/** Answers that a caller does not retry. */
const isOver = (answered: CallerAnswer | 'dropped'): boolean => {
  if (answered === 'dropped') return false
  if (answered.kind === 'answer') return true
  const { error } = answered
  if (!(error instanceof GatewayError)) return true
  return error.code !== 'UNAVAILABLE' && error.code !== 'IDEMPOTENCY_IN_PROGRESS'
}

/** Calls a key until there is an answer, and sometimes once more at another gateway. */
async function callKey(fixture: Fixture, call: KeyedCall): Promise<void> {
  const { chance, schedule } = fixture
  fixture.busy += 1
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const answered = await callOnce(fixture, call)
    if (isOver(answered) && !chance.is(0.2)) break
    await schedule.pause(30 + chance.wait(250))
  }
  fixture.busy -= 1
}

/** Sends one request to any running gateway. */
export async function callOnce(
  fixture: Fixture,
  call: KeyedCall,
  gateway: Gateway | undefined = aliveOf(fixture),
): Promise<CallerAnswer | 'dropped'> {
  if (gateway === undefined) return 'dropped'
  const { schedule, say } = fixture
  fixture.nextId += 1
  const invocationId = `inv_${String(fixture.nextId).padStart(4, '0')}`
  const { machine } = gateway
  say(`${machine.id} is asked: ${invocationId} of key ${keyOfCall(call)} for ${call.service.id}`)
  const carried = carry(fixture, gateway, {
    ...call,
    ask: { ...call.ask, tokenDigest: currentDigest(fixture, call) },
    invocationId,
    provide: held => callProvider(fixture, { call, machine, held }),
  })
  const answered = await Promise.race([
    carried,
    schedule.pause(PATIENCE_MS).then(() => 'dropped' as const),
    new Promise<'dropped'>(resolve => machine.whenKilled(() => resolve('dropped'))),
  ])
  if (answered !== 'dropped') note(fixture, call, answered)
  return answered
}

/** With the newest token: earlier ones are revoked. */
const currentDigest = ({ records }: Fixture, { ask }: KeyedCall): Buffer =>
  digestOf(ask.credentialId, records.rotations.get(ask.credentialId) ?? 0)

const aliveOf = ({ gateways, chance }: Fixture): Gateway | undefined => {
  const alive = gateways.filter(({ machine, isReady }) => isReady && machine.isAlive())
  return alive.length === 0 ? undefined : chance.pick(alive)
}

function note({ records, say, blame }: Fixture, call: KeyedCall, answered: CallerAnswer): void {
  const key = keyOfCall(call)
  if (answered.kind === 'answer') {
    say(
      `key ${key} is answered ${answered.httpStatus} of ${answered.invocationId}: ${answered.body.slice(0, 90)}`,
    )
    records.answered.set(key, [...(records.answered.get(key) ?? []), answered])
    return
  }
  const { error } = answered
  if (error instanceof GatewayError)
    say(`key ${key} is refused: ${error.code} ${JSON.stringify(error.context)}`)
  else
    blame(`key ${key} met an error of the program: ${error instanceof Error ? error.stack : String(error)}`)
}

async function callProvider(
  fixture: Fixture,
  {
    call,
    machine,
    held,
  }: { call: KeyedCall; machine: Gateway['machine']; held: { invocationId: string; hold: bigint } },
) {
  const { chance, records, say } = fixture
  const { invocationId, hold } = held
  const made: ProvidedCall = {
    invocationId,
    key: keyOfCall(call),
    machine,
    hold,
    due: 0n,
    isGood: false,
    reported: null,
  }
  records.provided.set(invocationId, made)
  await fixture.schedule.pause(chance.wait(chance.is(0.1) ? 900 : 40))
  const answer = provide(chance, call, made)
  say(`the provider answers ${invocationId}: due ${made.due}`)
  if (made.due === null && chance.is(0.7)) void report(fixture, call, made)
  await machine.pause(0)
  return answer
}

/** Reports the usage of a call whose answer lacked it, until it is accepted or too late. */
async function report(fixture: Fixture, { service }: KeyedCall, made: ProvidedCall): Promise<void> {
  const { chance, schedule, say } = fixture
  const { invocationId } = made
  fixture.busy += 1
  const { input, output, cost } = usageOf(chance, made.hold)
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    await schedule.pause(10 + chance.wait(200))
    const gateway = aliveOf(fixture)
    if (gateway === undefined) continue
    const error = await reportAt(fixture, gateway, { invocationId, service, input, output })
    say(
      `${gateway.machine.id} receives the usage of ${invocationId}, ${cost}: ${error === null ? 'taken' : String(error)}`,
    )
    if (error === null) {
      made.reported = cost
      break
    }
    if (
      error instanceof GatewayError &&
      (error.code === 'USAGE_ALREADY_FINAL' || error.code === 'INVALID_STATE')
    )
      break
  }
  fixture.busy -= 1
}

async function reportAt(
  { schedule, blame }: Fixture,
  gateway: Gateway,
  {
    invocationId,
    service,
    input,
    output,
  }: { invocationId: string; service: KeyedCall['service']; input: number; output: number },
): Promise<unknown> {
  const usage = { inputTokens: input, outputTokens: output, totalTokens: input + output }
  const reporting = reportUsage(gateway, {
    invocationId,
    provider: service.provider,
    secretId: SECRET_ID,
    usage: { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof GatewayError))
        blame(
          `the report of ${invocationId} met an error of the program: ${error instanceof Error ? error.stack : String(error)}`,
        )
      return error
    },
  )
  return Promise.race([
    reporting,
    schedule.pause(PATIENCE_MS).then(() => 'no answer'),
    new Promise(resolve => gateway.machine.whenKilled(() => resolve('killed'))),
  ])
}

/** Plans the calls of a history: few keys, so that they conflict. */
export function planCalls(fixture: Fixture, { count, overMs }: { count: number; overMs: number }): void {
  const { chance, market, schedule } = fixture
  const keys = Math.max(2, Math.ceil(count * 0.7))
  for (let index = 0; index < count; index += 1) {
    const number = chance.below(keys)
    const owner = market.owners[number % market.owners.length] ?? ''
    const credentialId = credentialsOf(owner)[number % 2] ?? ''
    const isOther = chance.is(0.03)
    const service = market.services[number % market.services.length]
    if (service === undefined) throw new Error('The market has no service.')
    const call: KeyedCall = {
      service,
      ask: {
        credentialId,
        owner,
        tokenDigest: digestOf(credentialId),
        idempotencyKey: `k${number}`,
        requestHash: Buffer.from([isOther ? 200 : number]),
      },
    }
    if (!isOther) fixture.records.keys.set(keyOfCall(call), call)
    schedule.after(chance.next() * overMs, () => void callKey(fixture, call))
  }
}
