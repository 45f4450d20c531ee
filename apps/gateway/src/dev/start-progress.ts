/** Maximum silence while a step is awaited, in ms. */
const SILENCE_MS_MAX = 5_000

/** Reports a start to the person who waits for it. */
export type StartProgress = {
  /** Prints a line. */
  notice(line: string): void
  /** Waits for a step, which may run beside others, and reports that it is ready. */
  step<Part>(name: string, part: Promise<Part>): Promise<Part>
}

/**
 * Returns a reporter of a start: prints each step as it is ready, with its number and the age of the process in seconds,
 * and which steps are awaited whenever that long nothing was printed.
 *
 * @param steps number of steps
 * @param print receives the lines
 */
export function reportProgress(
  steps: number,
  print: (line: string) => void,
  silenceMsMax = SILENCE_MS_MAX,
): StartProgress {
  const awaited = new Set<string>()
  let ready = 0
  let timer: NodeJS.Timeout | undefined

  function notice(line: string): void {
    print(line)
    watch()
  }
  /** Starts to count the silence, if anything is awaited. */
  function watch(): void {
    clearTimeout(timer)
    if (awaited.size === 0) return
    timer = setTimeout(() => report('...', `waiting for: ${[...awaited].join(', ')}`), silenceMsMax)
  }
  function report(mark: string, text: string): void {
    notice(`  ${mark.padStart(3)} ${process.uptime().toFixed(1).padStart(6)} s  ${text}`)
  }

  return {
    notice,
    async step(name, part) {
      awaited.add(name)
      if (awaited.size === 1) watch()
      try {
        const result = await part
        awaited.delete(name)
        ready += 1
        report(`${ready}/${steps}`, `ready: ${name}`)
        return result
      } catch (error) {
        awaited.delete(name)
        watch()
        throw error
      }
    },
  }
}
