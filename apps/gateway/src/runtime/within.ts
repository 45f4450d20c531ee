/** Returns the outcome of work, or `late` if it takes longer than `ms`; the work goes on then. */
export async function within<Outcome>(ms: number, work: PromiseLike<Outcome>): Promise<Outcome | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>(done => {
    timer = setTimeout(() => done('late'), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
