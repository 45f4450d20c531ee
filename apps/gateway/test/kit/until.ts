const WAIT_MS = 20_000
const LOOK_EVERY_MS = 20

/** Waits until a condition holds; throws after `limitMs`, by default 20 s. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  limitMs = WAIT_MS,
): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`This did not come true in time: ${what}`)
    await new Promise(done => setTimeout(done, LOOK_EVERY_MS))
  }
}
