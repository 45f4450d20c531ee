import { expect, test } from 'vitest'
import type { BooksCheck } from './books.ts'
import type { Crowd } from './crowd.ts'
import type { ModelFigures } from './model-parts.ts'
import { isSound, streamBarsOf } from './stream-verdict.ts'

const books: BooksCheck = {
  isExact: true,
  paidCalls: 1,
  expectedUsdc: '1.000000',
  spentUsdc: '1.000000',
  earnedUsdc: '1.000000',
  feesUsdc: '0.000000',
  heldUsdc: '0.000000',
  findings: [],
}
const wrong: BooksCheck = { ...books, isExact: false, findings: ['a micro is missing'] }
const times = { p50: 1, p99: 2, max: 3 }
const crowd: Crowd = {
  streams: 1_000,
  chunksEach: 200,
  paceMs: 50,
  openMost: 1_000,
  seconds: 11,
  chunks: 200_000,
  ends: { whole: 1_000, cut: 0, left: 0, lost: 0 },
  lostSamples: [],
  firstEvent: times,
  chunk: times,
  memory: { beforeMiB: 200, peakMiB: 399 },
  cpuSeconds: {},
  books,
}
const round = (value: number) => ({ median: value, least: value, most: value })
const firstByte = (added: number) => ({
  streams: 50,
  direct: { p50Ms: round(1), p99Ms: round(2) },
  paid: { p50Ms: round(3), p99Ms: round(4) },
  addedP50Ms: round(added),
  lost: 0,
  lostSamples: [],
})
const cuts = { crowd, release: { waiting: 50, seconds: 5, books, wrong: [] } }
const good: ModelFigures = { firstByte: firstByte(2), full: crowd, cuts, llm: null, books }

const metOf = (figures: ModelFigures) => streamBarsOf(figures).map(({ isMet }) => isMet)

test('the bars of streams are met at their edges, and missed beyond them', () => {
  expect(metOf(good)).toEqual([true, true, true, true])
  const big = { ...crowd, memory: { beforeMiB: 200, peakMiB: 400 }, openMost: 999 }
  expect(metOf({ ...good, full: big })).toEqual([false, false, true, true])
})

test('a crowd that is smaller than the bar asks for leaves the bar open', () => {
  expect(metOf({ ...good, full: { ...crowd, streams: 100 } }).slice(0, 2)).toEqual([null, null])
  expect(metOf({ ...good, firstByte: null, full: null, cuts: null })).toEqual([null, null, null, true])
})

test.each<[string, Partial<ModelFigures>]>([
  ['a stream is lost', { full: { ...crowd, ends: { ...crowd.ends, lost: 1 } } }],
  ['books are not exact with holds open', { cuts: { ...cuts, crowd: { ...crowd, books: wrong } } }],
  ['a hold outlives its window', { cuts: { ...cuts, release: { ...cuts.release, books: wrong } } }],
  ['a cut call ends in another state', { cuts: { ...cuts, release: { ...cuts.release, wrong: ['inv_1'] } } }],
  ['a stream is lost while first events are timed', { firstByte: { ...firstByte(1), lost: 1 } }],
  ['the books are wrong at last', { books: wrong }],
])('a run is not sound when %s', (_, part) => {
  expect(isSound(good)).toBe(true)
  expect(isSound({ ...good, ...part })).toBe(false)
})
