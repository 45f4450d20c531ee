import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of this process's heap that are in use once everything is collected that can be. */
export function heapInUse(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
