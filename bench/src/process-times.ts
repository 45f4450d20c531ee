import { readdir, readFile } from 'node:fs/promises'

/** Clock ticks per second in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/**
 * Processor time of all running processes in seconds, summed by what they are: PostgreSQL by its roles, scripts by
 * their file, others by their program. Empty where there is no /proc. It counts every process of the machine:
 * what does not belong to the run shows as well.
 */
export async function readProcessTimes(): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const pid of (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))) {
    const [stat, commandLine] = await Promise.all(
      ['stat', 'cmdline'].map(file => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    )
    if (stat === undefined || stat === '' || commandLine === undefined || commandLine === '') continue
    // proc(5): after the name in parentheses, fields 14 and 15 are user and system time in ticks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const name = describe(commandLine.replaceAll('\0', ' ').trim())
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
    times.set(name, (times.get(name) ?? 0) + seconds)
  }
  return times
}

function describe(commandLine: string): string {
  const role = /^postgres: (?:\S+ \S+ \S+\(\d+\)|[a-z ]+)/.exec(commandLine)?.[0]
  if (role !== undefined) return role.includes('(') ? 'postgres: connections' : role.trim()
  const script = commandLine.split(' ').find(word => /\.(ts|js|mjs)$/.test(word))
  return script?.replace(/^.*\/(apps|bench|node_modules)\//, '$1/') ?? commandLine.split(' ')[0] ?? ''
}
