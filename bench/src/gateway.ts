import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endChild, freePort } from './child.ts'

const MAIN = fileURLToPath(new URL('../../apps/gateway/src/main.ts', import.meta.url))
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 45_000
const OUTPUT_CHARS_MAX = 8_000

/** A gateway of the bench's own. */
export type BenchGateway = {
  readonly url: string
  readonly pid: number
  /** Where the files of its database lie. */
  readonly dataDirectory: string
  /** Where its database is, for the little that no interface of the gateway does. */
  databaseUrl(): Promise<string>
  /** Its chain and the vault there. */
  chain(): Promise<{ readonly rpcUrl: string; readonly vault: string }>
  /** The end of what it has printed. */
  output(): string
  /** Stops it in order and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts the gateway as a user does, in development mode with its own database (fsync on) and chain, in a fresh
 * folder. It gets no setting of this shell: a `DATABASE_URL` that lies around is not to be filled with test calls.
 *
 * @param options.nodeFlags flags for Node itself, such as `--cpu-prof`
 * @param options.settings  settings of its own, such as how often it reconciles
 */
export async function startGateway(
  options: { nodeFlags?: readonly string[]; settings?: Readonly<Record<string, string>> } = {},
): Promise<BenchGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-bench-'))
  // Run by root, the database runs as another user, who must be able to enter.
  await chmod(directory, 0o755)
  let elsewhere: string | undefined
  const clear = async () => {
    await rm(directory, { recursive: true, force: true })
    if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true })
  }
  try {
    const { stop, ...running } = await runGateway({
      ...(options.nodeFlags && { nodeFlags: options.nodeFlags }),
      settings: {
        ...{ FAREBOX_MODE: 'dev', FAREBOX_DATA_DIR: directory, PORT: String(await freePort()) },
        // All owners sign in from one address here; what is measured has nothing to do with this limit.
        CHALLENGES_PER_MINUTE: '1000000',
        ...options.settings,
      },
    })
    elsewhere = clusterElsewhere(running.output(), directory)
    return {
      ...running,
      dataDirectory: elsewhere ?? directory,
      databaseUrl: async () => (await readParts(directory)).MIGRATION_DATABASE_URL,
      async chain() {
        const { CHAIN_RPC_URL: rpcUrl, VAULT_ADDRESS: vault } = await readParts(directory)
        return { rpcUrl, vault }
      },
      async stop() {
        await stop()
        await clear()
      },
    }
  } catch (error) {
    await clear()
    throw error
  }
}

type Parts = Readonly<Record<'MIGRATION_DATABASE_URL' | 'CHAIN_RPC_URL' | 'VAULT_ADDRESS', string>>

/** A gateway's process. */
export type RunningGateway = Pick<BenchGateway, 'url' | 'pid' | 'output' | 'stop'>

/**
 * Runs the gateway's program with these settings and no others of this shell, until it says that it is ready.
 *
 * @throws Error with what it has printed when it does not become ready
 */
export async function runGateway(options: {
  settings: Readonly<Record<string, string>>
  nodeFlags?: readonly string[]
}): Promise<RunningGateway> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [...process.execArgv, ...(options.nodeFlags ?? []), MAIN], {
    env: {
      ...{ PATH, HOME, TMPDIR, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) },
      ...options.settings,
    },
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
    return { url, pid, output: () => output, stop }
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
    child.stdout?.on('data', () => {
      const url = /Farebox ready at (\S+)/.exec(output())?.[1]
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    })
    child.once('exit', code => {
      clearTimeout(late)
      reject(new Error(`The gateway ended with code ${code}.\n${output()}`))
    })
  })
}

/**
 * Where the gateway says that it put the cluster instead of our folder (the database's user could not reach the
 * programs). It is ours to remove only when it carries the name of our folder.
 */
function clusterElsewhere(output: string, directory: string): string | undefined {
  const place = /its data lie in (\S+)/.exec(output)?.[1]
  return place?.includes(basename(directory)) ? dirname(place) : undefined
}

/** Development mode leaves word of its parts for other programs of the project. We read, fill and vacuum as the owner. */
async function readParts(directory: string): Promise<Parts> {
  const text = await readFile(join(directory, 'gateway.json'), 'utf8')
  const { parts } = JSON.parse(text) as { parts?: Parts }
  if (parts === undefined) throw new Error('The gateway does not say where its parts are.')
  return parts
}
