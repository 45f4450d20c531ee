import { setTimeout as delay } from 'node:timers/promises'
import { signalAll } from '../kit/processes.ts'
import type { Node } from './node.ts'
import { killIn } from './processes.ts'

/** The old primary's PostgreSQL runs alone for so long before its Patroni wakes up, too. */
const WAKES_ALONE_MS = 3_000

/** A fault of a primary. */
export type Fault = {
  readonly name: string
  /** In the report. */
  readonly what: string
  /** Causes the fault. Returns a function that undoes it. */
  befall(node: Node): Promise<() => Promise<void>>
}

/** By name. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    what: 'PostgreSQL killed: SIGKILL to every process of it',
    async befall(node) {
      await killIn(node.dataDirectory)
      return async () => undefined // Patroni starts it again by itself
    },
  },
  {
    name: 'lost',
    what: 'machine lost: SIGKILL to PostgreSQL, Patroni and etcd of it',
    async befall(node) {
      const { patroni, etcd } = await node.pids()
      signalAll([...patroni, ...etcd], 'SIGKILL')
      await killIn(node.dataDirectory)
      return () => node.start()
    },
  },
  {
    name: 'freeze',
    what: 'machine frozen: SIGSTOP to PostgreSQL and Patroni; PostgreSQL wakes up first',
    async befall(node) {
      const { postgres, patroni } = await node.pids()
      signalAll([...patroni, ...postgres], 'SIGSTOP')
      return async () => {
        signalAll(postgres, 'SIGCONT')
        await delay(WAKES_ALONE_MS)
        signalAll(patroni, 'SIGCONT')
      }
    },
  },
  {
    name: 'partition',
    what: 'machine cut off: every packet to and from it vanishes',
    async befall(node) {
      await node.place.cut()
      return () => node.place.heal()
    },
  },
]
