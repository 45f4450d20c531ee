import { randomInt } from 'node:crypto'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'

/** Below the ports that systems give to outgoing connections (32,768 on Linux, 49,152 elsewhere). */
const [LEAST, MOST] = [20_000, 32_000]

/** A port for a part that is killed and comes back to it: no outgoing connection takes it meanwhile. */
export function lastingPort(): Promise<number> {
  return freePort('127.0.0.1', randomInt(LEAST, MOST))
}
