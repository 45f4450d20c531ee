import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const CONNECT_POLL_MS = 50

/** Ends a process in order, by force when it takes longer than `limitMs`. */
export async function endChild(child: ChildProcess, limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), limitMs)
  await exited
  clearTimeout(late)
}

/** A port on loopback that was free just now, for programs that must be told one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}

/**
 * Waits until a process listens on a port.
 *
 * @throws Error when it ends before, or does not in time
 */
export async function listening(child: ChildProcess, port: number, limitMs: number): Promise<void> {
  const giveUpAt = performance.now() + limitMs
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended before it listened.')
    if (performance.now() > giveUpAt) throw new Error('It did not listen in time.')
    await delay(CONNECT_POLL_MS)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection({ host: '127.0.0.1', port })
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}
