import { readdir, readFile } from 'node:fs/promises'

/** Clock ticks per second in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

type Process = {
  readonly pid: number
  readonly parent: number
  readonly name: string
  readonly seconds: number
}

/**
 * Processor time so far of this process and all that it has started, in seconds, summed by what they are:
 * PostgreSQL by its roles, scripts by their file, others by their program. Empty where there is no /proc.
 */
export async function readProcessTimes(): Promise<Map<string, number>> {
  const processes = await readProcesses()
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

async function readProcesses(): Promise<Process[]> {
  const processes: Process[] = []
  for (const pid of (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))) {
    const [stat, commandLine] = await Promise.all(
      ['stat', 'cmdline'].map(file => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    )
    if (stat === undefined || stat === '' || commandLine === undefined) continue
    // proc(5): after the name in parentheses come state and parent; fields 14 and 15 are user and system time, 16 and 17
    // those of children that have ended: of PostgreSQL these are connections.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const name = describe(commandLine.replaceAll('\0', ' ').trim())
    const ticks = fields.slice(11, name.endsWith('/postgres') ? 15 : 13)
    const seconds = ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND
    processes.push({ pid: Number(pid), parent: Number(fields[1]), name, seconds })
  }
  return processes
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
