import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Mode } from './plan.ts'

/** What of a connection's past is kept to find a text that came in two pieces, in characters: more than any text has. */
const TAIL_MAX = 128

/**
 * Texts for which the bytes of each connection on their way up are watched, one after the other. It acts once.
 * - `before`: the piece that holds the last of them is not passed on, and nothing after it;
 * - `after`: it is passed on, and nothing comes back of what the other side says to it.
 */
export type Tripwire = {
  readonly texts: readonly string[]
  readonly stops: 'before' | 'after'
  readonly act: () => void
}

/** A TCP line between two parts of the laboratory that can fail in every {@link Mode}. Knows nothing of what it carries. */
export type TcpProxy = {
  readonly port: number
  /** From now on the line fails so. */
  bend(mode: Mode): void
  /** From now on all is well; connections that have lost bytes, or are about to be cut, are reset. */
  heal(): void
  /** Sets a tripwire; {@link TcpProxy.heal} takes it away. */
  watch(wire: Tripwire): void
  stop(): Promise<void>
}

type Way = 'up' | 'down'
type Line = {
  readonly client: Socket
  readonly server: Socket
  /** Bytes that came by since the line was bent. */
  readonly passed: Record<Way, number>
  /** What is delayed goes on in its order: how much waits, and when the last of it has gone. */
  readonly waiting: Record<Way, number>
  readonly queue: Record<Way, Promise<void>>
  /** How many texts of a tripwire were seen, and what came last after them. */
  readonly found: Map<Tripwire, { count: number; rest: string }>
  /** Bytes were swallowed: the connection is past saving. */
  hasLost: boolean
  /** Set by a tripwire that was crossed: what to do when the answer comes. */
  awaited: Tripwire | null
  isOver: boolean
}

/**
 * Starts a line.
 *
 * @param target where it leads; asked at each connection, as parts come back elsewhere
 */
export async function startTcpProxy(target: () => number): Promise<TcpProxy> {
  const lines = new Set<Line>()
  let mode: Mode | null = null
  let wires: Tripwire[] = []

  const reset = (line: Line) => {
    line.isOver = true
    cut(line.client)
    cut(line.server)
    lines.delete(line)
  }

  /** Whether the piece crossed a tripwire, and is kept back for it. */
  const trips = (line: Line, way: Way, piece: Buffer): boolean => {
    if (way === 'down') {
      if (line.awaited === null) return false
      const wire = line.awaited
      line.awaited = null
      line.hasLost = true
      wire.act()
      return true
    }
    if (wires.length === 0) return false
    const text = piece.toString('latin1')
    const wire = wires.find(other => isCrossed(line, other, text))
    if (wire === undefined) return false
    wires = wires.filter(other => other !== wire)
    if (wire.stops === 'after') {
      line.awaited = wire
      return false
    }
    line.hasLost = true
    wire.act()
    return true
  }

  const isCrossed = (line: Line, wire: Tripwire, text: string): boolean => {
    let { count, rest } = line.found.get(wire) ?? { count: 0, rest: '' }
    rest += text
    for (; count < wire.texts.length; count += 1) {
      const sought = wire.texts[count] ?? ''
      const at = rest.indexOf(sought)
      if (at === -1) break
      rest = rest.slice(at + sought.length)
    }
    line.found.set(wire, { count, rest: rest.slice(-TAIL_MAX) })
    return count === wire.texts.length
  }

  const pass = (line: Line, way: Way, piece: Buffer) => {
    if (line.isOver) return
    if (line.hasLost || trips(line, way, piece)) return
    if (mode?.kind === 'black hole') {
      line.hasLost = true
      return
    }
    const to = way === 'up' ? line.server : line.client
    if (mode?.kind === 'cut' && mode.way === way) {
      const room = mode.afterBytes - line.passed[way]
      line.passed[way] += piece.length
      if (piece.length > room) {
        line.hasLost = true
        to.write(piece.subarray(0, Math.max(0, room)), () => reset(line))
        return
      }
    }
    write(line, way, piece)
  }

  const write = (line: Line, way: Way, piece: Buffer) => {
    const [from, to] = way === 'up' ? [line.client, line.server] : [line.server, line.client]
    const send = () => {
      if (to.destroyed || to.writableEnded || to.write(piece) || from.isPaused()) return
      from.pause()
      to.once('drain', () => from.resume())
    }
    later(line, way, mode?.kind === 'latency' ? mode.ms : 0, send)
  }

  /** Does something after a delay, and never before what was to be done earlier. */
  const later = (line: Line, way: Way, ms: number, act: () => void) => {
    if (ms === 0 && line.waiting[way] === 0) return act()
    const dueAt = performance.now() + ms
    line.waiting[way] += 1
    line.queue[way] = line.queue[way].then(async () => {
      await delay(Math.max(0, dueAt - performance.now()))
      line.waiting[way] -= 1
      if (!line.isOver) act()
    })
  }

  const ended = (line: Line, way: Way) => {
    if (line.hasLost) return
    const to = way === 'up' ? line.server : line.client
    later(line, way, mode?.kind === 'slow close' ? mode.ms : 0, () => to.end())
  }

  const closed = (line: Line) => {
    if (line.isOver) return
    const ms = mode?.kind === 'slow close' ? mode.ms : 0
    void delay(ms).then(() => reset(line))
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    if (mode?.kind === 'reset') {
      client.resetAndDestroy()
      return
    }
    const line: Line = {
      client,
      server: connect({ port: target(), host: '127.0.0.1', allowHalfOpen: true, noDelay: true }),
      passed: { up: 0, down: 0 },
      waiting: { up: 0, down: 0 },
      found: new Map(),
      queue: { up: Promise.resolve(), down: Promise.resolve() },
      hasLost: mode?.kind === 'black hole',
      awaited: null,
      isOver: false,
    }
    lines.add(line)
    for (const [way, socket] of [
      ['up', line.client],
      ['down', line.server],
    ] as const) {
      socket.on('data', (piece: Buffer) => pass(line, way, piece))
      socket.on('end', () => ended(line, way))
      socket.on('error', () => closed(line))
      socket.on('close', () => {
        if (line.client.destroyed && line.server.destroyed) lines.delete(line)
        else if (socket.errored !== null || socket.readableEnded === false) closed(line)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The line has no port.')

  return {
    port: address.port,
    bend(next) {
      mode = next
      for (const line of lines) {
        line.passed.up = 0
        line.passed.down = 0
        if (next.kind === 'reset') reset(line)
      }
    },
    heal() {
      const wasCut = mode?.kind === 'cut'
      mode = null
      wires = []
      for (const line of lines) if (line.hasLost || line.awaited !== null || wasCut) reset(line)
    },
    watch(wire) {
      wires.push(wire)
    },
    async stop() {
      for (const line of lines) reset(line)
      server.close()
      await once(server, 'close')
    },
  }
}

/** Resets a connection; one that is being ended, or made, cannot be reset any more, or yet, and is closed. */
function cut(socket: Socket): void {
  if (socket.writableEnded || socket.connecting) socket.destroy()
  else socket.resetAndDestroy()
}
