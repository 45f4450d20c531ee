import { formatUsdc, parseUsdc, type Usdc } from '@farebox/money'

/** Tells the tour on the terminal, and stops it when something is off by a micro-dollar. */
export function createNarrator() {
  let step = 0
  let isLineBegun = false
  const print = (text: string) => process.stdout.write(`${text}\n`)
  return {
    /** Starts a step. */
    step(title: string): void {
      step += 1
      print(`\n${String(step).padStart(2)}. ${title}`)
    },
    /** A line of what happened. */
    tell(text: string): void {
      print(`    ${text}`)
    },
    /** A piece of a line that is still being said. */
    live(text: string): void {
      if (!isLineBegun) process.stdout.write('    ')
      isLineBegun = !text.endsWith('\n')
      process.stdout.write(text)
    },
    /** Compares an amount with what it must be, to the micro. */
    amount(what: string, found: string, expected: Usdc): void {
      if (parseUsdc(found) !== expected) {
        throw new Error(`${what} is ${found} USDC, but must be ${formatUsdc(expected)} USDC`)
      }
      print(`    ${what}: ${found} USDC`)
    },
    /** Stops the tour when something does not hold. */
    check(holds: boolean, what: string): void {
      if (!holds) throw new Error(`This does not hold: ${what}`)
      print(`    ✓ ${what}`)
    },
  }
}

/** See {@link createNarrator}. */
export type Narrator = ReturnType<typeof createNarrator>
