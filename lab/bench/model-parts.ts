import { type BooksCheck, checkBooks } from './books.ts'
import { type Crowd, passWindow, type Release, readCrowd } from './crowd.ts'
import { type FirstByte, timeFirstByte } from './first-byte.ts'
import { type LlmCalls, measureLlmCalls } from './llm-calls.ts'
import type { ModelRun } from './model-run.ts'
import type { Options } from './options.ts'

/** All that was measured with the model; null: that part was left out. */
export type ModelFigures = {
  readonly firstByte: FirstByte | null
  readonly full: Crowd | null
  readonly cuts: { readonly crowd: Crowd; readonly release: Release } | null
  readonly llm: LlmCalls | null
  /** The books after the last part. */
  readonly books: BooksCheck
}

/**
 * Runs the parts that were asked for. Streams come before calls by the thousand, so that the gateway's peak of memory
 * is that of the streams.
 */
export async function runModel(run: ModelRun, options: Options): Promise<ModelFigures> {
  const { parts, rounds, seconds, warmupSeconds, price, streams, chunks, paceMs } = options
  const shape = { streams, chunks, paceMs }
  const firstByte = parts.has('first-byte')
    ? await timeFirstByte(run, { rounds, seconds, warmupSeconds })
    : null
  const full = parts.has('full') ? (await readCrowd(run, { ...shape, hasFaults: false })).crowd : null
  const cuts = parts.has('cuts') ? await cutShort(run, shape) : null
  const llm = parts.has('llm') ? await measureLlmCalls(run, { rounds, seconds, warmupSeconds, price }) : null
  const books = await checkBooks(run.market, { before: run.before, due: run.account.due(null) })
  return { firstByte, full, cuts, llm, books }
}

async function cutShort(run: ModelRun, shape: { streams: number; chunks: number; paceMs: number }) {
  const { crowd, cutIds } = await readCrowd(run, { ...shape, hasFaults: true })
  return { crowd, release: await passWindow(run, cutIds) }
}
