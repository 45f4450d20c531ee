/** A V8 CPU profile as `--cpu-prof` writes it; times in microseconds of the monotonic clock. */
export type CpuProfile = {
  readonly startTime: number
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type ProfileNode = {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** Time of one function or one group, as shares of the time in which the process was not idle. */
export type Share = { readonly name: string; readonly self: number; readonly total: number }

/** What a profile says about a stretch of time. */
export type ProfileSummary = {
  /** Share of the stretch in which the process had something to do. */
  readonly busy: number
  /** By the package or the part of Node that the running function belongs to. `total` equals `self`. */
  readonly byPackage: readonly Share[]
  /** Functions by the time they themselves took. */
  readonly bySelf: readonly Share[]
  /** Our own functions by the time they and all they called took. */
  readonly byTotal: readonly Share[]
}

const IDLE = '(idle)'

/**
 * Sums a profile up over a stretch of time.
 *
 * @param stretch from and to, in microseconds of the monotonic clock (`process.hrtime`)
 */
export function summarise(profile: CpuProfile, stretch: { from: number; to: number }): ProfileSummary {
  const nodes = new Map(profile.nodes.map(node => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id])))
  const microsByNode = samplesWithin(profile, stretch)

  const self = new Map<string, number>()
  const total = new Map<string, number>()
  const packages = new Map<string, number>()
  let idle = 0
  let busy = 0
  for (const [id, micros] of microsByNode) {
    const node = nodes.get(id)
    if (node === undefined) continue
    if (node.callFrame.functionName === IDLE) {
      idle += micros
      continue
    }
    busy += micros
    add(self, nameOf(node), micros)
    add(packages, packageOf(node), micros)
    // A function that calls itself is on the stack more than once, and its time still passed only once.
    const stack = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = nodes.get(at)
      if (frame !== undefined && isOurs(frame)) stack.add(nameOf(frame))
    }
    for (const name of stack) add(total, name, micros)
  }

  const shares = (of: Map<string, number>, order: 'self' | 'total'): Share[] =>
    [...of.keys()]
      .map(name => ({
        name,
        self: (self.get(name) ?? of.get(name) ?? 0) / busy,
        total: (total.get(name) ?? of.get(name) ?? 0) / busy,
      }))
      .sort((a, b) => b[order] - a[order])
  return {
    busy: busy / (busy + idle),
    byPackage: shares(packages, 'self'),
    bySelf: shares(self, 'self'),
    byTotal: shares(total, 'total'),
  }
}

/** Microseconds by node. A sample stands for the time until the next one. */
function samplesWithin(
  { samples, timeDeltas, startTime }: CpuProfile,
  stretch: { from: number; to: number },
) {
  const micros = new Map<number, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0
    if (at >= stretch.from && at < stretch.to)
      micros.set(id, (micros.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0))
  }
  return micros
}

function add(to: Map<string, number>, name: string, micros: number): void {
  to.set(name, (to.get(name) ?? 0) + micros)
}

/** Function, file and line, the file from the package or the repository on. */
function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  if (url === '') return name
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^file:.*\/(apps|packages)\//, '$1/')
  return `${name} ${file}:${lineNumber + 1}`
}

function packageOf({ callFrame: { functionName, url } }: ProfileNode): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native'
  const installed = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (installed !== undefined && !installed.startsWith('@farebox/')) return installed
  return url.startsWith('node:') ? 'node' : 'farebox'
}

function isOurs(node: ProfileNode): boolean {
  return packageOf(node) === 'farebox'
}
