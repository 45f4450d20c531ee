import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** A process: `seconds` is its processor time so far, of a postmaster with that of its children that have ended. */
type Process = {
  readonly pid: number
  readonly parent: number
  readonly name: string
  readonly seconds: number
}

/** Processor time so far, in seconds, of some processes and of a PostgreSQL. */
export type ProcessorSeconds = { readonly servers: number; readonly database: number }

/**
 * Processor time so far of some processes, all threads, and of all processes of a PostgreSQL.
 *
 * @param of.servers    process ids
 * @param of.postmaster of the PostgreSQL
 */
function readProcessorSeconds(of: { servers: readonly number[]; postmaster: number }): ProcessorSeconds {
  const sum = { servers: 0, database: 0 }
  for (const { pid, parent, seconds } of readProcesses()) {
    if (of.servers.includes(pid)) sum.servers += seconds
    if (pid === of.postmaster || parent === of.postmaster) sum.database += seconds
  }
  return sum
}

/** Runs some work and tells what it took, in seconds: see {@link readProcessorSeconds}. */
export async function withProcessorSeconds<Result>(
  of: { servers: readonly number[]; postmaster: number },
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: ProcessorSeconds }> {
  const before = readProcessorSeconds(of)
  const result = await work()
  const after = readProcessorSeconds(of)
  const seconds = {
    servers: after.servers - before.servers,
    database: after.database - before.database,
  }
  return { result, seconds }
}

/**
 * Processor time so far of this process and all that it has started, in seconds, summed by what they are:
 * PostgreSQL by its roles, scripts by their file, others by their program. Empty where there is no /proc.
 */
export function readProcessTimes(): Map<string, number> {
  const processes = readProcesses()
  const ours = new Set([process.pid])
  // Children of children are found in a later pass; a pass that finds nobody is the last.
  for (let found = -1; found !== ours.size; ) {
    found = ours.size
    for (const { pid, parent } of processes) if (ours.has(parent)) ours.add(pid)
  }
  const times = new Map<string, number>()
  for (const { pid, name, seconds } of processes) {
    if (ours.has(pid)) times.set(name, (times.get(name) ?? 0) + seconds)
  }
  return times
}

/** All processes, in one step: one that ends meanwhile would be missing among both its own kind and its parent's. */
function readProcesses(): Process[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter(name => /^\d+$/.test(name)) : []
  return pids.flatMap(pid => {
    const [stat, commandLine] = [readIfThere(`/proc/${pid}/stat`), readIfThere(`/proc/${pid}/cmdline`)]
    if (stat === '') return []
    // proc(5): after the name in parentheses come state and parent; fields 14 and 15 are user and system time, 16 and 17
    // those of children that have ended: of PostgreSQL these are connections.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const name = describe(commandLine.replaceAll('\0', ' ').trim())
    const ticks = fields.slice(11, name.endsWith('/postgres') ? 15 : 13)
    const seconds = ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND
    return [{ pid: Number(pid), parent: Number(fields[1]), name, seconds }]
  })
}

/** A process may end between the listing and the reading. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function describe(commandLine: string): string {
  // 'postgres: user database 127.0.0.1(5432) idle' or '... [local] idle' is a connection, all else a role.
  const isConnection = /^postgres: \S+ \S+ (?:\S+\(\d+\)|\[local\])/.test(commandLine)
  const role = /^postgres: [a-z ]+/.exec(commandLine)?.[0]
  if (isConnection) return 'postgres: connections'
  if (role !== undefined) return role.trim()
  const script = commandLine.split(' ').find(word => /\.(ts|js|mjs)$/.test(word))
  return script?.replace(/^.*\/(apps|bench|node_modules)\//, '$1/') ?? commandLine.split(' ')[0] ?? ''
}
