import { callOnce, type Fixture, keyOfCall, planCalls } from './callers.ts'
import { type Chance, createChance } from './chance.ts'
import { checkHistory, LEASE_MS } from './check.ts'
import { createDatabase } from './database.ts'
import { beginFold } from './fold.ts'
import { type Defects, type Gateway, startGateway, type World } from './gateway.ts'
import { openMarket } from './market.ts'
import { createSchedule } from './schedule.ts'
import { createMachine, type Faults, type Machine } from './wire.ts'
import { changeOwner } from './writers.ts'

/** Result of a history: its faults, and its trace if requested. */
export type History = { readonly wrong: readonly string[]; readonly trace: readonly string[] }

const STEPS_MAX = 200_000
const OVER_MS = 800
const REST_MS_MAX = 60_000
const USAGE_WINDOW_MS = 16 * 60_000
const HOUR_MS = 3_600_000

/** Kinds of trouble; each history has some. */
function troubleOf(chance: Chance) {
  const some = (value: number) => (chance.is(0.5) ? value * chance.next() : 0)
  const faults: Faults = {
    isOn: true,
    wayMs: chance.pick([0.3, 2, 10]),
    lostBefore: some(0.02),
    lostAfter: some(0.03),
    slow: some(0.05),
    kill: some(0.006),
  }
  return {
    faults,
    replicationMs: chance.is(0.4) ? chance.pick([1, 20, 100]) : 0,
    gateways: chance.pick([2, 2, 3]),
    calls: 4 + chance.below(9),
    writes: chance.below(5),
    prices: chance.is(0.3) ? chance.below(3) : 0,
    jumps: chance.is(0.3) ? 1 + chance.below(2) : 0,
    restarts: chance.is(0.2) ? 1 : 0,
    failOvers: chance.is(0.3) ? 1 + chance.below(2) : 0,
    stalls: chance.is(0.2) ? 1 : 0,
  }
}

/** Parameters of a history. */
export type Trouble = ReturnType<typeof troubleOf> & Pick<World, 'jobsReadCurrent'>

/** Runs one history; deterministic by seed. */
export async function runHistory(
  seed: number,
  options: { defects?: Defects; trouble?: Partial<Trouble>; isTraced?: boolean } = {},
): Promise<History> {
  const chance = createChance(seed)
  const schedule = createSchedule(STEPS_MAX)
  const [wrong, trace]: [string[], string[]] = [[], []]
  const say = (text: string) => {
    if (options.isTraced === true) trace.push(`${schedule.now().toFixed(1).padStart(9)} ${text}`)
  }
  const blame = (text: string) => {
    say(`WRONG: ${text}`)
    wrong.push(text)
  }
  // Some orders of events need the one, some the other.
  const trouble = { ...troubleOf(chance), jobsReadCurrent: seed % 2 === 0, ...options.trouble }
  const database = createDatabase(schedule, chance, {
    replicationMs: trouble.replicationMs,
    projected: options.defects?.projected,
  })
  const market = openMarket(database.tables, chance)
  const fixture: Fixture = {
    schedule,
    chance,
    database,
    market,
    say,
    blame,
    faults: { ...trouble.faults },
    defects: options.defects ?? {},
    jobsReadCurrent: trouble.jobsReadCurrent,
    records: {
      provided: new Map(),
      answered: new Map(),
      keys: new Map(),
      deposits: new Map(),
      rotations: new Map(),
    },
    gateways: [],
    busy: 0,
    nextId: 0,
    isExcused: machine =>
      !machine.isAlive() || machine.wasStalled() || database.unrenewedMs(machine.id) >= LEASE_MS,
  }
  say(`${JSON.stringify(trouble)} ${JSON.stringify(market.owners)}`)
  const begun = beginFold(database.tables)
  const initial = new Map([...database.tables.accounts].map(([id, { posted }]) => [id, posted]))
  try {
    for (let number = 1; number <= trouble.gateways; number += 1) keepRunning(fixture, `g${number}`)
    planCalls(fixture, { count: trouble.calls, overMs: OVER_MS })
    planTrouble(fixture, trouble)
    await schedule.run(() => schedule.now() > OVER_MS && fixture.busy === 0)
    await comeToRest(fixture, trouble.gateways)
    await askAgain(fixture)
    checkHistory(fixture, begun, initial)
  } catch (error) {
    blame(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  return { wrong, trace }
}

/** Starts a gateway, and a replacement whenever it dies. */
function keepRunning(fixture: Fixture, name: string, life = 1): void {
  const { schedule, chance, gateways, say } = fixture
  const machine: Machine = createMachine(schedule, `${name}.${life}`)
  gateways.push(startGateway(fixture, machine))
  machine.whenKilled(() => {
    schedule.after(50 + chance.wait(300), () => {
      say(`${name}.${life + 1} is started`)
      keepRunning(fixture, name, life + 1)
    })
  })
}

function planTrouble(fixture: Fixture, trouble: Trouble): void {
  const { schedule, chance, database, market, say } = fixture
  const plan = (times: number, run: () => void) => {
    for (let index = 0; index < times; index += 1) schedule.after(chance.next() * OVER_MS, run)
  }
  plan(
    trouble.writes,
    () => void changeOwner(fixture).catch((error: unknown) => fixture.blame(String(error))),
  )
  plan(trouble.prices, () => {
    const { id } = chance.pick(market.services)
    market.prices.set(id, BigInt(20 + chance.below(180)) as never)
    database.tables.services.set(id, (database.tables.services.get(id) ?? 0n) + 1n)
    say(`the price of ${id} is ${market.prices.get(id)}`)
  })
  plan(trouble.jumps, () => {
    const ms = chance.pick([-HOUR_MS, -5_000, -300, 300, 5_000, HOUR_MS, 24 * HOUR_MS])
    say(`the clock of the database jumps by ${ms} ms`)
    database.jump(ms)
  })
  plan(trouble.restarts, () => {
    const ms = chance.wait(400)
    say(`the database is restarted, ${ms} ms`)
    database.restart(ms)
  })
  plan(trouble.failOvers, () => {
    const ms = chance.wait(400)
    say(`the standby takes over, ${ms} ms`)
    database.failOver(ms)
  })
  plan(trouble.stalls, () => {
    const { machine } = chance.pick(fixture.gateways)
    const ms = chance.wait(1_500)
    say(`${machine.id} stands still for ${ms} ms`)
    machine.stall(ms)
  })
}

/** Ends the trouble, recovers orphaned calls, and gives up pending usage. */
async function comeToRest(fixture: Fixture, gateways: number): Promise<void> {
  const { schedule, database, faults, say } = fixture
  faults.isOn = false
  say('trouble ends')
  const until = (isOver: () => boolean, ms: number) => {
    const end = schedule.now() + ms
    // The jobs of the gateways are always due.
    return schedule.run(() => isOver() || schedule.now() > end)
  }
  const isRunning = () => {
    const alive = fixture.gateways.filter(({ machine }) => machine.isAlive())
    const isIdle = ({ machine, isReady, inFlight }: Gateway) =>
      isReady && !machine.isStalled() && inFlight.count() === 0
    return alive.length === gateways && alive.every(isIdle)
  }
  const isProjected = () => database.tables.partitions.every(({ head, projected }) => head === projected)
  const isWaiting = () => [...database.tables.invocations.values()].some(({ status }) => status === 'PENDING')
  database.setRight()
  await until(() => database.isUp() && isRunning() && isProjected() && !isWaiting(), REST_MS_MAX)
  database.jump(USAGE_WINDOW_MS)
  say('the time to report usage has passed')
  await until(() => isRunning() && isProjected() && database.tables.open.size === 0, REST_MS_MAX)
}

/** Replays each key at the gateways. */
async function askAgain(fixture: Fixture): Promise<void> {
  const { schedule, chance, gateways, records, database, blame } = fixture
  const alive = gateways.filter(({ machine }) => machine.isAlive())
  let left = 0
  for (const call of records.keys.values()) {
    const key = keyOfCall(call)
    if (!database.tables.keys.has(key)) continue
    const asked = chance.is(0.2) ? alive : [chance.pick(alive)]
    for (const gateway of asked) {
      left += 1
      void callOnce(fixture, call, gateway).then(answered => {
        left -= 1
        if (answered === 'dropped') blame(`${gateway.machine.id} does not answer key ${key}`)
        else if (answered.kind === 'error' && codeOf(answered.error) === 'IDEMPOTENCY_IN_PROGRESS')
          blame(`${gateway.machine.id} says that key ${key} is in progress, for ever`)
        else if (answered.kind === 'answer' && !answered.isKnown)
          blame(`${gateway.machine.id} called the provider again for key ${key}`)
      })
    }
  }
  await schedule.run(() => left === 0)
  let isProjected = false
  void database
    .catchUp()
    .catch((error: unknown) => blame(String(error)))
    .then(() => {
      isProjected = true
    })
  await schedule.run(() => isProjected)
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
