import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild } from '../bench/child.ts'

const POLL_MS = 100

/** A process that writes what it says to a file. */
export type Started = {
  readonly child: ChildProcess
  readonly pid: number
  stop(limitMs: number): Promise<void>
}

/** Starts a program; `name` says which one when it cannot be started. */
export function start(
  [program = '', ...args]: readonly string[],
  on: { readonly name: string; readonly logFile: string; readonly env?: Readonly<Record<string, string>> },
): Started {
  const log = openSync(on.logFile, 'a')
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...on.env },
  })
  closeSync(log)
  if (child.pid === undefined) throw new Error(`${on.name} could not be started.`)
  return { child, pid: child.pid, stop: limitMs => endChild(child, limitMs) }
}

/** A process and everything that it has started, itself last. */
export async function treeOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of (await readdir('/proc')).filter(entry => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // proc(5): after the name in parentheses come the state and the parent.
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const childrenOf = (pid: number): number[] =>
    [...parents].filter(([, of]) => of === pid).map(([child]) => child)
  const below = (pid: number): number[] => childrenOf(pid).flatMap(child => [...below(child), child])
  return parents.has(root) ? [...below(root), root] : []
}

/** Processes that work in a folder, as all of PostgreSQL do in that of its data, whoever their parent is. */
export async function runningIn(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(entry => /^\d+$/.test(entry))
  const folders = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.flatMap((pid, index) => (folders[index] === directory ? [Number(pid)] : []))
}

/** Kills what works in a folder, what it starts meanwhile included. */
export async function killIn(directory: string, limitMs: number): Promise<void> {
  await until(`nothing runs in ${directory}`, limitMs, async () => {
    const left = await runningIn(directory)
    signalAll(left, 'SIGKILL')
    return left.length === 0
  })
}

/** Rejects at a signal, so that everything that was started is stopped before this process ends. */
export function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)))
  })
}

/** Sends a signal to processes; those that are gone already have had it. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/**
 * Waits until a condition holds; what it throws counts as "not yet".
 *
 * @throws Error that names what did not come true in time, and why
 */
export async function until<Value>(
  what: string,
  limitMs: number,
  look: () => Promise<Value | null | false>,
): Promise<Value> {
  const giveUpAt = performance.now() + limitMs
  for (;;) {
    let why: unknown
    try {
      const value = await look()
      if (value !== null && value !== false) return value
    } catch (error) {
      why = error
    }
    if (performance.now() > giveUpAt)
      throw new Error(`This did not come true in time: ${what}`, { cause: why })
    await delay(POLL_MS)
  }
}
