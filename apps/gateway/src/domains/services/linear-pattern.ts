/**
 * Regular expressions of strangers. Providers write `pattern` into their schemas and callers the text it is matched
 * with; the engine of JavaScript may take time exponential in that text. This one follows all ways through the
 * pattern at once (K. Thompson, "Regular Expression Search Algorithm", 1968): time is length of the text times size
 * of the pattern, and counted. What cannot be matched that way (look-around, back-references) is refused.
 */

/** Largest pattern, in characters and, counted repetitions written out, in steps. */
const PATTERN_LENGTH_MAX = 1_000
const PROGRAM_LENGTH_MAX = 2_000
const GROUP_DEPTH_MAX = 50
const ASCII = 128

/** A pattern that is not taken; the message says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Steps that matches may still take together; the one who counts sets it. */
export type StepBudget = { left: number }

/** Thrown by a match that uses its budget up. */
export class StepBudgetError extends Error {
  override readonly name = 'StepBudgetError'
}

type Node =
  | { readonly kind: 'one'; readonly matches: (codePoint: number) => boolean }
  | { readonly kind: 'assert'; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }

type Step =
  | { readonly op: 'one'; readonly matches: (codePoint: number) => boolean }
  | { readonly op: 'assert'; readonly holds: (before: number, after: number) => boolean }
  | { readonly op: 'fork'; first: number; second: number }
  | { readonly op: 'done' }

const NOTHING = -1
const isWord = (codePoint: number) => codePoint !== NOTHING && /^\w$/.test(String.fromCodePoint(codePoint))
const assertions: Readonly<Record<string, (before: number, after: number) => boolean>> = {
  '^': before => before === NOTHING,
  $: (_before, after) => after === NOTHING,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
}

/** One atom of the pattern: an escape, a class, or a character. */
const ATOM =
  /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|[^]/uy
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy
const GROUP_START = /\((?:\?:|\?<[A-Za-z_$][\w$]*>)?/uy

/**
 * Compiles a pattern (ECMAScript syntax, `u` mode) for tests whose time is bounded.
 *
 * @param budget is drawn on by every test
 * @throws PatternError when it is malformed, too large, or uses look-around or back-references
 */
export function compilePattern(pattern: string, budget: StepBudget): { test(text: string): boolean } {
  if (pattern.length > PATTERN_LENGTH_MAX) throw new PatternError('The pattern is too long.')
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    throw new PatternError('The pattern is not a regular expression.', { cause: error })
  }
  const steps = programOf(parse(pattern))
  return { test: text => run(steps, text, budget) }
}

/** The syntax is known to be good; here it is only taken apart. */
function parse(pattern: string): Node {
  let at = 0
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at
    const match = expression.exec(pattern)
    if (match !== null) at = expression.lastIndex
    return match
  }
  const choice = (depth: number): Node => {
    if (depth > GROUP_DEPTH_MAX) throw new PatternError('The groups of the pattern are nested too deep.')
    const branches: Node[] = []
    do {
      const parts: Node[] = []
      while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') parts.push(repeated(depth))
      branches.push({ kind: 'sequence', parts })
    } while (pattern[at] === '|' && (at += 1) > 0)
    return { kind: 'choice', parts: branches }
  }
  const repeated = (depth: number): Node => {
    const part = atom(depth)
    const match = take(QUANTIFIER)
    if (match === null) return part
    const [text, min, comma, max] = match
    if (min === undefined) {
      return {
        kind: 'repeat',
        part,
        min: text[0] === '+' ? 1 : 0,
        max: text[0] === '?' ? 1 : Number.POSITIVE_INFINITY,
      }
    }
    const open = max === '' ? Number.POSITIVE_INFINITY : Number(max)
    return { kind: 'repeat', part, min: Number(min), max: comma === undefined ? Number(min) : open }
  }
  const atom = (depth: number): Node => {
    if (pattern[at] === '(') {
      take(GROUP_START)
      if (pattern[at] === '?') throw new PatternError('Look-around and flags are not taken in patterns.')
      const inner = choice(depth + 1)
      at += 1 // the closing parenthesis
      return inner
    }
    const source = take(ATOM)?.[0] ?? ''
    const holds = assertions[source]
    if (holds !== undefined) return { kind: 'assert', holds }
    if (/^\\[1-9k]/.test(source)) throw new PatternError('Back-references are not taken in patterns.')
    return { kind: 'one', matches: matcherOf(source) }
  }
  return choice(0)
}

/** Whether one code point matches one atom: a table for ASCII, the engine of JavaScript for the rest. */
function matcherOf(source: string): (codePoint: number) => boolean {
  const expression = new RegExp(`^${source}$`, 'u')
  const ascii = Array.from({ length: ASCII }, (_, code) => expression.test(String.fromCodePoint(code)))
  return codePoint =>
    codePoint < ASCII ? ascii[codePoint] === true : expression.test(String.fromCodePoint(codePoint))
}

function programOf(root: Node): readonly Step[] {
  const steps: Step[] = []
  const push = <Kind extends Step>(step: Kind): Kind => {
    if (steps.length === PROGRAM_LENGTH_MAX) throw new PatternError('The pattern is too large.')
    steps.push(step)
    return step
  }
  const fork = () => push({ op: 'fork', first: steps.length + 1, second: steps.length + 1 })
  const emit = (node: Node): void => {
    if (node.kind === 'one') push({ op: 'one', matches: node.matches })
    else if (node.kind === 'assert') push({ op: 'assert', holds: node.holds })
    else if (node.kind === 'sequence') node.parts.forEach(emit)
    else if (node.kind === 'choice') emitChoice(node.parts)
    else emitRepeat(node.part, node.min, node.max)
  }
  const emitChoice = (parts: readonly Node[]): void => {
    const ends: { first: number; second: number }[] = []
    for (const [index, part] of parts.entries()) {
      if (index === parts.length - 1) {
        emit(part)
        break
      }
      const entry = fork()
      emit(part)
      ends.push(fork())
      entry.second = steps.length
    }
    for (const end of ends) end.first = end.second = steps.length
  }
  const emitRepeat = (part: Node, min: number, max: number): void => {
    for (let count = 0; count < min; count += 1) emit(part)
    if (max === Number.POSITIVE_INFINITY) {
      const entry = fork()
      const back = steps.length - 1
      emit(part)
      const again = fork()
      again.first = again.second = back
      entry.second = steps.length
      return
    }
    const skips = Array.from({ length: max - min }, () => {
      const skip = fork()
      emit(part)
      return skip
    })
    for (const skip of skips) skip.second = steps.length
  }
  emit(root)
  push({ op: 'done' })
  return steps
}

function run(steps: readonly Step[], text: string, budget: StepBudget): boolean {
  const seenAt = new Int32Array(steps.length).fill(-1)
  let now: number[] = []
  let before = NOTHING
  let position = 0
  for (let index = 0; ; position += 1) {
    const after = text.codePointAt(index) ?? NOTHING
    const next: number[] = []
    const ways = [0, ...now.reverse()]
    for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
      if (seenAt[way] === position) continue
      seenAt[way] = position
      budget.left -= 1
      if (budget.left < 0) throw new StepBudgetError()
      const step = steps[way]
      if (step === undefined) continue
      if (step.op === 'done') return true
      if (step.op === 'fork') ways.push(step.second, step.first)
      else if (step.op === 'assert') {
        if (step.holds(before, after)) ways.push(way + 1)
      } else if (after !== NOTHING && step.matches(after)) next.push(way + 1)
    }
    if (after === NOTHING) return false
    now = next
    before = after
    index += after > 0xffff ? 2 : 1
  }
}
