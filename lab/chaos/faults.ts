import { setTimeout as delay } from 'node:timers/promises'
import type { TcpProxy, Tripwire } from '../../apps/gateway/test/kit/network/tcp-proxy.ts'
import type { LabGateway } from './parts/gateways.ts'
import type { Lab } from './parts/lab.ts'
import type { Fault, LineName, Point } from './plan.ts'

/** Starts of a gateway that does not come up because of what was only just undone. */
const STARTS_MAX = 3

/** Undoes a fault; safe to call twice. */
type Undo = () => Promise<void> | void

/** The faults of a round. */
export type Faults = {
  /** Undoes all faults: afterwards every part runs and every line works. */
  heal(): Promise<void>
  /** Faults that have happened, without those at points that no call reached. */
  readonly happened: readonly Fault[]
}

/** Schedules the faults of a plan. */
export function startFaults(lab: Lab, plan: readonly Fault[]): Faults {
  const happened: Fault[] = []
  const undo: Undo[] = []
  let isOver = false
  const happen = async (fault: Fault): Promise<void> => {
    await delay(fault.atMs)
    if (isOver) return
    await begin(lab, fault, {
      happens: () => happened.push(fault),
      after(ms, task) {
        const once = onlyOnce(task)
        undo.push(once)
        // Healing waits for the same promise and reports its failure.
        void delay(ms)
          .then(once)
          .catch(() => undefined)
      },
    })
  }
  /** Undoes all that was begun by now. */
  const undoAll = async (): Promise<void> => {
    await Promise.all(undo.map(task => task()))
    lab.providers.onPoint = () => undefined
    for (const line of lab.allLines()) line.heal()
    for (const gateway of lab.gateways) gateway.setClock(0)
  }
  // A fault of a part that another fault has taken away does not come about.
  const inFlight = plan.map(fault => happen(fault).catch(() => undefined))
  return {
    happened,
    async heal() {
      isOver = true
      await undoAll()
      const starts = lab.gateways.map(gateway => gateway.start().catch(() => undefined))
      await Promise.all([...inFlight, ...starts])
      // On a busy machine, one may have begun only now.
      await undoAll()
      await Promise.all(lab.gateways.map(wakeUp))
    },
  }
}

/** Starts a gateway; again if it was killed or lost its database during the start. */
async function wakeUp(gateway: LabGateway): Promise<void> {
  for (let attempt = 1; attempt < STARTS_MAX; attempt += 1) {
    try {
      await gateway.start()
      if (gateway.isAlive()) return
    } catch {
      // It says why in its log; the last attempt says so here.
    }
  }
  await gateway.start()
}

type Course = {
  readonly happens: () => void
  /** Undoes it after so long, or when all is healed. */
  readonly after: (ms: number, task: Undo) => void
}

async function begin(lab: Lab, fault: Fault, course: Course): Promise<void> {
  const { database, chain } = lab
  switch (fault.kind) {
    case 'kill gateway':
      lab.gateway(fault.gateway).kill()
      return course.happens()
    case 'kill gateway at':
      return armPoint(lab, fault, course.happens)
    case 'freeze gateway': {
      course.happens()
      return course.after(fault.forMs, lab.gateway(fault.gateway).freeze())
    }
    case 'restart gateway':
      course.happens()
      return lab.gateway(fault.gateway).restart()
    case 'kill database':
      await database.kill()
      course.happens()
      return course.after(fault.forMs, () => database.restart())
    case 'freeze database': {
      const goOn = await database.freeze()
      course.happens()
      return course.after(fault.forMs, goOn)
    }
    case 'kill chain':
      await chain.kill()
      course.happens()
      return course.after(fault.forMs, () => chain.restart())
    case 'roll chain back':
      await chain.rollBack(fault.blocks)
      return course.happens()
    case 'fork chain':
      await chain.fork(fault.blocks)
      return course.happens()
    case 'line': {
      course.happens()
      const line = lineOf(lab, fault.line)
      line.bend(fault.mode)
      return course.after(fault.forMs, () => line.heal())
    }
    case 'jump clock': {
      course.happens()
      const gateway = lab.gateway(fault.gateway)
      gateway.setClock(fault.byMs)
      return course.after(fault.forMs, () => gateway.setClock(0))
    }
  }
}

function lineOf(lab: Lab, name: LineName): TcpProxy {
  if ('provider' in name) return lab.lines[name.provider]
  const { lines } = lab.gateway(name.gateway)
  switch (name.between) {
    case 'callers and gateway':
      return lines.callers
    case 'gateway and database':
      return lines.database
    case 'gateway and chain':
      return lines.chain
  }
}

/**
 * Texts that a gateway sends to its database at points: of a statement, or of the events in an append.
 */
const STATEMENTS: Partial<Record<Point, Pick<Tripwire, 'texts' | 'stops'>>> = {
  'hold not sent': { texts: ['"credential":"cred_'], stops: 'before' },
  'hold committed, not answered': { texts: ['"credential":"cred_'], stops: 'after' },
  'settlement not sent': { texts: ['"charge":"'], stops: 'before' },
  'settlement committed, not answered': { texts: ['"charge":"'], stops: 'after' },
  'withdrawal committed, not answered': { texts: ['insert into withdrawals', 'COMMIT\0'], stops: 'after' },
  'deposit committed, not answered': { texts: ['set credited_at', 'COMMIT\0'], stops: 'after' },
  'cursor not sent': { texts: ['update vault_cursors set block_number'], stops: 'before' },
}

/** Kills a gateway the next time that it, or one of its calls, reaches a point. */
function armPoint(lab: Lab, fault: Extract<Fault, { kind: 'kill gateway at' }>, happens: () => void): void {
  const { gateway: index, point } = fault
  const gateway = lab.gateway(index)
  let isArmed = true
  const act = () => {
    if (!isArmed) return
    isArmed = false
    gateway.kill()
    happens()
  }
  const statement = STATEMENTS[point]
  if (statement !== undefined) gateway.lines.database.watch({ ...statement, act })
  else if (point === 'answer begins')
    gateway.lines.callers.watch({ texts: ['/api/v1/agent/invoke'], stops: 'after', act })
  else {
    const before = lab.providers.onPoint
    lab.providers.onPoint = (reached, via) => {
      before(reached, via)
      if (reached === point && via === index) act()
    }
  }
}

/** Returns a function that runs a task at its first call; all calls wait for its end. */
function onlyOnce(task: Undo): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= Promise.resolve(task())
    return done
  }
}
