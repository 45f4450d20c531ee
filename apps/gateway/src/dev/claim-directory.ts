import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { endProcess, startOfProcess } from './processes.ts'
import { writeWhole } from './write-whole.ts'

const FILE = 'gateway.json'
/** Maximum wait for a gateway to drain and stop. */
const ORPHAN_STOP_MS = 50_000

/** Addresses of a running development gateway's parts: settings as in {@link Config}. */
export type RunningParts = {
  readonly DATABASE_URL: string
  /** As the owner of the schema; absent if the database is external. */
  readonly MIGRATION_DATABASE_URL?: string
  readonly CHAIN_RPC_URL: string
  readonly VAULT_ADDRESS: string
}

/** `start` distinguishes the process from a later one with the same id; null if it had already ended. */
type Run = { readonly pid: number; readonly start: string | null }
/** `starter`: the npm that runs it, if any. */
type Holder = Run & { readonly starter?: Run; readonly parts?: RunningParts }

/** A data directory owned by this process until it is released. */
export type Claim = {
  /** Publishes the addresses of the parts to other programs of this project. */
  announce(parts: RunningParts): Promise<void>
  release(): Promise<void>
}

/**
 * Claims a data directory for this process, and makes it if it is missing: its database and chain can serve one gateway
 * only, and a second start would stop them. A gateway whose npm was killed is stopped first, as Ctrl-C cannot reach it.
 *
 * @param notice called when such a gateway is stopped
 * @throws Error if a running gateway has claimed it, or nothing can be written there
 */
export async function claimDirectory(
  directory: string,
  notice: (message: string) => void = () => undefined,
): Promise<Claim> {
  const file = join(directory, FILE)
  const holder = await readHolder(file)
  if (holder !== null && holder.pid !== process.pid && isRunning(holder)) {
    if (holder.starter === undefined || isRunning(holder.starter)) {
      throw new Error(
        `Another gateway (process ${holder.pid}) uses ${directory}. Stop it, or set FAREBOX_DATA_DIR to another folder.`,
      )
    }
    notice(`Stopping the gateway (process ${holder.pid}) that a killed npm left running ...`)
    await endOrphan(holder)
  }
  const starter = readStarter(process.env)
  const ours: Holder = { ...runOf(process.pid), ...(starter && { starter }) }
  // The URL of the database contains its password.
  const write = (content: Holder) => writeWhole(file, JSON.stringify(content))
  try {
    await makeDirectory(directory)
    await write(ours)
  } catch (cause) {
    const message = `${directory} cannot be written to. Set FAREBOX_DATA_DIR to a folder that can.`
    throw new Error(message, { cause })
  }
  return {
    announce: parts => write({ ...ours, parts }),
    release: () => rm(file, { force: true }),
  }
}

/** Makes a directory and those above it. Node.js 20 does not end `recursive` where none can be made, as in `/proc`. */
async function makeDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) return
  await makeDirectory(dirname(directory))
  await mkdir(directory)
}

/** Returns the addresses of the gateway that runs on a data directory; null if none does, or not yet. */
export async function findRunning(directory: string): Promise<RunningParts | null> {
  const holder = await readHolder(join(directory, FILE))
  return holder !== null && isRunning(holder) ? (holder.parts ?? null) : null
}

async function readHolder(file: string): Promise<Holder | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Holder)
}

const runOf = (pid: number): Run => ({ pid, start: startOfProcess(pid) })

/** Returns the process that started `scripts/start`, or null. If it was killed, it has no start time. */
function readStarter({ FAREBOX_NPM_PID: text }: NodeJS.ProcessEnv): Run | null {
  return text === undefined ? null : runOf(Number(text))
}

async function endOrphan({ pid }: Run): Promise<void> {
  const orphan = { pid, text: '' }
  const hasEnded =
    (await endProcess(orphan, { signal: 'SIGTERM', timeoutMs: ORPHAN_STOP_MS })) ||
    (await endProcess(orphan, { signal: 'SIGKILL', timeoutMs: ORPHAN_STOP_MS }))
  if (!hasEnded) throw new Error(`The gateway that was left running (process ${pid}) does not stop. Kill it.`)
}

function isRunning({ pid, start }: Run): boolean {
  return start !== null && startOfProcess(pid) === start
}
