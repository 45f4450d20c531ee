import type { BooksCheck } from './books.ts'
import type { Crowd } from './crowd.ts'
import type { ModelFigures } from './model-parts.ts'
import { withSpread } from './table.ts'

type Table = readonly (readonly string[])[]

/** A table of the report with what stands above and below it. */
export type Section = { readonly title: string; readonly table: Table; readonly notes: readonly string[] }

/** The figures of streams and models as tables; parts that were left out have none. */
export function modelSections(figures: ModelFigures): Section[] {
  return [...firstByteSection(figures), ...crowdSection(figures), ...llmSection(figures)]
}

/** What of the verdict is no bar: money that moved, and whatever was wrong. */
export function modelFindings({ firstByte, full, cuts, llm, books }: ModelFigures): string[] {
  const errors = llm?.errors ?? 0
  return [
    `models: ${moneyOf(books)}`,
    ...[full, cuts?.crowd].flatMap(crowd => crowd?.books.findings ?? []),
    ...(cuts === null ? [] : [...cuts.release.books.findings, ...cuts.release.wrong]),
    ...books.findings,
    ...[firstByte, full, cuts?.crowd].flatMap(part => part?.lostSamples ?? []).map(why => `lost: ${why}`),
    ...(errors === 0
      ? []
      : [`${errors} wrong answers of models, the first: ${llm?.errorSamples.join(' // ')}`]),
  ]
}

/** How much calls cost, and whose money it was. */
export const moneyOf = ({ paidCalls, expectedUsdc, spentUsdc, earnedUsdc, feesUsdc }: BooksCheck): string =>
  `${paidCalls} paid calls cost ${expectedUsdc} USDC: owners spent ${spentUsdc}, ` +
  `providers earned ${earnedUsdc}, fees took ${feesUsdc}`

function firstByteSection({ firstByte }: ModelFigures): Section[] {
  if (firstByte === null) return []
  const { streams, direct, paid, addedP50Ms, lost } = firstByte
  return [
    {
      title: 'Time to the first event of a stream',
      table: [
        ['streams at once', 'contestant', 'p50 ms (rounds)', 'p99 ms (rounds)', 'added p50 ms (rounds)'],
        [String(streams), 'direct', withSpread(direct.p50Ms, 2), withSpread(direct.p99Ms, 2), ''],
        [
          ...[String(streams), 'gateway', withSpread(paid.p50Ms, 2), withSpread(paid.p99Ms, 2)],
          withSpread(addedP50Ms, 2),
        ],
      ],
      notes: [
        'From the request to the first event in the body. Callers read one stream of 50 chunks in a second after ' +
          'another; direct and paid rounds took turns, and what is added is the difference of the medians of each ' +
          `round. A paid stream starts when its hold is on disk. ${lost} streams were lost.`,
      ],
    },
  ]
}

function crowdSection({ full, cuts }: ModelFigures): Section[] {
  const crowds = [
    ...(full === null ? [] : [{ name: 'all to their end', crowd: full }]),
    ...(cuts === null ? [] : [{ name: '5 % cut, 5 % left', crowd: cuts.crowd }]),
  ]
  const [first] = crowds
  if (first === undefined) return []
  const { streams, chunksEach, paceMs } = first.crowd
  const released = cuts?.release
  return [
    {
      title: 'Many streams at once',
      table: [
        [
          ...[
            'run',
            'most at once',
            'whole / cut / left / lost',
            'seconds',
            'chunks/s',
            'chunk ms p50 / p99',
          ],
          ...['first event ms p50 / p99', 'gateway MiB before / peak', 'books'],
        ],
        ...crowds.map(({ name, crowd }) => [name, ...crowdCells(crowd)]),
      ],
      notes: [
        `${streams} paid streams of ${chunksEach} chunks, all begun within a second, a chunk every ${paceMs} ms from ` +
          `the model: ${Math.round((streams * 1_000) / Math.max(paceMs, 1))} chunks/s if nothing held them up. Chunk ` +
          'times are from the write of the model to the reading of the caller. A whole stream had every chunk in ' +
          'order, the bill over its usage, and `[DONE]`. Cut ones were told so; callers that left were charged the ' +
          'final usage.',
        ...(released === undefined
          ? []
          : [
              `After the cuts, ${cuts?.crowd.books.heldUsdc} USDC were held for ${released.waiting} calls that wait for ` +
                `their usage, and nothing else. When their window had passed, all was released ${released.seconds.toFixed(1)} s ` +
                'later (the window was moved in the database).',
            ]),
        ...crowds.map(({ name, crowd }) => `Processor seconds, ${name}: ${cpuOf(crowd)}.`),
      ],
    },
  ]
}

function crowdCells({ ends, openMost, seconds, chunks, chunk, firstEvent, memory, books }: Crowd): string[] {
  return [
    String(openMost),
    `${ends.whole} / ${ends.cut} / ${ends.left} / ${ends.lost}`,
    seconds.toFixed(1),
    String(Math.round(chunks / seconds)),
    `${chunk.p50.toFixed(1)} / ${chunk.p99.toFixed(1)}`,
    `${firstEvent.p50.toFixed(0)} / ${firstEvent.p99.toFixed(0)}`,
    memory === null ? 'unknown' : `${memory.beforeMiB.toFixed(0)} / ${memory.peakMiB.toFixed(0)}`,
    books.isExact ? 'exact' : 'NOT exact',
  ]
}

const cpuOf = ({ cpuSeconds }: Crowd): string =>
  Object.entries(cpuSeconds)
    .map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`)
    .join(', ') || 'unknown'

function llmSection({ llm }: ModelFigures): Section[] {
  if (llm === null) return []
  const rows = [
    { name: 'plain proxy: Fastify + undici', pace: llm.control, ratio: '' },
    { name: 'fixed price', pace: llm.fixed, ratio: '' },
    { name: 'model, whole answer', pace: llm.llm, ratio: withSpread(llm.ratio, 3) },
  ]
  return [
    {
      title: 'Calls of models that are answered whole',
      table: [
        ['callers', 'service', 'calls/s (rounds)', 'p50 ms', 'p99 ms', 'ratio (rounds)'],
        ...rows.map(({ name, pace, ratio }) => [
          ...[String(llm.callers), name, withSpread(pace.perSecond, 0)],
          ...[pace.p50Ms.median.toFixed(2), pace.p99Ms.median.toFixed(2), ratio],
        ]),
      ],
      notes: [
        'One owner, all served by the same process; the ratio is that to the fixed price in the same round. To the ' +
          `plain proxy, it is ${withSpread(llm.ratioToControl, 3)}.`,
      ],
    },
  ]
}
