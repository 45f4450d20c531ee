import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess, startOfProcess } from './processes.ts'
import { writeWhole } from './write-whole.ts'

const FILE = 'gateway.json'
/** Longest wait for a gateway to drain and stop. */
const ORPHAN_STOP_MS = 50_000

/** Where the parts of a running development gateway are: settings as {@link Config} names them. */
export type RunningParts = {
  readonly DATABASE_URL: string
  /** As the owner of the schema; absent when the database is not ours. */
  readonly MIGRATION_DATABASE_URL?: string
  readonly CHAIN_RPC_URL: string
  readonly VAULT_ADDRESS: string
}

/** `start` tells the process from a later one with the same id; null when it had ended already. */
type Run = { readonly pid: number; readonly start: string | null }
/** `starter` is the npm that runs it, where one does. */
type Holder = Run & { readonly starter?: Run; readonly parts?: RunningParts }

/** A data directory that is this process's own until it is released. */
export type Claim = {
  /** Tells other programs of this project where the parts are. */
  announce(parts: RunningParts): Promise<void>
  release(): Promise<void>
}

/**
 * Claims a data directory for this process: database and chain in it can have one gateway only, and the start of
 * another would end them under the first. A gateway whose npm was killed is stopped first: nobody's Ctrl-C reaches it.
 *
 * @param notice told when such a gateway is stopped
 * @throws Error when a gateway that still runs has claimed it
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
    notice(`Stopping the gateway (process ${holder.pid}) that an npm which was killed left behind ...`)
    await endOrphan(holder)
  }
  const starter = readStarter(process.env)
  const ours: Holder = { ...runOf(process.pid), ...(starter && { starter }) }
  // The URL of the database has its password.
  const write = (content: Holder) => writeWhole(file, JSON.stringify(content))
  await write(ours)
  return {
    announce: parts => write({ ...ours, parts }),
    release: () => rm(file, { force: true }),
  }
}

/** Where the parts of the gateway are that runs on a data directory; null when none does, or not yet. */
export async function findRunning(directory: string): Promise<RunningParts | null> {
  const holder = await readHolder(join(directory, FILE))
  return holder !== null && isRunning(holder) ? (holder.parts ?? null) : null
}

async function readHolder(file: string): Promise<Holder | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Holder)
}

const runOf = (pid: number): Run => ({ pid, start: startOfProcess(pid) })

/** What `scripts/start` was started by: an npm that was killed since has no start any more. */
function readStarter({ FAREBOX_NPM_PID: text }: NodeJS.ProcessEnv): Run | null {
  return text === undefined ? null : runOf(Number(text))
}

async function endOrphan({ pid }: Run): Promise<void> {
  const orphan = { pid, text: '' }
  const hasEnded =
    (await endProcess(orphan, { signal: 'SIGTERM', timeoutMs: ORPHAN_STOP_MS })) ||
    (await endProcess(orphan, { signal: 'SIGKILL', timeoutMs: ORPHAN_STOP_MS }))
  if (!hasEnded) throw new Error(`The gateway that was left behind (process ${pid}) does not end. Kill it.`)
}

function isRunning({ pid, start }: Run): boolean {
  return start !== null && startOfProcess(pid) === start
}
