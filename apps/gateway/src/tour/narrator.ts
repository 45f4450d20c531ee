import { formatUsdc, parseUsdc, type Usdc } from '@farebox/money'

/** Prints the tour on the terminal, and stops it if an amount is wrong. */
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
    /** Prints a line. */
    report(text: string): void {
      print(`    ${text}`)
    },
    /** Prints a part of the current line. */
    live(text: string): void {
      if (!isLineBegun) process.stdout.write('    ')
      isLineBegun = !text.endsWith('\n')
      process.stdout.write(text)
    },
    /** Compares an amount with the expected one, exactly. */
    amount(what: string, found: string, expected: Usdc): void {
      if (parseUsdc(found) !== expected) {
        throw new Error(`${what} is ${found} USDC, but must be ${formatUsdc(expected)} USDC`)
      }
      print(`    ${what}: ${found} USDC`)
    },
    /** Stops the tour if a check fails. */
    check(holds: boolean, what: string): void {
      if (!holds) throw new Error(`Check failed: ${what}`)
      print(`    ✓ ${what}`)
    },
  }
}

/** See {@link createNarrator}. */
export type Narrator = ReturnType<typeof createNarrator>
