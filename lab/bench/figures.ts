import { type Summary, withSpread } from '../kit/tables.ts'

type Figure = {
  readonly name: string
  readonly must: number
  readonly goal: number
  /** True if less is better. */
  readonly isAtMost: boolean
  readonly unit: string
  readonly digits: number
}

const atMost = (name: string, must: number, goal: number, unit = '', digits = 2): Figure => {
  return { name, must, goal, isAtMost: true, unit, digits }
}
const atLeast = (name: string, must: number, goal: number): Figure => {
  return { name, must, goal, isAtMost: false, unit: '', digits: 2 }
}

/** Limits of a paid call beside a proxied one, and other limits of the gateway. */
const FIGURES = {
  gatewayTime: atMost('processor time of the gateway per paid call ÷ proxied call, many owners', 2.2, 1.6),
  databaseTime: atMost('the same of PostgreSQL', 0.5, 0.35),
  oneOwner: atLeast('calls/s of one owner ÷ proxy', 0.45, 0.6),
  manyOwners: atLeast('calls/s of many owners ÷ proxy', 0.45, 0.6),
  hotBySpread: atLeast('calls/s of one owner ÷ many owners', 0.9, 1),
  spreadByHot: atLeast('calls/s of many owners ÷ one owner', 0.9, 1),
  replays: atLeast('replays of known keys ÷ proxy', 0.6, 0.9),
  aloneP50: atMost('p50 of one caller ÷ (two durable inserts + a proxied call)', 1.5, 1.3),
  aloneP99: atMost('p99 of one caller ÷ its p50', 4, 2.5),
  firstEvent: atMost('first event of a stream, added p50 at 50 streams', 2.5, 1.5, ' ms'),
  twoGateways: atLeast('calls/s of two gateways, callers at random ÷ one', 0.8, 1),
  oneOwnerWithHistory: atLeast('calls/s behind a history ÷ empty, one owner', 0.9, 1),
  manyOwnersWithHistory: atLeast('calls/s behind a history ÷ empty, many owners', 0.9, 1),
  restingGateway: atMost('at rest, processor time a second of the gateway', 10, 5, ' ms', 1),
  restingDatabase: atMost('at rest, processor time a second of PostgreSQL', 5, 2, ' ms', 1),
  memory: atMost('memory at 256 callers and many owners, at its peak', 512, 300, ' MiB', 0),
  memoryGrowth: atMost('growth of that memory a minute', 1, 1, ' MiB'),
  start: atMost('start on a database with a history, to ready', 5, 2, ' s'),
  hostileMs: atMost('time that one hostile answer holds others up beyond rest', 50, 50, ' ms', 0),
  hostileCrowdMs: atMost('longest /health beside 50 hostile answers', 2_000, 2_000, ' ms', 0),
  hostileMemory: atMost('memory with 50 refused answers', 512, 512, ' MiB', 0),
} as const satisfies Record<string, Figure>

/** Figures that a part of the bench measured; null: not in this run. */
export type Reached = { readonly [Key in keyof typeof FIGURES]?: Summary | number | null }

/** Returns whether a figure is within a bar. */
const reaches = ({ isAtMost }: Figure, bar: number, value: number): boolean =>
  isAtMost ? value <= bar : value >= bar

/** The table of all figures of which any was measured; null when none was. */
export function figureTable(reached: Reached): (readonly string[])[] | null {
  if (Object.values(reached).every(found => found === null)) return null
  const rows = Object.entries(FIGURES).map(([key, figure]) => {
    const { name, must, goal, unit, digits } = figure
    const limits = [`${must}${unit}`, `${goal}${unit}`]
    const found = reached[key as keyof Reached] ?? null
    if (found === null) return [name, ...limits, '-', 'not measured']
    const value = typeof found === 'number' ? found : found.median
    const measured = typeof found === 'number' ? found.toFixed(digits) : withSpread(found, digits)
    const met = reaches(figure, goal, value) ? 'goal' : reaches(figure, must, value) ? 'must' : 'NOT met'
    return [name, ...limits, `${measured}${unit}`, met]
  })
  return [['figure', 'must', 'goal', 'measured (rounds)', 'met'], ...rows]
}
