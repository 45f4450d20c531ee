import { isUnavailable } from '@farebox/wire/errors'
import { PARTITIONS } from '@farebox/wire/partition'
import type { HoldRequest } from '../../src/domains/invocation/admission/admit.ts'
import { type CallLedger, createCallLedger } from '../../src/domains/invocation/admission/commit-calls.ts'
import { createLedgerMemory, type LedgerMemory } from '../../src/domains/invocation/log/ledger-memory.ts'
import type { LedgerStore } from '../../src/domains/invocation/log/ledger-store.ts'
import { createProjector } from '../../src/domains/invocation/log/project-log.ts'
import { createInFlightCalls } from '../../src/domains/invocation/provider/in-flight-calls.ts'
import { createCallTally } from '../../src/domains/invocation/records/call-tally.ts'
import { keepLease, recoverCalls } from '../../src/domains/invocation/recovery/recover-calls.ts'
import { releaseUnreported } from '../../src/domains/invocation/recovery/release-unreported.ts'
import { createPeerWatch, type PeerWatch } from '../../src/domains/invocation/recovery/watch-peers.ts'
import { createTargetTally } from '../../src/domains/invocation/targets/target-tally.ts'
import { readsCurrent } from '../../src/domains/ledger/read-current.ts'
import type { Clock, Deps, Metrics } from '../../src/ports.ts'
import type { Chance } from './chance.ts'
import type { Database } from './database.ts'
import type { Schedule } from './schedule.ts'
import { createSimulatedDb } from './statements.ts'
import { createSimulatedStore, type StoreDefects } from './store.ts'
import type { StoredRow } from './tables.ts'
import { createLine, type Faults, type Machine } from './wire.ts'

export const LEASE_SECONDS = 0.9
/** Intervals of the jobs, in ms. */
const LOOK_EVERY_MS = 250
const SWEEP_EVERY_MS = 600
const RELEASE_EVERY_MS = 1_000
export const FEE_BPS = 250
/** Small, so that cache misses are frequent. */
const BOUNDS = { owners: 64, credentialsPerOwner: 4, keys: 2 }

/** Parts of a gateway that a test can replace with defective ones. */
export type Defects = {
  readonly store?: StoreDefects
  readonly projected?: (due: readonly StoredRow[]) => readonly StoredRow[]
  /** Error of the clock for the window of usage reports, in ms. */
  readonly windowClockOffMs?: number
  readonly memory?: (memory: LedgerMemory, database: Database) => LedgerMemory
  readonly wrapStore?: (store: LedgerStore, memory: LedgerMemory) => LedgerStore
  readonly peers?: (peers: PeerWatch, world: { database: Database; machine: Machine }) => PeerWatch
}

/** A gateway: the production code that moves money, on a simulated database. */
export type Gateway = ReturnType<typeof startGateway>

/** Shared by all gateways of a history. */
export type World = {
  readonly schedule: Schedule
  readonly chance: Chance
  readonly faults: Faults
  readonly database: Database
  readonly defects: Defects
  /** True: jobs project the log before they read tables; production's do not. */
  readonly jobsReadCurrent: boolean
  readonly say: (text: string) => void
  /** Called with what must never happen. */
  readonly blame: (text: string) => void
}

const metrics: Metrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
  shift: () => undefined,
  clear: () => undefined,
  time: () => 0,
}

function createDeps(world: World, machine: Machine, clockOffMs: number) {
  const { schedule, database, say, blame } = world
  const line = createLine(machine, world)
  const rawDb = createSimulatedDb({
    database,
    line,
    machine,
    windowClockOffMs: world.defects.windowClockOffMs ?? 0,
  })
  const clock: Clock = {
    now: () => database.now() + clockOffMs,
    elapsed: schedule.now,
    pause: machine.pause,
  }
  const report = (fields: object, text: string) =>
    say(`${machine.id} logs: ${text} ${JSON.stringify(fields)}`)
  return {
    line,
    rawDb,
    deps: {
      clock,
      metrics,
      rawDb,
      db: readsCurrent(rawDb),
      batchDb: rawDb,
      leaseDb: rawDb,
      instanceId: machine.id,
      databaseLosses: line.losses,
      config: { PLATFORM_FEE_BPS: FEE_BPS, LEASE_SECONDS } as Deps['config'],
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: report,
        error: (fields: object, text: string) =>
          blame(`${machine.id} logs an error: ${text} ${JSON.stringify(fields)}`),
      },
    },
  }
}

/** Starts a gateway on a machine. */
export function startGateway(world: World, machine: Machine) {
  const { database, defects, chance } = world
  const { deps, line, rawDb } = createDeps(
    world,
    machine,
    chance.below(3) === 0 ? chance.below(20_000) - 10_000 : 0,
  )
  const { transactionOf } = rawDb
  const plain = createSimulatedStore({ database, line, machine, transactionOf }, defects.store)
  const memory = createLedgerMemory(PARTITIONS, BOUNDS)
  const store = defects.wrapStore?.(plain, memory) ?? plain
  const projector = createProjector(deps)
  const calls: CallLedger = createCallLedger(
    { ...deps, store, onAppended: projector.wake },
    {
      lanes: 1,
      room: { placesMax: 1_000, waitMsMax: 60_000 },
      memory: defects.memory?.(memory, database) ?? memory,
      announcedMax: 16,
      afterTurn: run => machine.after(0, run),
    },
  )
  const watch = createPeerWatch(deps, LEASE_SECONDS * 1_000)
  const gateway = {
    ...deps,
    machine,
    memory,
    calls,
    inFlight: createInFlightCalls(deps.clock),
    peers: defects.peers?.(watch, { database, machine }) ?? watch,
    tally: createCallTally(),
    targets: createTargetTally(deps.clock),
    /** True once it is registered and takes calls. */
    isReady: false,
  }
  const atWork = world.jobsReadCurrent ? gateway : { ...gateway, db: rawDb }
  every(world, gateway, LOOK_EVERY_MS, async () => {
    await keepLease(atWork)
    gateway.isReady = true
  })
  every(world, gateway, SWEEP_EVERY_MS, async () => {
    await recoverCalls(atWork)
  })
  every(world, gateway, RELEASE_EVERY_MS, async () => {
    await releaseUnreported(atWork)
  })
  return gateway
}

/** Repeats something like the jobs of a gateway: after a failure, the next run retries. */
function every(world: World, { machine }: { machine: Machine }, ms: number, work: () => Promise<void>): void {
  const turn = async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!isUnavailable(error)) world.blame(`${machine.id}: a job failed: ${String(error)}`)
    }
    await machine.pause(ms)
    return turn()
  }
  void turn()
}

/** Request of a caller. */
export type Ask = Omit<HoldRequest, 'invocationId' | 'quote' | 'counted' | 'service'>
