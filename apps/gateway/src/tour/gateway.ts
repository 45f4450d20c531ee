import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Default address of a development gateway. */
const LOCAL_URL = 'http://127.0.0.1:8402'
const ANSWER_TIMEOUT_MS = 2_000
const START_TIMEOUT_MS = 60_000

/**
 * Finds a gateway for the tour: the named one, else the local one, else one started in a temporary directory, which
 * `stop` ends and removes.
 */
export async function reachGateway(
  named: string | undefined,
  report: (message: string) => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  const url = (named ?? LOCAL_URL).replace(/\/$/, '')
  if (await answers(url)) {
    report(`Touring the gateway at ${url}`)
    return { url, stop: async () => undefined }
  }
  if (named !== undefined) throw new Error(`No gateway answers at ${url}.`)
  report(`No gateway answers at ${url}: starting one for the tour ...`)
  return startOwnGateway(report)
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    response => response.ok,
    () => false,
  )
}

/**
 * Starts a development gateway in a temporary directory; `stop` ends it and removes the directory. So does the end of this
 * process by a signal, or by a reader of its output that goes away, such as `head`.
 *
 * @param settings further environment variables of the gateway
 */
export async function startOwnGateway(
  report: (message: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-tour-'))
  await chmod(directory, 0o711) // run by root, the database runs as another user, who must be able to enter
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bin/main.ts')], {
    env: { ...process.env, FAREBOX_MODE: 'dev', FAREBOX_DATA_DIR: directory, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    await rm(directory, { recursive: true, force: true })
  }
  const endEarly = () => void stop().finally(() => process.exit(1))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, endEarly)
  process.stdout.once('error', endEarly)
  try {
    const url = await readyUrl(child)
    report(`Farebox is ready at ${url}`)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits for the line with the URL. */
function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const late = setTimeout(
      () => reject(new Error('The gateway did not become ready in time.')),
      START_TIMEOUT_MS,
    )
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const url = /Farebox ready at ([^\s"]+)/.exec(text)?.[1]
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    })
    child.once('exit', code => {
      clearTimeout(late)
      reject(new Error(`The gateway ended at start with code ${code}.`))
    })
  })
}
