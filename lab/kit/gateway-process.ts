import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { endChild } from './processes.ts'

const MAIN = join(import.meta.dirname, '../../apps/gateway/src/bin/main.ts')
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 45_000
const OUTPUT_CHARS_MAX = 16_384
/** Compiled sources, where the caller has no cache of its own. */
const COMPILE_CACHE = join(tmpdir(), 'farebox-test-compile-cache')

/** A gateway's process. */
export type RunningGateway = {
  readonly url: string
  readonly pid: number
  /** From the start of the process until it was ready, in ms. */
  readonly readyMs: number
  /** The end of what it has printed. */
  output(): string
  stop(): Promise<void>
}

/** Settings of a gateway by their names. */
export type Settings = Readonly<Record<string, string>>

/**
 * Returns settings of an installation in production mode, with new secrets. Providers may listen on loopback, and all
 * users come from there.
 */
export function productionSettings(on: {
  databaseUrl: string
  rpcUrl: string
  chain: { readonly contracts: { readonly vault: string }; readonly ticketSignerKey: Hex }
}): Settings {
  return {
    FAREBOX_MODE: 'production',
    DATABASE_URL: on.databaseUrl,
    CHAIN_RPC_URL: on.rpcUrl,
    VAULT_ADDRESS: on.chain.contracts.vault,
    TICKET_SIGNER_KEY: on.chain.ticketSignerKey,
    REQUIRED_CONFIRMATIONS: '1',
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ALLOW_PRIVATE_TARGETS: 'true',
    ALLOW_HTTP_TARGETS: 'true',
    CHALLENGES_PER_MINUTE: '1000000',
  }
}

/** Returns the environment of a program of the gateway: these settings and no others of this shell. */
export function gatewayEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE = COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...settings }
}

/**
 * Starts the gateway's program.
 *
 * @param options.nodeFlags  flags for Node, such as `--cpu-prof`
 * @param options.isDetached whether it has an IPC channel, and no Ctrl-C of this terminal reaches it
 * @param options.hear       receives all that it prints
 * @returns `ready` resolves with its URL, or rejects with what it has printed when it does not become ready
 */
export function spawnGateway(options: {
  settings: Settings
  nodeFlags?: readonly string[]
  isDetached?: boolean
  hear?: (text: string) => void
}): { readonly child: ChildProcess; readonly ready: Promise<string>; output(): string } {
  const { settings, nodeFlags = [], isDetached = false, hear } = options
  const child = spawn(process.execPath, [...process.execArgv, ...nodeFlags, MAIN], {
    env: gatewayEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe', ...(isDetached ? (['ipc'] as const) : [])],
    detached: isDetached,
  })
  let output = ''
  let isReady = false
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS_MAX)
      hear?.(text)
      const url = isReady ? undefined : /Farebox ready at ([^\s"]+)/.exec(output)?.[1]
      if (url === undefined) return
      isReady = true
      resolve(url)
    })
  }
  child.once('exit', code => reject(new Error(`The gateway ended at its start with ${code}:\n${output}`)))
  child.on('error', reject)
  const late = setTimeout(() => {
    reject(new Error(`The gateway did not become ready in time:\n${output}`))
    child.kill('SIGKILL')
  }, START_TIMEOUT_MS)
  return { child, ready: promise.finally(() => clearTimeout(late)), output: () => output }
}

/**
 * Runs the gateway's program until it is ready.
 *
 * @throws Error with what it has printed when it does not become ready
 */
export async function runGateway(options: {
  settings: Settings
  nodeFlags?: readonly string[]
}): Promise<RunningGateway> {
  const from = performance.now()
  const { child, ready, output } = spawnGateway(options)
  const stop = () => endChild(child, STOP_TIMEOUT_MS)
  try {
    const url = await ready
    return { url, pid: child.pid ?? 0, readyMs: performance.now() - from, output, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
