import type { Settings } from '../kit/gateway-process.ts'
import type { Site, SiteGateway } from '../kit/site.ts'
import type { Reached } from './figures.ts'
import type { PartOn } from './market/paid-run.ts'
import type { Options } from './options.ts'

/** A table of the report, with its notes. */
export type Section = {
  readonly title: string
  readonly table: readonly (readonly string[])[]
  readonly notes: readonly string[]
}

/** Result of a part of the bench. */
export type PartResult = {
  readonly sections: readonly Section[]
  /** Figures that the part has measured. */
  readonly reached?: Reached
  /** The rest of the verdict. */
  readonly findings: readonly string[]
  /** True if every answer was right and the books are exact. The bench fails otherwise. */
  readonly isSound: boolean
}

/** A gateway with `owners` beside the hot one, on a new site by default. */
type GatewayOptions = { readonly owners: number; readonly settings?: Settings; readonly site?: Site }

/** Tools of a part while it runs. All that is started is stopped when the part is over, last first. */
export type Stage = {
  say(line: string): void
  stopLater<Started extends { stop(): Promise<void> }>(started: Started): Started
  /** Starts a database and a chain. */
  openSite(): Promise<Site>
  /** Starts a gateway with a database of its own. */
  startGateway(options: GatewayOptions): Promise<SiteGateway>
  /** Starts provider, callers and gateway. */
  openPart(options: GatewayOptions): Promise<PartOn>
}

/** Measures a part of the bench. */
export type RunPart = (options: Options, stage: Stage) => Promise<PartResult>
