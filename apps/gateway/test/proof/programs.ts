import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listen } from '../kit/network/loopback.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** Exit code and output of a program. */
export type Run = {
  readonly code: number | null
  /** Standard output. */
  readonly printed: string
  /** Standard output, then standard error. */
  readonly output: string
}

/** Starts a program of this repository with its own environment. `program` is relative to the root. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<Run> } {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(ROOT, program), ...args],
    {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const exit = once(child, 'exit') as Promise<[number | null]>
  const ended = Promise.all([text(child.stdout), text(child.stderr), exit])
  return {
    child,
    ended: ended.then(([printed, complained, [code]]) => ({ code, printed, output: printed + complained })),
  }
}

/** Runs a program of this repository to its end, with its own environment. `program` is relative to the root. */
export function runProgram(...program: Parameters<typeof startProgram>): Promise<Run> {
  return startProgram(...program).ended
}

/** A lying gateway: proxies another one, with answers changed by `lie`. */
export async function startLiar(
  honest: string,
  lie: (path: string, body: Record<string, unknown>) => unknown,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async ({ url = '/', headers }, response) => {
    const authorization = headers.authorization
    const answer = await fetch(honest + url, {
      headers: authorization === undefined ? {} : { authorization },
    })
    const body = (await answer.json()) as Record<string, unknown>
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(lie(url.replace('/api/v1', ''), body)))
  })
  const { origin, stop } = await listen(server)
  return { url: origin, stop }
}
