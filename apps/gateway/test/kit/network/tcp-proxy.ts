import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { listen } from './loopback.ts'

/** Characters of a connection that are kept to find a text in two pieces: more than any text has. */
const TAIL_MAX = 128

/** Failure modes of a line. Times in ms. */
export type Mode =
  /** Every piece, both ways, comes that much later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Connections are reset, those that are there and those that are made. */
  | { readonly kind: 'reset' }
  /** Each connection is reset once so many more bytes have come by, one way. */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly way: 'up' | 'down' }
  /** Bytes vanish in both directions, without an error. */
  | { readonly kind: 'black hole' }
  /** The end of a connection reaches the other side that much later. */
  | { readonly kind: 'slow close'; readonly ms: number }

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

/** A TCP line between two parts that can fail in every {@link Mode}. Knows nothing of what it carries. */
export type TcpProxy = {
  readonly port: number
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string
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
  /** Bytes that were passed since the last change of mode. */
  readonly passed: Record<Way, number>
  /** Delayed pieces by direction: their number, and the end of the last. */
  readonly waiting: Record<Way, number>
  readonly queue: Record<Way, Promise<void>>
  /** Texts of a tripwire that were seen, and the characters after them. */
  readonly found: Map<Tripwire, { count: number; rest: string }>
  /** Bytes were swallowed: the connection is past saving. */
  hasLost: boolean
  /** Set by a tripwire that was crossed: what to do when the answer comes. */
  awaited: Tripwire | null
  isOver: boolean
}

/** A proxy: its connections, how it fails, and its tripwires. */
type State = { readonly lines: Set<Line>; mode: Mode | null; wires: Tripwire[] }

/**
 * Starts a line.
 *
 * @param target its port; asked at each connection, as parts come back elsewhere
 */
export async function startTcpProxy(target: () => number): Promise<TcpProxy> {
  const state: State = { lines: new Set(), mode: null, wires: [] }
  const { lines } = state
  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    if (state.mode?.kind === 'reset') client.resetAndDestroy()
    else connectLine(state, client, target())
  })
  const { port, origin, stop } = await listen(server)
  return {
    port,
    origin,
    bend(mode) {
      state.mode = mode
      for (const line of lines) {
        line.passed.up = 0
        line.passed.down = 0
        if (mode.kind === 'reset') reset(state, line)
      }
    },
    heal() {
      const wasCut = state.mode?.kind === 'cut'
      state.mode = null
      state.wires = []
      for (const line of lines) if (line.hasLost || line.awaited !== null || wasCut) reset(state, line)
    },
    watch: wire => void state.wires.push(wire),
    async stop() {
      for (const line of lines) reset(state, line)
      await stop()
    },
  }
}

function connectLine(state: State, client: Socket, port: number): void {
  const line: Line = {
    client,
    server: connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }),
    passed: { up: 0, down: 0 },
    waiting: { up: 0, down: 0 },
    found: new Map(),
    queue: { up: Promise.resolve(), down: Promise.resolve() },
    hasLost: state.mode?.kind === 'black hole',
    awaited: null,
    isOver: false,
  }
  state.lines.add(line)
  for (const way of ['up', 'down'] as const) {
    const socket = way === 'up' ? line.client : line.server
    socket.on('data', (piece: Buffer) => pass(state, line, way, piece))
    socket.on('end', () => {
      const to = way === 'up' ? line.server : line.client
      if (!line.hasLost) later(line, way, closeDelayOf(state), () => to.end())
    })
    socket.on('error', () => closed(state, line))
    socket.on('close', () => {
      if (line.client.destroyed && line.server.destroyed) state.lines.delete(line)
      else if (socket.errored !== null || socket.readableEnded === false) closed(state, line)
    })
  }
}

const closeDelayOf = ({ mode }: State): number => (mode?.kind === 'slow close' ? mode.ms : 0)

function reset(state: State, line: Line): void {
  line.isOver = true
  cut(line.client)
  cut(line.server)
  state.lines.delete(line)
}

function closed(state: State, line: Line): void {
  if (!line.isOver) void delay(closeDelayOf(state)).then(() => reset(state, line))
}

/** Passes a piece on, as far as the mode and the tripwires let it. */
function pass(state: State, line: Line, way: Way, piece: Buffer): void {
  if (line.isOver || line.hasLost || trips(state, line, way, piece)) return
  const { mode } = state
  if (mode?.kind === 'black hole') {
    line.hasLost = true
    return
  }
  const [from, to] = way === 'up' ? [line.client, line.server] : [line.server, line.client]
  if (mode?.kind === 'cut' && mode.way === way) {
    const room = mode.afterBytes - line.passed[way]
    line.passed[way] += piece.length
    if (piece.length > room) {
      line.hasLost = true
      to.write(piece.subarray(0, Math.max(0, room)), () => reset(state, line))
      return
    }
  }
  later(line, way, mode?.kind === 'latency' ? mode.ms : 0, () => {
    if (to.destroyed || to.writableEnded || to.write(piece) || from.isPaused()) return
    from.pause()
    to.once('drain', () => from.resume())
  })
}

/** Returns whether the piece crossed a tripwire, and is kept back for it. */
function trips(state: State, line: Line, way: Way, piece: Buffer): boolean {
  if (way === 'down') {
    const wire = line.awaited
    if (wire === null) return false
    line.awaited = null
    line.hasLost = true
    wire.act()
    return true
  }
  if (state.wires.length === 0) return false
  const text = piece.toString('latin1')
  const wire = state.wires.find(other => isCrossed(line, other, text))
  if (wire === undefined) return false
  state.wires = state.wires.filter(other => other !== wire)
  if (wire.stops === 'after') {
    line.awaited = wire
    return false
  }
  line.hasLost = true
  wire.act()
  return true
}

function isCrossed(line: Line, wire: Tripwire, text: string): boolean {
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

/** Does something after a delay, and never before what was to be done earlier. */
function later(line: Line, way: Way, ms: number, act: () => void): void {
  if (ms === 0 && line.waiting[way] === 0) {
    act()
    return
  }
  const dueAt = performance.now() + ms
  line.waiting[way] += 1
  line.queue[way] = line.queue[way].then(async () => {
    await delay(Math.max(0, dueAt - performance.now()))
    line.waiting[way] -= 1
    if (!line.isOver) act()
  })
}

/** Resets a connection; one that is being ended, or made, cannot be reset any more, or yet, and is closed. */
function cut(socket: Socket): void {
  if (socket.writableEnded || socket.connecting) socket.destroy()
  else socket.resetAndDestroy()
}
