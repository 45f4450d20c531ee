import { formatUsdc } from '@farebox/money'
import { withSpread } from '../../kit/tables.ts'
import type { Options } from '../options.ts'
import type { Section } from '../part.ts'
import { CONTESTANTS } from './contestants.ts'
import { BUSY_CALLERS, type Line } from './verdict.ts'

/** Calls at a fixed price as a table. */
export function callSection(lines: readonly Line[], options: Options): Section {
  const { rounds, seconds, owners, price } = options
  return {
    title: 'Calls at a fixed price',
    table: [
      [
        ...['callers', 'contestant', 'calls/s (rounds)', 'p50 ms', 'p99 ms', 'processor us a call'],
        ...['PostgreSQL us a call', '÷ plain proxy (rounds)'],
      ],
      ...lines.map(cellsOf),
    ],
    notes: [
      `${rounds} rounds of ${seconds} s, fewer beyond ${BUSY_CALLERS} callers; contestants took turns in each. A ratio ` +
        'is that to the plain proxy in the same round.',
      'Farebox: every call is held, forwarded, settled and stored with its answer, on disk before it is answered. "One ' +
        `owner" is one credential, all of whose calls move the same rows; "many owners" are ${owners} owners with a ` +
        `credential each, on the services of ten providers. A call costs ${formatUsdc(price)} USDC. Replays ` +
        'ask again for calls that were answered before.',
      'Processor time of a call is that of all threads of who serves it, and of all processes of PostgreSQL.',
    ],
  }
}

function cellsOf(line: Line): string[] {
  const { callers, contestant, perSecond, p50Ms, p99Ms, ratio } = line
  const isCompared = contestant !== 'control' && !Number.isNaN(ratio.median)
  return [
    ...[String(callers), CONTESTANTS[contestant], withSpread(perSecond, 0)],
    ...[p50Ms.median.toFixed(2), p99Ms.median.toFixed(2)],
    ...[line.serverMicros, line.databaseMicros].map(({ median }) => (median > 0 ? median.toFixed(0) : '')),
    isCompared ? withSpread(ratio, 3) : '',
  ]
}
