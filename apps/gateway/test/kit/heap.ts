import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects garbage. */
export const collectGarbage = runInNewContext('gc') as () => void

/** Returns the heap in use after garbage collection, in bytes. */
export function heapInUse(): number {
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().heapUsed
}
