import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem'
import { foundry } from 'viem/chains'
import { endWithUs } from './processes.ts'

const START_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 5_000
const RPC_TIMEOUT_MS = 10_000
const POLL_MS = 20
const COMPLAINTS_CHARS_MAX = 4_000

/** Chain id of every local chain. */
const LOCAL_CHAIN_ID = foundry.id

/** A running anvil. */
export type Anvil = {
  readonly rpcUrl: string
  readonly port: number
  readonly pid: number
  readonly client: AnvilClient
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>
  /** Stops it; resolves when it is gone. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/**
 * Returns a client with the features of local chains: send from accounts of the node, set time and balances, mine.
 *
 * @param timeout maximum wait for an answer, in ms
 */
export function anvilClient(rpcUrl: string, timeout = RPC_TIMEOUT_MS) {
  return createTestClient({
    mode: 'anvil',
    chain: foundry,
    transport: http(rpcUrl, { timeout, retryCount: 0 }),
    pollingInterval: POLL_MS,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

/** See {@link anvilClient}. */
export type AnvilClient = ReturnType<typeof anvilClient>

/**
 * Polls for the receipt of a transaction. viem's own wait asks once per new block: on a chain that makes no block
 * without a transaction it may wait for ever, as a block's number is visible shortly before its receipts.
 *
 * @throws Error if there is none in time
 */
export async function awaitReceipt(
  client: AnvilClient,
  hash: Hex,
  timeoutMs: number,
): Promise<TransactionReceipt> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; await delay(POLL_MS)) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    })
    if (receipt !== null) return receipt
  }
  throw new Error(`Transaction ${hash} was not mined in ${timeoutMs} ms.`)
}

/**
 * Starts anvil on loopback. Cancun is the newest hard fork whose block time does not depend on the length of the chain:
 * with EIP-2935, which came later, anvil hashes a storage of up to 8,191 slots per block (8 ms measured, against 0.04
 * ms).
 *
 * @param options.port       0: a free one
 * @param options.arguments  further command-line arguments
 * @param options.isDetached true: in its own process group, which Ctrl-C does not reach
 * @param options.onSpawn    called with its process id before it listens, and awaited
 * @throws Error with its output if it does not start
 */
export async function startAnvil(options: {
  port: number
  arguments: readonly string[]
  isDetached?: boolean
  onSpawn?: (pid: number) => Promise<void>
}): Promise<Anvil> {
  const child = spawn(
    anvilBinary(),
    [
      '--host',
      '127.0.0.1',
      '--port',
      String(options.port),
      '--chain-id',
      String(LOCAL_CHAIN_ID),
      '--color',
      'never',
      '--hardfork',
      'cancun',
      ...options.arguments,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], detached: options.isDetached === true, cwd: '/' },
  )
  endWithUs(child, 'SIGTERM')
  const ended = new Promise<void>(done => {
    child.once('exit', () => done())
    child.once('error', () => done())
  })
  const { pid } = child
  try {
    if (pid !== undefined) await options.onSpawn?.(pid)
    const port = await listeningPort(child)
    const rpcUrl = `http://127.0.0.1:${port}`
    const client = anvilClient(rpcUrl)
    // Without it every request is logged to a pipe that nobody reads once the gateway is gone.
    await client.setLoggingEnabled(false)
    letGo(child)
    if (pid === undefined) throw new Error('anvil has no process id')
    const stop: Anvil['stop'] = (signal = 'SIGTERM') => stopChild(child, ended, signal)
    return { rpcUrl, port, pid, client, ended, stop }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

async function listeningPort(child: ChildProcess): Promise<number> {
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-COMPLAINTS_CHARS_MAX)
  })
  child.once('error', error => {
    complaints += error.message
  })
  if (child.stdout === null) throw new Error('anvil has no output')
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
      if (port !== undefined) return Number(port)
    }
    throw new Error(`The local chain did not start: ${complaints.trim() || 'anvil exited without output'}`)
  } finally {
    clearTimeout(timer)
    child.stdout.resume()
  }
}

/** The child and its pipes no longer keep this process alive. */
function letGo(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
}

async function stopChild(child: ChildProcess, ended: Promise<void>, signal: NodeJS.Signals): Promise<void> {
  child.ref()
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  const late = delay(STOP_TIMEOUT_MS, 'late', { ref: false })
  if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL')
  await ended
}

/** Path of the binary in the npm package for this platform, resolved from the package that depends on it. */
function anvilBinary(): string {
  const platform = process.platform === 'win32' ? 'win32' : process.platform
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    return createRequire(wrapper).resolve(`@foundry-rs/anvil-${platform}-${arch}/bin/${file}`)
  } catch (cause) {
    throw new Error(`There is no anvil for ${platform}-${arch}. Set CHAIN_RPC_URL and VAULT_ADDRESS.`, {
      cause,
    })
  }
}
