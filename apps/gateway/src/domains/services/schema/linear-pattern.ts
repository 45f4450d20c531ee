import {
  createMatchers,
  type Holds,
  type Matches,
  NOTHING,
  PatternError,
  type PatternNode,
  parsePattern,
} from './pattern-syntax.ts'

/**
 * Regular expressions from strangers. Providers write `pattern` into their schemas and callers the text to match;
 * JavaScript's engine may take exponential time. This one follows all states at once (K. Thompson, "Regular Expression
 * Search Algorithm", 1968): time is text length times pattern size, and counted.
 */

/** Maximum steps of a pattern, with counted repetitions expanded. */
const PROGRAM_LENGTH_MAX = 2_000
/** Maximum expanded nodes; more than steps, since a node may be empty. */
const NODES_WRITTEN_MAX = 10_000
/** Maximum expanded nodes of all patterns of a schema; some ten milliseconds. */
const NODES_OF_SCHEMA_MAX = 50_000

/** Remaining steps of matches, set by the owner of the budget. */
export type StepBudget = { left: number }

/** Thrown when a match exhausts its budget. */
export class StepBudgetError extends Error {
  override readonly name = 'StepBudgetError'
}

type Fork = { readonly op: 'fork'; first: number; second: number }
type Step =
  | { readonly op: 'one'; readonly matches: Matches }
  | { readonly op: 'assert'; readonly holds: Holds }
  | Fork
  | { readonly op: 'done' }

/** A pattern that tests texts in bounded time. */
type LinearPattern = { test(text: string): boolean }

/**
 * Returns a compiler of the patterns of one schema (ECMAScript syntax, `u` mode): equal ones are compiled once, and all
 * together within bounded time. It throws PatternError for one that is malformed, uses look-around or back-references,
 * or is too large with those before.
 *
 * @param budget used by every test
 */
export function createPatternCompiler(budget: StepBudget): (pattern: string) => LinearPattern {
  const compiled = new Map<string, LinearPattern>()
  const matchers = createMatchers()
  let nodesLeft = NODES_OF_SCHEMA_MAX
  return pattern => {
    const before = compiled.get(pattern)
    if (before !== undefined) return before
    const program = new Program(Math.min(nodesLeft, NODES_WRITTEN_MAX))
    program.write(parsePattern(pattern, matchers))
    program.end()
    nodesLeft -= program.nodesWritten
    const made = { test: (text: string) => run(program.steps, text, budget) }
    compiled.set(pattern, made)
    return made
  }
}

/** Emits the steps of a pattern. */
class Program {
  readonly steps: Step[] = []
  readonly #nodesMax: number
  nodesWritten = 0

  constructor(nodesMax: number) {
    this.#nodesMax = nodesMax
  }

  write(node: PatternNode): void {
    this.nodesWritten += 1
    if (this.nodesWritten > this.#nodesMax) throw new PatternError('The pattern is too large.')
    if (node.kind === 'one') this.#push({ op: 'one', matches: node.matches })
    else if (node.kind === 'assert') this.#push({ op: 'assert', holds: node.holds })
    else if (node.kind === 'sequence') for (const part of node.parts) this.write(part)
    else if (node.kind === 'choice') this.#writeChoice(node.branches)
    else this.#writeRepeat(node)
  }

  end(): void {
    this.#push({ op: 'done' })
  }

  #push<Kind extends Step>(step: Kind): Kind {
    if (this.steps.length === PROGRAM_LENGTH_MAX) throw new PatternError('The pattern is too large.')
    this.steps.push(step)
    return step
  }

  /** A fork whose branches both lead to the next step until they are set. */
  #fork(): Fork {
    const next = this.steps.length + 1
    return this.#push({ op: 'fork', first: next, second: next })
  }

  #writeChoice(branches: readonly PatternNode[]): void {
    const exits: Fork[] = []
    for (const [index, branch] of branches.entries()) {
      if (index === branches.length - 1) {
        this.write(branch)
        continue
      }
      const entry = this.#fork()
      this.write(branch)
      exits.push(this.#fork())
      entry.second = this.steps.length
    }
    for (const exit of exits) exit.first = exit.second = this.steps.length
  }

  #writeRepeat({ part, min, max }: Extract<PatternNode, { kind: 'repeat' }>): void {
    for (let count = 0; count < min; count += 1) this.write(part)
    if (max !== Number.POSITIVE_INFINITY) {
      const skips: Fork[] = []
      for (let count = min; count < max; count += 1) {
        skips.push(this.#fork())
        this.write(part)
      }
      for (const skip of skips) skip.second = this.steps.length
      return
    }
    const start = this.steps.length
    const entry = this.#fork()
    this.write(part)
    const again = this.#fork()
    again.first = again.second = start
    entry.second = this.steps.length
  }
}

/** Returns true if the pattern matches anywhere in the text. */
function run(steps: readonly Step[], text: string, budget: StepBudget): boolean {
  const followedAt = new Int32Array(steps.length).fill(NOTHING)
  let ways: number[] = []
  let before = NOTHING
  for (let index = 0, position = 0; ; position += 1) {
    const after = text.codePointAt(index) ?? NOTHING
    ways.push(0)
    const next = follow(ways, { steps, followedAt, budget, position, before, after })
    if (next === null) return true
    if (after === NOTHING) return false
    ways = next
    before = after
    index += after > 0xffff ? 2 : 1
  }
}

type Place = {
  readonly steps: readonly Step[]
  /** Position at which a step was last followed: each step once per position. */
  readonly followedAt: Int32Array
  readonly budget: StepBudget
  readonly position: number
  readonly before: number
  readonly after: number
}

/** Follows all transitions that consume no code point; returns the next states, or null at a match. */
function follow(
  ways: number[],
  { steps, followedAt, budget, position, before, after }: Place,
): number[] | null {
  const next: number[] = []
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    if (followedAt[way] === position) continue
    followedAt[way] = position
    budget.left -= 1
    if (budget.left < 0) throw new StepBudgetError()
    const step = steps[way]
    if (step === undefined || step.op === 'done') return null
    if (step.op === 'fork') ways.push(step.first, step.second)
    else if (step.op === 'assert' && step.holds(before, after)) ways.push(way + 1)
    else if (step.op === 'one' && after !== NOTHING && step.matches(after)) next.push(way + 1)
  }
  return next
}
