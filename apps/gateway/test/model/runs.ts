import fc from 'fast-check'
import { anyWish, BEGINNING, type Wish } from './acts.ts'
import { type Act, type Answer, type Books, EMPTY, happen } from './books.ts'
import type { Driver } from './driver.ts'
import { explain } from './explain.ts'
import { textOf, type View, viewOf } from './view.ts'

/** Maximum acts of a sequential run; maximum batches of concurrent acts, and acts per batch. */
const ACTS_MAX = 40
const BATCHES_MAX = 6
const ACTS_AT_ONCE_MAX = 4

/** Counts acts, and knows whether a run has ended. */
export type Watch = {
  readonly act: (act: Act) => void
  readonly run: (run: Promise<void>) => Promise<void>
}

const NOBODY: Watch = { act: () => undefined, run: run => run }

/** The gateway deviates from the model. */
export class Differs extends Error {
  override readonly name = 'Differs'
  constructor(what: string, difference: { is: unknown; shouldBe: unknown; acts: readonly Act[] }) {
    const { is, shouldBe, acts } = difference
    super(
      `${what}\n is         ${textOf(is)}\n should be  ${textOf(shouldBe)}\n after\n${acts.map(textOf).join('\n')}`,
    )
  }
}

/** Unique names within a run. */
function createNames(): () => string {
  let made = 0
  return () => {
    made += 1
    return `n${made}`
  }
}

/** Runs acts one by one and compares every answer, and finally the whole visible state. */
export async function replayActs(driver: Driver, acts: readonly Act[]): Promise<Books> {
  let books = EMPTY
  for (const [index, act] of acts.entries()) {
    const expected = happen(books, act)
    const is = await driver.act(act)
    const done = acts.slice(0, index + 1)
    if (textOf(is) !== textOf(expected.answer)) {
      throw new Differs('An answer', { is, shouldBe: expected.answer, acts: done })
    }
    books = expected.books
  }
  compareViews(await driver.view(), books, acts)
  return books
}

function compareViews(is: View, books: Books, acts: readonly Act[]): void {
  const shouldBe = viewOf(books)
  if (textOf(is) !== textOf(shouldBe)) throw new Differs('What there is to see', { is, shouldBe, acts })
}

type Model = { books: Books; readonly fresh: () => string; readonly acts: Act[] }

/** An act template as a command of fast-check: resolved when its turn comes. */
class WishCommand implements fc.AsyncCommand<Model, Driver> {
  private readonly wish: Wish
  private readonly onAct: Watch['act']
  private reported = 'a wish that was not come to'

  constructor(wish: Wish, onAct: Watch['act']) {
    this.wish = wish
    this.onAct = onAct
  }

  check(model: Readonly<Model>): boolean {
    return this.wish(model.books, () => 'a name') !== null
  }

  async run(model: Model, driver: Driver): Promise<void> {
    const act = this.wish(model.books, model.fresh)
    if (act === null) return
    this.reported = textOf(act)
    this.onAct(act)
    model.acts.push(act)
    const { books, answer: shouldBe } = happen(model.books, act)
    const is = await driver.act(act)
    if (textOf(is) !== textOf(shouldBe)) throw new Differs('An answer', { is, shouldBe, acts: model.acts })
    model.books = books
  }

  toString(): string {
    return this.reported
  }
}

/** Property: sequential acts behave as in the model. */
export function inTurn(
  start: () => Promise<Driver>,
  settle: () => Promise<void>,
  watch: Watch = NOBODY,
): fc.IAsyncProperty<unknown> {
  const commands = fc.commands([anyWish().map(wish => new WishCommand(wish, watch.act))], {
    maxCommands: ACTS_MAX,
    size: 'max',
  })
  const run = async (wanted: Iterable<fc.AsyncCommand<Model, Driver>>) => {
    const driver = await start()
    const model: Model = { books: EMPTY, fresh: createNames(), acts: [] }
    model.books = await begin(driver, model.acts)
    await fc.asyncModelRun(() => ({ model, real: driver }), wanted)
    compareViews(await driver.view(), model.books, model.acts)
    await settle()
  }
  return fc.asyncProperty(commands, wanted => watch.run(run(wanted)))
}

async function begin(driver: Driver, acts: Act[]): Promise<Books> {
  acts.push(...BEGINNING)
  let books = EMPTY
  for (const act of BEGINNING) {
    await driver.act(act)
    books = happen(books, act).books
  }
  return books
}

/**
 * Property: concurrent acts behave as in the model, in some order of their steps. Objects created within a batch are
 * used from the next one on. An hour does not pass during a batch: its effects would be ambiguous.
 */
export function atOnce(
  start: () => Promise<Driver>,
  settle: () => Promise<void>,
  watch: Watch = NOBODY,
): fc.IAsyncProperty<unknown> {
  const batch = fc.array(anyWish(['expire', 'voucher']), { minLength: 2, maxLength: ACTS_AT_ONCE_MAX })
  const batches = fc.array(batch, { minLength: 1, maxLength: BATCHES_MAX, size: 'max' })
  const run = async (wanted: Wish[][]) => {
    const driver = await start()
    const fresh = createNames()
    const done: Act[] = []
    let maybe: Books[] = [await begin(driver, done)]
    for (const wishes of wanted) {
      const [before] = maybe
      if (before === undefined) throw new Error('There are no books.')
      const acts = distinct(wishes.flatMap(wish => wish(before, fresh) ?? []))
      for (const act of acts) watch.act(act)
      const answers = await Promise.all(acts.map(act => driver.act(act)))
      done.push(...acts)
      const reported = acts.map((act, index) => ({ act, answer: answers[index] as Answer }))
      const explained = explain(maybe, reported)
      if (explained.length === 0)
        throw new Differs('Answers at once', { is: answers, shouldBe: '?', acts: done })
      const seen = textOf(await driver.view())
      maybe = explained.filter(books => textOf(viewOf(books)) === seen)
      if (maybe.length === 0) {
        throw new Differs('What there is to see', { is: seen, shouldBe: explained.map(viewOf), acts: done })
      }
    }
    await settle()
  }
  return fc.asyncProperty(batches, wanted => watch.run(run(wanted)))
}

/** Requests with one key of a withdrawal or a voucher run one at a time: the gateway would refuse the second. */
function distinct(acts: readonly Act[]): Act[] {
  const keys = new Set<string>()
  return acts.filter(act => {
    if (act.kind !== 'withdraw' && act.kind !== 'complete') return true
    const key = act.kind === 'withdraw' ? act.key : act.withdrawal
    if (keys.has(key)) return false
    keys.add(key)
    return true
  })
}
