import type { ChartBar } from './chart.ts'
import type { Reached } from './figures.ts'
import type { Options, Part } from './options.ts'
import type { Section } from './stream-report.ts'
import type { Bar } from './verdict.ts'

/** What a part of the bench came to. */
export type PartResult = {
  /** Everything that was measured, as it is kept in latest.json. */
  readonly figures: object
  readonly sections: readonly Section[]
  /** Of the figures of the core, those that were measured. */
  readonly reached?: Reached
  readonly bars: readonly Bar[]
  /** What of the verdict is no bar. */
  readonly findings: readonly string[]
  /** Whether every answer was right and the books are exact. The bench fails otherwise. */
  readonly isSound: boolean
  /** Bars for the chart: calls per second with many callers, and milliseconds added to the call of one. */
  readonly chart?: { readonly perSecond: readonly ChartBar[]; readonly addedMs: readonly ChartBar[] }
}

/** What a part has at hand while it runs. */
export type Stage = {
  say(line: string): void
  /** Has what was started stopped when the part is over, last first. */
  stopLater<Started extends { stop(): Promise<void> }>(started: Started): Started
  /** Notes what of the machine only a running database tells, before the load. */
  noteDatabase(dataDirectory: string): Promise<void>
  /** Notes versions of programs that take part. */
  noteVersions(versions: Readonly<Record<string, string>>): void
}

/** A part of the bench: what it goes by in the results, the flags that ask for it, and how it is run. */
export type PartRunner = {
  readonly name: string
  readonly parts: readonly Part[]
  run(options: Options, stage: Stage): Promise<PartResult>
}
