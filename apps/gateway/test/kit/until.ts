const WAIT_MS = 20_000
/** Until every job of a gateway has run once, in ms: those that delete wait for 20 s after a start. */
export const EVERY_JOB_MS_MAX = 50_000
/** Pauses between two looks: the longer a wait, the longer, since looks take time from what is waited for. */
const [PAUSE_MS_MIN, PAUSE_MS_MAX] = [20, 50]
const PAUSE_SHARE = 0.1

/** Waits until a condition holds; throws after `limitMs`, by default 20 s. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  limitMs = WAIT_MS,
): Promise<void> {
  const from = Date.now()
  while (!(await holds())) {
    const waited = Date.now() - from
    if (waited > limitMs) throw new Error(`This did not come true in time: ${what}`)
    const pause = Math.min(Math.max(PAUSE_MS_MIN, waited * PAUSE_SHARE), PAUSE_MS_MAX)
    await new Promise(done => setTimeout(done, pause))
  }
}
