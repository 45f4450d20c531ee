/** Steps that a long piece of work is told in, when nobody watches a terminal. */
const LINES = 5

/** Tells how far a long piece of work is: on a terminal in one line that changes, else in a few lines. */
export function openProgress(what: string, total: number, output: NodeJS.WriteStream = process.stdout) {
  let reported = 0
  return {
    update(done: number): void {
      const step = Math.floor((done / total) * (output.isTTY ? 100 : LINES))
      if (step === reported) return
      reported = step
      const text = `${what}: ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`
      output.write(output.isTTY && done < total ? `\r${text}` : `${output.isTTY ? '\r' : ''}${text}\n`)
    },
  }
}
