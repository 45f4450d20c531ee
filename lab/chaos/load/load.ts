import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, usdc } from '@farebox/money'
import { priceBody } from '../../kit/person.ts'
import type { AskedCall, Credential, History } from '../check/history.ts'
import { readSeen, type Seen } from '../check/verdict.ts'
import type { LabChain } from '../parts/chain.ts'
import { gatewayAt, type LabGateway } from '../parts/gateways.ts'
import { CALLERS, LOAD_MS, type Plan } from '../plan.ts'
import { createRandom, type Random } from '../random.ts'
import { ask, bearer } from './http.ts'
import { moveMoney } from './money-load.ts'
import { issue, type Service, type World } from './world.ts'

/** Longest pause of a caller between two calls, in ms. */
const THINK_MS_MAX = 40
/** Limit of a round's limited credential, in micro-USDC: a few calls. */
const SMALL_LIMIT = 60_000n
/** Retries of a call while the faults last. */
const AGAIN_MAX = 2
/** A revocation or a change of price is asked for again after this, in ms. */
const ACT_AGAIN_MS = 60
/** Times that an owner's act is tried while the faults last. */
const ACT_TRIES_MAX = 30

/** The parts that the load of a round uses. */
export type LoadParts = {
  readonly plan: Plan
  readonly world: World
  readonly gateways: readonly LabGateway[]
  readonly chain: LabChain
  readonly history: History
}

/** Load that runs: {@link Load.over} resolves when everybody has stopped. */
export type Load = { readonly over: Promise<unknown> }

/**
 * Callers, owners and providers do what they do, each by random numbers of its own: what one does next depends on the
 * seed and on its own answers alone. It stops by itself after {@link LOAD_MS}.
 */
export async function startLoad(parts: LoadParts): Promise<Load> {
  const { plan, world, history } = parts
  const random = createRandom(`${plan.seed} load ${plan.round}`)
  const [owner, other] = world.owners
  if (owner === undefined || other === undefined) throw new Error('An owner is missing.')
  const limited = await issue(owner, SMALL_LIMIT)
  const doomed = await issue(other, null)
  history.credentials.push(limited, doomed)
  const credentials = [...world.credentials, ...world.credentials, limited, doomed]
  const until = performance.now() + LOAD_MS

  const callers = Array.from({ length: CALLERS }, (_, caller) =>
    callOn({ ...parts, credentials, until, caller, random: random.fork(`caller ${caller}`) }),
  )
  const acts = [
    changePrices({ ...parts, until, random: random.fork('prices') }),
    revoke({ ...parts, doomed, until, random: random.fork('revocation') }),
    moveMoney({ ...parts, until, random: random.fork('money') }),
  ]
  return { over: Promise.all([...callers, ...acts]) }
}

type Caller = LoadParts & {
  readonly credentials: readonly Credential[]
  readonly until: number
  readonly caller: number
  readonly random: Random
}

async function callOn(parts: Caller): Promise<void> {
  const { plan, world, gateways, history, credentials, until, caller, random } = parts
  for (let number = 0; performance.now() < until; number += 1) {
    const credential = random.pick(credentials)
    const service = random.pick(world.services)
    const via = random.int(0, gateways.length - 1)
    const key = `r${plan.round} c${caller} n${number}`
    const call = newCall({ credential, service, key, via, random })
    history.calls.push(call)
    const isTwin = random.chance(0.08)
    const answers = [askFor(call, gatewayAt(gateways, via))]
    if (isTwin) answers.push(askFor(call, gatewayAt(gateways, via + 1)))
    const [seen] = await Promise.all(answers)
    await askAgain(parts, call, seen, via)
    await delay(random.int(0, THINK_MS_MAX))
  }
}

/** Retries a call without a final answer at other gateways, and now and then one with an answer. */
async function askAgain(
  { gateways, random }: Caller,
  call: AskedCall,
  first: Seen | undefined,
  via: number,
): Promise<void> {
  let seen = first
  for (let again = 1; again <= AGAIN_MAX && seen !== undefined; again += 1) {
    const { kind } = readSeen(seen)
    if (!random.chance(kind === 'final' ? 0.1 : 0.6)) return
    seen = await askFor(call, gatewayAt(gateways, via + again))
  }
}

/** Asks for a call once more, and keeps the answer. */
export async function askFor(call: AskedCall, gateway: LabGateway): Promise<Seen> {
  const headers = { 'x-credential': call.token }
  const seen = await ask(gateway, { path: '/api/v1/agent/invoke', headers, body: call.body })
  call.seen.push(seen)
  return seen
}

function newCall(of: {
  credential: Credential
  service: Service
  key: string
  via: number
  random: Random
}): AskedCall {
  const { credential, service, key, via, random } = of
  const call = `${credential.id} ${key}`
  const user = JSON.stringify({ call, via })
  const isModel = service.name === 'model'
  const price = isModel ? null : priceOf(service, random)
  const payload = isModel
    ? { model: 'chaos', messages: [{ role: 'user', content: key }], stream: random.chance(0.7), user }
    : { user }
  return {
    call,
    service: service.name,
    payer: credential.payer,
    provider: service.owner.wallet.toLowerCase(),
    credentialId: credential.id,
    token: credential.token,
    price,
    seen: [],
    isTooLate: credential.isRevoked,
    body: {
      serviceId: service.id,
      idempotencyKey: key,
      payload: { body: payload },
      ...(price !== null && { costUsdc: formatUsdc(usdc(price)) }),
    },
  }
}

/** Most callers know the newest price. */
function priceOf({ prices }: Service, random: Random): bigint {
  return random.chance(0.2) ? random.pick(prices) : (prices.at(-1) ?? 0n)
}

type Actor = LoadParts & { readonly until: number; readonly random: Random }

/** The slow service has another price now and then; who asserts the one before is refused. */
async function changePrices({ world, gateways, until, random }: Actor): Promise<void> {
  const service = world.services.find(({ name }) => name === 'slow')
  if (service === undefined) throw new Error('There is no slow service.')
  while (performance.now() < until) {
    await delay(random.int(200, 700))
    const price = 20_000n + BigInt(random.int(0, 999))
    // Both are offered from now on, as an answer that is lost leaves it open which one holds.
    service.prices = [...service.prices.slice(-1), price]
    await ask(gatewayAt(gateways, random.int(0, 9)), {
      method: 'PUT',
      path: `/api/v1/services/${service.id}`,
      headers: bearer(service.owner.token),
      body: { pricing: priceBody(usdc(price)) },
    })
  }
}

/** Once its revocation was answered, a credential is good for nothing at any gateway. */
async function revoke({
  world,
  gateways,
  doomed,
  random,
}: Actor & { readonly doomed: Credential }): Promise<void> {
  await delay(random.int(LOAD_MS / 3, LOAD_MS - 300))
  const owner = world.owners.find(({ wallet }) => wallet.toLowerCase() === doomed.payer)
  for (let attempt = 0; attempt < ACT_TRIES_MAX && !doomed.isRevoked; attempt += 1) {
    const path = `/api/v1/credentials/agent/${doomed.id}/revoke`
    const { status, isWhole } = await ask(gatewayAt(gateways, attempt), {
      path,
      headers: bearer(owner?.token ?? ''),
    })
    doomed.isRevoked = status === 200 && isWhole
    if (!doomed.isRevoked) await delay(ACT_AGAIN_MS)
  }
}
