import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endChild } from './child.ts'

const MAIN = fileURLToPath(new URL('../../apps/gateway/src/bin/main.ts', import.meta.url))
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 45_000
const OUTPUT_CHARS_MAX = 8_000

/** A gateway's process. */
export type RunningGateway = {
  readonly url: string
  readonly pid: number
  /** From the start of the process until it said that it was ready, in ms. */
  readonly readyMs: number
  /** The end of what it has printed. */
  output(): string
  /** Stops it in order. */
  stop(): Promise<void>
}

/** The environment of a program of the gateway: these settings and no others of this shell, such as `DATABASE_URL`. */
export function gatewayEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...settings }
}

/**
 * Runs the gateway's program until it says that it is ready.
 *
 * @param options.nodeFlags flags for Node itself, such as `--cpu-prof`
 * @throws Error with what it has printed when it does not become ready
 */
export async function runGateway(options: {
  settings: Readonly<Record<string, string>>
  nodeFlags?: readonly string[]
}): Promise<RunningGateway> {
  const from = performance.now()
  const child = spawn(process.execPath, [...process.execArgv, ...(options.nodeFlags ?? []), MAIN], {
    env: gatewayEnvironment(options.settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const hear = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX)
  }
  child.stdout.setEncoding('utf8').on('data', hear)
  child.stderr.setEncoding('utf8').on('data', hear)
  const stop = () => endChild(child, STOP_TIMEOUT_MS)
  try {
    const url = await readyUrl(child, () => output)
    const { pid } = child
    if (pid === undefined) throw new Error('The gateway has no process id.')
    return { url, pid, readyMs: performance.now() - from, output: () => output, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function readyUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`The gateway did not become ready in time.\n${output()}`)),
      START_TIMEOUT_MS,
    )
    const look = () => {
      const url = /Farebox ready at (\S+)/.exec(output())?.[1]
      if (url === undefined) return
      clearTimeout(late)
      child.stdout?.off('data', look)
      resolve(url)
    }
    child.stdout?.on('data', look)
    child.once('exit', code => {
      clearTimeout(late)
      reject(new Error(`The gateway ended with code ${code}.\n${output()}`))
    })
  })
}
