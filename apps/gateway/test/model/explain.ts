import { type Act, type Answer, type Books, type Step, stepOf } from './books.ts'
import { textOf } from './view.ts'

/**
 * Returns the possible books after concurrent acts: for every order of their steps that explains each answer. Empty if
 * no order does.
 *
 * @param before possible books before
 * @param acts   with their answers
 */
export function explain(
  before: readonly Books[],
  acts: readonly { readonly act: Act; readonly answer: Answer }[],
): Books[] {
  const found = new Map<string, Books>()
  const seen = new Set<string>()

  const go = (books: Books, waiting: readonly (Step | null)[]): void => {
    const here = `${waiting.map(step => (step === null ? '-' : stepNumber(step))).join()} ${textOf(books)}`
    if (seen.has(here)) return
    seen.add(here)
    if (waiting.every(step => step === null)) found.set(textOf(books), books)
    for (const [index, step] of waiting.entries()) {
      if (step === null) continue
      const went = step(books)
      const expected = acts[index]?.answer
      if ('answer' in went && textOf(went.answer) !== textOf(expected)) continue
      go(went.books, waiting.with(index, 'next' in went ? went.next : null))
    }
  }

  const numbers = new Map<Step, number>()
  const stepNumber = (step: Step): number => {
    const number = numbers.get(step) ?? numbers.size
    numbers.set(step, number)
    return number
  }
  for (const books of before) {
    go(
      books,
      acts.map(({ act }) => stepOf(act)),
    )
  }
  return [...found.values()]
}
