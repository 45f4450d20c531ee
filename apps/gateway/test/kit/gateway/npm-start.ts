import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../../..')
/** With a build of the console. */
const START_TIMEOUT_MS = 150_000

/** A development gateway as a newcomer starts it. */
export type NewcomersGateway = {
  readonly url: string
  /** Token of the development credential. */
  readonly credential: string
  /** All that was printed until it was ready. */
  readonly output: string
  /** A temporary folder, removed by `stop`. */
  readonly directory: string
  /** Stops it as Ctrl-C in a terminal does. */
  stop(): Promise<void>
}

/**
 * Runs a command in the root of the repository that starts a gateway, with an empty data directory.
 *
 * @param command such as `npm start`
 * @param end     of what it prints
 * @throws Error with what it has printed if it does not get there
 */
export async function startByCommand(command: string, end: string): Promise<NewcomersGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-newcomer-'))
  await chmod(directory, 0o711) // run by root, the database runs as another user, who must be able to enter
  const { PATH, HOME } = process.env
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd: ROOT,
    env: { PATH, HOME, FAREBOX_DATA_DIR: join(directory, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(child, 'exit')
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
    await exited
    await rm(directory, { recursive: true })
  }
  let output = ''
  const ready = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes(end)) ready.resolve()
    })
  }
  const timer = setTimeout(() => ready.reject(new Error('It is not ready in time.')), START_TIMEOUT_MS)
  exited.then(() => ready.reject(new Error('It ended.')), ready.reject)
  try {
    await ready.promise
  } catch (cause) {
    await stop('SIGKILL')
    throw new Error(`${command} does not start a gateway:\n${output}`, { cause })
  } finally {
    clearTimeout(timer)
  }
  const find = (pattern: RegExp) => pattern.exec(output)?.[1] ?? ''
  return {
    url: find(/^Farebox ready at (\S+)$/m),
    credential: find(/^ {2}export CREDENTIAL=(\S+)$/m),
    output,
    directory,
    stop: () => stop(),
  }
}
