import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { startOfProcess } from '../../src/dev/processes.ts'
import { until } from './until.ts'

/** An exited process that its parent does not reap, so that it keeps its id. */
export type Zombie = {
  readonly pid: number
  /** Start time, read while it ran. */
  readonly start: string
  /** Kills the parent, and thereby the zombie. */
  end(): void
}

/**
 * Makes a zombie, as in a container whose first process reaps none.
 *
 * @param runAs user of the process, by default the current one
 */
export async function startZombie(runAs: { uid?: number; gid?: number } = {}): Promise<Zombie> {
  // The shell starts a process, then replaces itself by another, which does not reap the first.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    ...runAs,
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
  })
  const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string]
  const pid = Number(line)
  const start = startOfProcess(pid)
  if (start === null) throw new Error(`Process ${pid} does not run.`)
  const comm = (of: number | undefined) => readFileSync(`/proc/${of}/comm`, 'utf8').trim()
  await until('both run', () => [pid, parent.pid].every(of => comm(of) === 'sleep'))
  process.kill(pid, 'SIGKILL')
  await until('it is a zombie', () => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  return { pid, start, end: () => void parent.kill('SIGKILL') }
}
