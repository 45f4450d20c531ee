import { readdir, readlink } from 'node:fs/promises'
import { signalAll, until } from '../kit/processes.ts'

const KILL_MS = 5_000

/** Returns the processes that work in a folder, as all of PostgreSQL do in that of its data, whoever their parent is. */
export async function runningIn(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(entry => /^\d+$/.test(entry))
  const folders = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.flatMap((pid, index) => (folders[index] === directory ? [Number(pid)] : []))
}

/** Kills the processes that work in a folder, and those that they start meanwhile. */
export async function killIn(directory: string): Promise<void> {
  await until(`nothing runs in ${directory}`, KILL_MS, async () => {
    const left = await runningIn(directory)
    signalAll(left, 'SIGKILL')
    return left.length === 0
  })
}
