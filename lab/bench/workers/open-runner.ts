import { setTimeout as delay } from 'node:timers/promises'
import type { Ending } from './open-ending.ts'
import { createSightings, type Sightings } from './open-sightings.ts'

/** Wrong answers that end a job early: something is broken, and there is nothing to measure. */
const ERRORS_MAX = 1_000
/** More arrivals than this in one job are a mistake. */
const ARRIVALS_MAX = 10_000_000
/** The most that a caller of a closed loop waits when it is told to try later, in ms. */
const RETRY_WAIT_MAX_MS = 5_000

/** How long a run is, and how many connections it has. */
export type Run = {
  readonly connections: number
  /** Load before the measured time, in ms. */
  readonly warmupMs: number
  /** Measured time, in ms. */
  readonly measuredMs: number
}

/** After the last arrival, calls that wait at the caller are still sent for `drainMs`. */
export type OpenRun = Run & { readonly drainMs: number }

/** Makes one call on one connection. Must not reject: what goes wrong is an ending too. */
export type MakeCall = (connection: number, number: number) => Promise<Ending>

/**
 * Makes calls when they are due, whether or not earlier ones were answered: on an idle connection, or on the first
 * that becomes idle. Time counts from when a call was due, so that a server that stalls is charged for every call
 * that had to wait for it and not only for those that it held (no coordinated omission).
 *
 * @param nextDue tells when the next call is due, in ms from the start, in ascending order
 */
export async function runOpen(run: OpenRun, nextDue: () => number, makeCall: MakeCall): Promise<Sightings> {
  const { now, endsAt, sightings } = begin(run)
  const idle = Array.from({ length: run.connections }, (_, index) => index)
  const waiting: number[] = []
  let [dueAt, sent] = [nextDue(), 0]
  const isBroken = () => sightings.errors() >= ERRORS_MAX
  const isOver = () => isBroken() || now() >= endsAt + run.drainMs

  const noteArrivals = (): void => {
    for (const until = now(); dueAt <= until && dueAt < endsAt; dueAt = nextDue()) {
      if (waiting.length === ARRIVALS_MAX) throw new RangeError(`Over ${ARRIVALS_MAX} calls in one job.`)
      waiting.push(dueAt)
    }
  }
  const send = async (connection: number, due: number): Promise<void> => {
    const number = sent
    sent += 1
    const sentAt = now()
    const ending = await makeCall(connection, number)
    sightings.answered(ending, { dueAt: due, sentAt, endedAt: now() })
    idle.push(connection)
    sendWaiting()
  }
  const sendWaiting = (): void => {
    noteArrivals()
    if (isOver()) return
    // In turn, so that every connection is open and warm before the measured time.
    while (sent < waiting.length) {
      const connection = idle.shift()
      const due = waiting[sent]
      if (connection === undefined || due === undefined) return
      void send(connection, due)
    }
  }

  while (dueAt < endsAt && !isBroken()) {
    await delay(Math.max(0, dueAt - now()))
    sendWaiting()
  }
  // What waits is sent as answers come in; then every call is answered or times out.
  const settles = () => idle.length === run.connections && (sent === waiting.length || isOver())
  while (!settles()) await delay(1)

  const givenUpAt = now()
  for (const due of waiting.slice(sent)) sightings.leftOver(due, givenUpAt)
  return sightings
}

/**
 * Makes calls one after another on every connection. A caller that is told to try later does so: its connection
 * makes no call meanwhile.
 */
export async function runClosed(run: Run, makeCall: MakeCall): Promise<Sightings> {
  const { now, endsAt, sightings } = begin(run)
  let sent = 0
  const loop = async (connection: number): Promise<void> => {
    while (sightings.errors() < ERRORS_MAX) {
      const sentAt = now()
      if (sentAt >= endsAt) return
      const number = sent
      sent += 1
      const ending = await makeCall(connection, number)
      const endedAt = now()
      sightings.answered(ending, { dueAt: sentAt, sentAt, endedAt })
      if (ending.end !== 'shed') continue
      const leftMs = Math.max(0, endsAt - endedAt)
      await delay(Math.ceil(Math.min(ending.retryAfterMs, RETRY_WAIT_MAX_MS, leftMs)))
    }
  }
  await Promise.all(Array.from({ length: run.connections }, (_, index) => loop(index)))
  return sightings
}

/** The clock of a run starts with it, in ms. */
function begin({ warmupMs, measuredMs }: Run) {
  const startedAt = performance.now()
  const now = () => performance.now() - startedAt
  const endsAt = warmupMs + measuredMs
  return { now, endsAt, sightings: createSightings({ from: warmupMs, to: endsAt }) }
}
