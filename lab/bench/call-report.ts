import { areCallsSound, type CallFigures } from './calls.ts'
import type { ChartBar } from './chart.ts'
import { CONTESTANTS, type ContestantName } from './contestants.ts'
import type { PartResult } from './part.ts'
import { moneyOf, type Section } from './stream-report.ts'
import { withSpread } from './table.ts'
import { ALONE, BUSY_CALLERS, barsOf, type Line, noiseOf, reachedBy } from './verdict.ts'

const HEADINGS = [
  'callers',
  'contestant',
  'calls/s (rounds)',
  'p50 ms',
  'p99 ms',
  'processor us a call',
  'PostgreSQL us a call',
  '÷ plain proxy (rounds)',
  'added p50 ms (rounds)',
]
/** Those that call nobody else's provider: there is nothing that they add to. */
const NOTHING_ADDED: readonly ContestantName[] = ['direct', 'naive', 'inserts']
const OURS: readonly ContestantName[] = ['hot', 'spread', 'crowded', 'replay']

/** What calls at a fixed price came to, as a part of the report. */
export function callResult(figures: CallFigures): PartResult {
  const { lines, series, books, naiveFindings, errors, errorSamples } = figures
  return {
    figures: { ...figures, series: undefined },
    sections: [callSection(figures)],
    bars: barsOf(series, books.isExact),
    reached: reachedBy(series),
    findings: [
      ...noiseOf(lines),
      ...shedsOf(lines),
      moneyOf(books),
      ...books.findings,
      ...naiveFindings,
      `${errors} wrong answers${errors === 0 ? '' : `, the first: ${errorSamples.join(' // ')}`}`,
    ],
    isSound: areCallsSound(figures),
    chart: { perSecond: rateBars(lines), addedMs: addedBars(lines) },
  }
}

function shedsOf(lines: readonly Line[]): string[] {
  return lines.flatMap(({ callers, contestant, shedPerSecond: { median, most } }) => {
    if (most === 0) return []
    return [
      `${CONTESTANTS[contestant]}, ${callers} callers: ${median.toFixed(0)} calls/s were told to try later`,
    ]
  })
}

function callSection(figures: CallFigures): Section {
  const { lines, rounds, seconds, owners, priceUsdc, naiveConnections } = figures
  return {
    title: 'Calls at a fixed price',
    table: [HEADINGS, ...lines.map(cellsOf)],
    notes: [
      `${rounds} rounds of ${seconds} s, fewer beyond ${BUSY_CALLERS} callers; contestants took turns in each. A ratio ` +
        'is that to the plain proxy in the same round; what is added is the median latency beyond that of the ' +
        'provider itself in the same round.',
      'Farebox: every call is held, forwarded, settled and stored with its answer, on disk before it is answered. "One ' +
        `owner" is one credential, all of whose calls move the same rows; "many owners" are ${owners} owners with a ` +
        `credential each, on the services of ten providers or of one. A call costs ${priceUsdc} USDC. Replays ask again ` +
        'for calls that were answered before.',
      'Processor time of a call is that of all threads of who serves it, and of all processes of PostgreSQL.',
      ...(naiveConnections === null ? [] : [peersNote(naiveConnections)]),
    ],
  }
}

const peersNote = (naiveConnections: number): string =>
  'Portkey passes the same question on as a chat completion, the one form in which it proxies, and is answered by ' +
  'one of the same length. The naive ledger does what a paid call does to the money, each step a transaction of ' +
  `its own, to a database of the same server, on ${naiveConnections} connections (the best of several numbers), ` +
  'for one owner, and calls nobody.'

function cellsOf(line: Line): string[] {
  const { contestant, perSecond, p50Ms, p99Ms, ratio, addedP50Ms } = line
  return [
    ...[String(line.callers), CONTESTANTS[contestant], withSpread(perSecond, 0)],
    ...[p50Ms.median.toFixed(2), p99Ms.median.toFixed(2)],
    ...[line.serverMicros, line.databaseMicros].map(({ median }) => (median > 0 ? median.toFixed(0) : '')),
    contestant === 'control' || Number.isNaN(ratio.median) ? '' : withSpread(ratio, 3),
    NOTHING_ADDED.includes(contestant) || addedP50Ms === null ? '' : withSpread(addedP50Ms, 2),
  ]
}

function rateBars(lines: readonly Line[]): ChartBar[] {
  return lines
    .filter(({ callers, contestant }) => callers === BUSY_CALLERS && contestant !== 'direct')
    .map(({ contestant, perSecond, ratio }) => ({
      name: CONTESTANTS[contestant],
      value: perSecond,
      isOurs: OURS.includes(contestant),
      note:
        contestant === 'control' || Number.isNaN(ratio.median)
          ? ''
          : `${shareText(ratio.median)} × plain proxy`,
    }))
}

function addedBars(lines: readonly Line[]): ChartBar[] {
  return lines.flatMap(({ callers, contestant, addedP50Ms }) => {
    const isLeftOut = callers !== ALONE || addedP50Ms === null || NOTHING_ADDED.includes(contestant)
    if (isLeftOut) return []
    return [{ name: CONTESTANTS[contestant], value: addedP50Ms, note: '', isOurs: OURS.includes(contestant) }]
  })
}

/** Two digits that mean something, of large shares and of small ones. */
export const shareText = (share: number): string => share.toFixed(share < 0.1 ? 3 : 2)
