import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** A process. `seconds` is its processor time; a postmaster's contains its children that have ended. */
type Process = {
  readonly pid: number
  readonly parent: number
  readonly name: string
  readonly seconds: number
}

/** Processor time in seconds, of some processes with all threads and of a PostgreSQL. */
export type ProcessorSeconds = { readonly servers: number; readonly database: number }

function readProcessorSeconds(of: { servers: readonly number[]; postmaster: number }): ProcessorSeconds {
  const sum = { servers: 0, database: 0 }
  for (const { pid, parent, seconds } of readProcesses()) {
    if (of.servers.includes(pid)) sum.servers += seconds
    if (pid === of.postmaster || parent === of.postmaster) sum.database += seconds
  }
  return sum
}

/** Does some work, and returns the processor time that `servers` and the PostgreSQL of `postmaster` took meanwhile. */
export async function withProcessorSeconds<Result>(
  of: { servers: readonly number[]; postmaster: number },
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: ProcessorSeconds }> {
  const before = readProcessorSeconds(of)
  const result = await work()
  const after = readProcessorSeconds(of)
  const seconds = { servers: after.servers - before.servers, database: after.database - before.database }
  return { result, seconds }
}

/** Returns a process and all that it has started, itself last. */
export function treeOf(root: number): number[] {
  const processes = readProcesses()
  const below = (of: number): number[] =>
    processes.filter(({ parent }) => parent === of).flatMap(({ pid }) => [...below(pid), pid])
  return processes.some(({ pid }) => pid === root) ? [...below(root), root] : []
}

/**
 * Returns the processor time in seconds of this process and all that it has started, summed by role of PostgreSQL, file
 * of scripts, or program. Empty where there is no /proc.
 */
export function readProcessTimes(): Map<string, number> {
  const ours = new Set(treeOf(process.pid))
  const times = new Map<string, number>()
  for (const { pid, name, seconds } of readProcesses()) {
    if (ours.has(pid)) times.set(name, (times.get(name) ?? 0) + seconds)
  }
  return times
}

/** Reads all processes in one step: one that ends meanwhile would be missing among both its own kind and its parent's. */
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
  return script?.replace(/^.*\/(apps|lab|node_modules)\//, '$1/') ?? commandLine.split(' ')[0] ?? ''
}

/** Resident memory of a process in MiB: now, and its highest since it started or since the peak was reset. */
export type Memory = { readonly nowMiB: number; readonly peakMiB: number }

/** Reads the memory of a process by proc(5); null without /proc. */
export function readMemory(pid: number): Memory | null {
  const status = readIfThere(`/proc/${pid}/status`)
  const mebibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024
  return status === '' ? null : { nowMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') }
}
