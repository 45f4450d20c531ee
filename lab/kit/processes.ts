import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 50

/** A process whose output goes to a file. */
export type Started = {
  readonly child: ChildProcess
  readonly pid: number
  stop(limitMs: number): Promise<void>
}

/** Starts a program; `name` is for the error when it cannot be started. */
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
  // A program that is not installed is reported below.
  child.on('error', () => undefined)
  if (child.pid === undefined) throw new Error(`${on.name} could not be started.`)
  return { child, pid: child.pid, stop: limitMs => endChild(child, limitMs) }
}

/** Returns whether a process has not ended. */
export const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null

/** Sends a signal and waits for the end of a process; kills it after `limitMs`. */
export async function endChild(
  child: ChildProcess,
  limitMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  if (!isRunning(child)) return
  const exited = once(child, 'exit')
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), limitMs)
  await exited
  clearTimeout(late)
}

/** Sends a signal to processes, without those that have ended. */
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
 * Waits until a process listens on a port of 127.0.0.1.
 *
 * @throws Error when it ends before, or does not in time
 */
export async function listening(child: ChildProcess, port: number, limitMs: number): Promise<void> {
  const accepts = await until(`port ${port} is open`, limitMs, async () => {
    return isRunning(child) ? (await isOpen(port)) && 'open' : 'ended'
  })
  if (accepts === 'ended') throw new Error('It ended before it listened.')
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = createConnection({ host: '127.0.0.1', port })
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

/**
 * Waits until a condition holds and returns its value; an exception counts as false.
 *
 * @throws Error that names the condition, with the last exception as its cause
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
