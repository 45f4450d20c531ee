import type { Mode } from '../../apps/gateway/test/kit/network/tcp-proxy.ts'
import { createRandom, type Random } from './random.ts'

/** Gateways on the one database. */
export const GATEWAYS = 2
/** Duration of a round's load, in ms. */
export const LOAD_MS = 1_800
/** Callers that call paid services at once. */
export const CALLERS = 10
/** Confirmations that the gateways ask for: a chain is never taken back further than they allow. */
export const CONFIRMATIONS = 4
/** After so many rounds there is one at whose end the tickets that are out run out of time. */
const EXPIRES_EVERY = 5
/** Faults of one round at most. */
const FAULTS_MAX = 3

/** The providers, each with a line of its own from the gateways; `spare` is a second way to the first of them. */
export const PROVIDERS = ['fixed', 'slow', 'failing', 'model', 'spare'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Points at which a gateway is killed when it, or one of its calls, reaches them. */
export const POINTS = [
  'hold not sent',
  'hold committed, not answered',
  'settlement not sent',
  'settlement committed, not answered',
  'withdrawal committed, not answered',
  'deposit committed, not answered',
  'cursor not sent',
  'provider asked',
  'half of the body sent',
  'provider answered',
  'answer begins',
] as const
export type Point = (typeof POINTS)[number]

/** One line of the laboratory: of a gateway by its number, or of a provider by its name. */
export type LineName =
  | {
      readonly between: 'callers and gateway' | 'gateway and database' | 'gateway and chain'
      readonly gateway: number
    }
  | { readonly between: 'gateways and provider'; readonly provider: ProviderName }

/** One thing that goes wrong, so many ms after the load began. */
export type Fault = { readonly atMs: number } & (
  | { readonly kind: 'kill gateway'; readonly gateway: number }
  | { readonly kind: 'kill gateway at'; readonly gateway: number; readonly point: Point }
  | { readonly kind: 'freeze gateway'; readonly gateway: number; readonly forMs: number }
  | { readonly kind: 'restart gateway'; readonly gateway: number }
  | { readonly kind: 'kill database'; readonly forMs: number }
  | { readonly kind: 'freeze database'; readonly forMs: number }
  | { readonly kind: 'kill chain'; readonly forMs: number }
  | { readonly kind: 'roll chain back'; readonly blocks: number }
  | { readonly kind: 'fork chain'; readonly blocks: number }
  | { readonly kind: 'line'; readonly line: LineName; readonly mode: Mode; readonly forMs: number }
  | { readonly kind: 'jump clock'; readonly gateway: number; readonly byMs: number; readonly forMs: number }
)
export type FaultKind = Fault['kind']

const KINDS: readonly FaultKind[] = [
  ...(['kill gateway', 'kill gateway at', 'freeze gateway', 'restart gateway'] as const),
  ...(['kill database', 'freeze database', 'kill chain', 'roll chain back', 'fork chain'] as const),
  ...(['line', 'jump clock'] as const),
]
/** One of the first faults of every so many rounds is of a kind; lines have many ways to fail, and points too. */
const DECK: readonly FaultKind[] = [...KINDS, 'line', 'line', 'line', 'kill gateway at', 'kill gateway at']

/** All that a round is made of, but for what scheduling makes of it. */
export type Plan = {
  readonly seed: string
  readonly round: number
  readonly faults: readonly Fault[]
  /** True if chain time passes the deadlines of open tickets at its end. */
  readonly expires: boolean
}

/**
 * Plans a round. The same seed and number give the same plan, whatever was run before. Over each {@link DECK} of
 * rounds every kind of fault comes first at least once.
 *
 * @param round from 1
 */
export function planRound(seed: string, round: number): Plan {
  const cycle = Math.floor((round - 1) / DECK.length)
  const deck = createRandom(`${seed} deck ${cycle}`).shuffle(DECK)
  const random = createRandom(`${seed} round ${round}`)
  const first = deck[(round - 1) % DECK.length] ?? random.pick(DECK)
  const kinds = [first, ...Array.from({ length: random.int(0, FAULTS_MAX - 1) }, () => random.pick(DECK))]
  const faults: Fault[] = []
  for (const kind of kinds) {
    const fault = drawFault(random, kind)
    if (!faults.some(other => isSameTarget(other, fault))) faults.push(fault)
  }
  faults.sort((one, other) => one.atMs - other.atMs)
  return { seed, round, faults, expires: round % EXPIRES_EVERY === 0 }
}

function drawFault(random: Random, kind: FaultKind): Fault {
  const atMs = random.int(100, LOAD_MS - 700)
  const gateway = random.int(0, GATEWAYS - 1)
  const forMs = random.int(150, 600)
  switch (kind) {
    case 'kill gateway':
    case 'restart gateway':
      return { kind, atMs, gateway }
    case 'kill gateway at':
      return { kind, atMs: random.int(20, LOAD_MS / 3), gateway, point: random.pick(POINTS) }
    case 'freeze gateway':
      // Longer than its lease, as a rule: others then end its calls, and it wakes up to find them ended.
      return { kind, atMs, gateway, forMs: random.int(600, 2_200) }
    case 'kill database':
    case 'freeze database':
    case 'kill chain':
      return { kind, atMs, forMs }
    case 'roll chain back':
    case 'fork chain':
      return { kind, atMs, blocks: random.int(1, CONFIRMATIONS - 1) }
    case 'line':
      return { kind, atMs, line: drawLine(random), mode: drawMode(random), forMs: random.int(200, 1_200) }
    case 'jump clock':
      return {
        kind,
        atMs,
        gateway,
        byMs: random.pick([-1, 1]) * random.int(60_000, 7_200_000),
        forMs: LOAD_MS,
      }
  }
}

function drawLine(random: Random): LineName {
  const between = random.pick([
    'callers and gateway',
    'gateway and database',
    'gateway and chain',
    'gateways and provider',
  ] as const)
  if (between === 'gateways and provider') return { between, provider: random.pick(PROVIDERS) }
  return { between, gateway: random.int(0, GATEWAYS - 1) }
}

function drawMode(random: Random): Mode {
  const kind = random.pick(['latency', 'reset', 'cut', 'black hole', 'slow close'] as const)
  switch (kind) {
    case 'latency':
      return { kind, ms: random.int(5, 150) }
    case 'cut':
      return { kind, afterBytes: random.int(0, 6_000), way: random.pick(['up', 'down'] as const) }
    case 'slow close':
      return { kind, ms: random.int(100, 600) }
    case 'reset':
    case 'black hole':
      return { kind }
  }
}

/**
 * Returns whether two faults are of the same part and kind: one is enough. Two that take blocks back could
 * together take back more than the confirmations allow, for which there is no promise.
 */
function isSameTarget(one: Fault, other: Fault): boolean {
  if (takesBlocksBack(one) && takesBlocksBack(other)) return true
  return one.kind === other.kind && targetOf(one) === targetOf(other)
}

const takesBlocksBack = ({ kind }: Fault) => kind === 'roll chain back' || kind === 'fork chain'

function targetOf(fault: Fault): string {
  if (fault.kind === 'line') return JSON.stringify(fault.line)
  return 'gateway' in fault ? String(fault.gateway) : ''
}

/** Returns the kind that a fault is counted by. */
export function kindOf(fault: Fault): string {
  if (fault.kind === 'kill gateway at') return `${fault.kind} "${fault.point}"`
  if (fault.kind === 'line') return `${fault.mode.kind} between ${fault.line.between}`
  return fault.kind
}

/** Returns a fault in words. */
export function describeFault(fault: Fault): string {
  const { kind, atMs, ...more } = fault
  const details = Object.entries(more).map(([name, value]) => {
    return typeof value === 'object' ? Object.values(value).join(' ') : `${name} ${value}`
  })
  return [`${kind} at ${atMs} ms`, ...details].join(', ')
}
