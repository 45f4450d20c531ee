import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const ROOT = join(import.meta.dirname, '../../../..')

/** How a program ended, and all that it said. */
export type Run = { readonly code: number | null; readonly output: string }

/** Runs a program of this repository to its end, with an environment of its own. `program` from the root. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(ROOT, program), ...args],
    {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { code, output: out + error }
}

/** A gateway that lies: it passes on what another one answers, changed where `lie` says so. */
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
