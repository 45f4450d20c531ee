import { GatewayError, isUnavailable } from '@farebox/wire/errors'
import type { Chance } from './chance.ts'
import type { Schedule } from './schedule.ts'

/** A process that may be killed or suspended. */
export type Machine = {
  readonly id: string
  isAlive(): boolean
  /** True if it was ever suspended. */
  wasStalled(): boolean
  isStalled(): boolean
  kill(): void
  /** Suspends it for this time. */
  stall(ms: number): void
  /** Resolves after `ms`, once it runs; never if it was killed. */
  pause(ms: number): Promise<void>
  after(ms: number, run: () => void): void
  whenKilled(report: () => void): void
}

/** Creates a running process. */
export function createMachine(schedule: Schedule, id: string): Machine {
  let isAlive = true
  let stalledUntil = 0
  const answered: (() => void)[] = []
  const after = (ms: number, run: () => void): void =>
    schedule.after(ms, () => {
      if (!isAlive) return
      if (stalledUntil > schedule.now()) after(stalledUntil - schedule.now(), run)
      else run()
    })
  return {
    id,
    isAlive: () => isAlive,
    wasStalled: () => stalledUntil > 0,
    isStalled: () => stalledUntil > schedule.now(),
    kill() {
      isAlive = false
      for (const report of answered.splice(0)) report()
    },
    stall(ms) {
      stalledUntil = Math.max(stalledUntil, schedule.now() + ms)
    },
    pause: ms => new Promise(resolve => after(ms, resolve)),
    after,
    whenKilled(report) {
      if (isAlive) answered.push(report)
      else report()
    },
  }
}

/** Probabilities of faults on the way to the database and back, and delays in ms. */
export type Faults = {
  isOn: boolean
  readonly wayMs: number
  readonly lostBefore: number
  readonly lostAfter: number
  readonly slow: number
  readonly kill: number
}

/** Connection of one gateway to the database. */
export type Line = {
  /** Sends a request to the server. Rejects with UNAVAILABLE if the way there or back is lost. */
  call<T>(what: string, work: () => Promise<T>): Promise<T>
  losses(): number
}

/** Typical maximum delay of a packet that is not lost, in ms. */
const SLOW_MS = 200
const LOST_AFTER_MS = 30

function begun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}

/** @param say called with faults */
export function createLine(
  machine: Machine,
  world: { schedule: Schedule; chance: Chance; faults: Faults; say: (text: string) => void },
): Line {
  const { schedule, chance, faults, say } = world
  let losses = 0
  const way = () => chance.wait(faults.isOn && chance.is(faults.slow) ? SLOW_MS : faults.wayMs)
  const mayDie = (when: 'before' | 'after', what: string): void => {
    if (!faults.isOn || !machine.isAlive() || !chance.is(faults.kill)) return
    say(`${machine.id} is killed ${when} ${what}`)
    machine.kill()
  }
  const lose = (what: string, reject: (error: unknown) => void): void =>
    machine.after(LOST_AFTER_MS, () => {
      losses += 1
      say(`${machine.id} lost the database: ${what}`)
      reject(new GatewayError('UNAVAILABLE'))
    })
  // A history has hundreds of these: they create as few promises as possible.
  return {
    losses: () => losses,
    call<T>(what: string, work: () => Promise<T>): Promise<T> {
      if (!machine.isAlive()) return new Promise(() => undefined)
      mayDie('before', what)
      const sentFor = way()
      return new Promise((resolve, reject) => {
        /** The answer travels back. */
        const back = (report: () => void): void => {
          mayDie('after', what)
          machine.after(way(), () => {
            if (faults.isOn && chance.is(faults.lostAfter)) lose(`the answer to ${what}`, reject)
            else report()
          })
        }
        schedule.after(sentFor, () => {
          if (faults.isOn && chance.is(faults.lostBefore)) return lose(`${what} was not sent`, reject)
          begun(work).then(
            value => back(() => resolve(value)),
            (error: unknown) =>
              back(() => {
                if (isUnavailable(error)) losses += 1
                reject(error)
              }),
          )
        })
      })
    },
  }
}
