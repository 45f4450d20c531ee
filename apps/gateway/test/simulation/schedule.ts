/** Virtual time: later events run at once, in the order of their time. */
export type Schedule = {
  /** ms since the start. */
  now(): number
  after(ms: number, run: () => void): void
  pause(ms: number): Promise<void>
  /** Runs due events until there are none or `isOver`. @throws Error after `stepsMax` steps */
  run(isOver: () => boolean): Promise<void>
}

type Due = { readonly at: number; readonly order: number; readonly run: () => void }

const isBefore = (one: Due, other: Due): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

const SETTLED = Promise.resolve()

/** Creates an empty schedule. */
export function createSchedule(stepsMax: number): Schedule {
  const heap: Due[] = []
  let [time, order, steps] = [0, 0, 0]
  const after = (ms: number, run: () => void): void => {
    order += 1
    push(heap, { at: time + Math.max(0, ms), order, run })
  }
  return {
    now: () => time,
    after,
    pause: ms => new Promise(resolve => after(ms, resolve)),
    run: isOver =>
      new Promise((resolve, reject) => {
        const step = (): void => {
          const due = isOver() ? undefined : pop(heap)
          if (due === undefined) {
            resolve()
            return
          }
          steps += 1
          if (steps > stepsMax) {
            reject(new Error('The history does not come to rest.'))
            return
          }
          time = due.at
          due.run()
          afterPromises()
        }
        // Runs the next step after all settled promises have run: a tick is the end of a promise's turn.
        const nextStep = () => process.nextTick(step)
        const afterPromises = () => void SETTLED.then(nextStep)
        afterPromises()
      }),
  }
}

function push(heap: Due[], due: Due): void {
  let index = heap.length
  heap.push(due)
  while (index > 0) {
    const above = (index - 1) >> 1
    const parent = heap[above] as Due
    if (!isBefore(due, parent)) break
    heap[index] = parent
    index = above
  }
  heap[index] = due
}

function pop(heap: Due[]): Due | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (first === undefined || last === undefined || heap.length === 0) return first
  let index = 0
  for (;;) {
    let below = 2 * index + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Due, heap[below] as Due)) below += 1
    const child = heap[below] as Due
    if (!isBefore(child, last)) break
    heap[index] = child
    index = below
  }
  heap[index] = last
  return first
}
