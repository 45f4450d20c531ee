import { createStore } from './store.ts'

/** Pause between two looks for a gateway that does not answer, and the longest wait for its answer, in ms. */
const LOOK_EVERY_MS = 2_000
const LOOK_TIMEOUT_MS = 5_000
/** A proxy answers with these for a gateway that it cannot reach (RFC 9110, 15.6). */
const OF_A_PROXY: ReadonlySet<number> = new Set([502, 504])

/** Time of the last answer of a gateway that has stopped answering; null while it answers. */
export const silentSince = createStore<Date | null>(null)
let answeredAt = new Date()
let looking: Promise<void> | null = null
let lookNow: (() => void) | null = null

/** Returns a `fetch` that notes whether the gateway answers. */
export const watched =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init).catch(error => {
      if (!isAbort(error)) noteSilence()
      throw error
    })
    if (OF_A_PROXY.has(response.status)) noteSilence()
    else if (looking === null) answeredAt = new Date()
    return response
  }

/**
 * Loads code from the gateway, once it answers: a browser keeps a failed import and never fetches it again.
 *
 * @throws the error of `load`, at the earliest when the gateway answers again, so that the window can be reloaded
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  await looking
  try {
    return await load()
  } catch (error) {
    if (!(await doesAnswer())) await untilItAnswers()
    throw error
  }
}

/** Notes at once that the network of this device is gone. */
export function listenToNetwork(): void {
  window.addEventListener('offline', noteSilence)
}

/** Looks at once whether the gateway answers again. */
export function tryNow(): void {
  lookNow?.()
}

function noteSilence(): void {
  void untilItAnswers()
}

/** Looks again and again until the gateway answers. */
function untilItAnswers(): Promise<void> {
  looking ??= lookUntilItAnswers().finally(() => {
    looking = null
  })
  return looking
}

async function lookUntilItAnswers(): Promise<void> {
  // One failed request alone is no silence.
  if (await doesAnswer()) return
  silentSince.set(answeredAt)
  do await nextLook()
  while (!(await doesAnswer()))
  answeredAt = new Date()
  silentSince.set(null)
}

/** Resolves when it is time for the next look: after a pause, when the network is back, or when somebody asks. */
async function nextLook(): Promise<void> {
  const over = new AbortController()
  await new Promise<void>(resolve => {
    lookNow = resolve
    const timer = setTimeout(resolve, LOOK_EVERY_MS)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
    window.addEventListener('online', () => resolve(), { signal: over.signal })
  })
  over.abort()
}

async function doesAnswer(): Promise<boolean> {
  try {
    const { status } = await fetch('/health', {
      cache: 'no-store',
      signal: AbortSignal.timeout(LOOK_TIMEOUT_MS),
    })
    return !OF_A_PROXY.has(status)
  } catch {
    return false
  }
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'
