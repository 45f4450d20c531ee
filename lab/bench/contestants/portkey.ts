import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'
import { endChild, listening } from '../../kit/processes.ts'
import type { ServingWorker } from '../workers/workers.ts'

/** The peers' own package, which is no part of the workspace. */
const PEERS = join(import.meta.dirname, '../peers')
const PORTKEY = join(PEERS, 'node_modules/@portkey-ai/gateway')
const INSTALL_LIMIT_MS = 300_000
const START_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 5_000

/**
 * Installs the peers unless the version of their package.json is there.
 *
 * @returns the version of Portkey's gateway; null when it could not be installed
 */
export async function installPeers(say: (line: string) => void): Promise<string | null> {
  const { dependencies } = JSON.parse(await readFile(join(PEERS, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const wanted = dependencies['@portkey-ai/gateway'] ?? ''
  const installed = await readFile(join(PORTKEY, 'package.json'), 'utf8').catch(() => '{}')
  if ((JSON.parse(installed) as { version?: string }).version === wanted) return wanted
  say('Installing the gateways to compare with, in lab/bench/peers ...')
  const flags = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  return promisify(execFile)('npm', flags, { cwd: PEERS, timeout: INSTALL_LIMIT_MS }).then(
    () => wanted,
    (error: unknown) => {
      say(`They could not be installed, so Portkey is left out: ${String(error)}`)
      return null
    },
  )
}

/** Starts Portkey's gateway as it comes from npm, without its console, on the Node that all run on. */
export async function startPortkey(): Promise<ServingWorker> {
  const port = await freePort()
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(
    process.execPath,
    [...process.execArgv, join(PORTKEY, 'build/start-server.js'), `--port=${port}`, '--headless'],
    { stdio: 'ignore', env: { PATH, HOME, TMPDIR, NODE_ENV: 'production' } },
  )
  try {
    await listening(child, port, START_LIMIT_MS)
    const { pid } = child
    if (pid === undefined) throw new Error('It has no process id.')
    return { url: `http://127.0.0.1:${port}`, pid, stop: () => endChild(child, STOP_LIMIT_MS) }
  } catch (error) {
    await endChild(child, STOP_LIMIT_MS)
    throw new Error('Portkey did not start.', { cause: error })
  }
}

/** Headers that have Portkey pass a chat completion on to a provider of one's own. */
export const portkeyHeaders = (upstreamUrl: string): readonly string[] => [
  ...['x-portkey-provider', 'openai', 'x-portkey-custom-host', `${upstreamUrl}/v1`],
  ...['authorization', 'Bearer bench'],
]
