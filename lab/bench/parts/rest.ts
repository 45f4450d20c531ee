import { setTimeout as pause } from 'node:timers/promises'
import { readProcessTimes, withProcessorSeconds } from '../../kit/proc.ts'
import type { Options } from '../options.ts'
import type { PartResult, Stage } from '../part.ts'

/** Wait until what a start leaves to do is done, and the measured time, in seconds. */
const SETTLE_SECONDS = 45
const SECONDS = 30

/** Measures the processor time of a gateway with an empty database, and of that, while nobody calls. */
export async function runRest(_options: Options, stage: Stage): Promise<PartResult> {
  const gateway = await stage.startGateway({ owners: 0 })
  stage.say('Nobody calls now ...')
  await pause(SETTLE_SECONDS * 1_000)
  const of = { servers: [gateway.pid], postmaster: gateway.postmaster }
  const connections = () => readProcessTimes().get('postgres: connections') ?? 0
  const before = connections()
  const { seconds } = await withProcessorSeconds(of, () => pause(SECONDS * 1_000))
  const perSecond = (spent: number) => (1_000 * spent) / SECONDS
  const [gatewayMs, databaseMs] = [perSecond(seconds.servers), perSecond(seconds.database)]
  const connectionsMs = perSecond(connections() - before)
  return {
    sections: [
      {
        title: 'At rest',
        table: [
          ['process', 'ms of processor a second'],
          ['gateway', gatewayMs.toFixed(1)],
          ['PostgreSQL', databaseMs.toFixed(1)],
        ],
        notes: [
          `Nobody calls, ${SECONDS} s from ${SETTLE_SECONDS} s after the start; all threads, and all processes of ` +
            `PostgreSQL (of which connections that are open ${connectionsMs.toFixed(1)} ms). The chain has a block ` +
            'every two seconds.',
        ],
      },
    ],
    reached: { restingGateway: gatewayMs, restingDatabase: databaseMs },
    findings: [],
    isSound: true,
  }
}
