import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startOfProcess } from './processes.ts'
import { writeWhole } from './write-whole.ts'

const FILE = 'gateway.json'

/** Where the parts of a running development gateway are: settings as {@link Config} names them. */
export type RunningParts = {
  readonly DATABASE_URL: string
  /** As the owner of the schema; absent when the database is not ours. */
  readonly MIGRATION_DATABASE_URL?: string
  readonly CHAIN_RPC_URL: string
  readonly VAULT_ADDRESS: string
}

/** `start` tells the process from a later one with the same id. */
type Holder = { readonly pid: number; readonly start: string | null; readonly parts?: RunningParts }

/** A data directory that is this process's own until it is released. */
export type Claim = {
  /** Tells other programs of this project where the parts are. */
  announce(parts: RunningParts): Promise<void>
  release(): Promise<void>
}

/**
 * Claims a data directory for this process: database and chain in it can have one gateway only, and the start of
 * another would end them under the first.
 *
 * @throws Error when a gateway that still runs has claimed it
 */
export async function claimDirectory(directory: string): Promise<Claim> {
  const file = join(directory, FILE)
  const holder = await readHolder(file)
  if (holder !== null && holder.pid !== process.pid && isRunning(holder)) {
    throw new Error(
      `Another gateway (process ${holder.pid}) uses ${directory}. Stop it, or set FAREBOX_DATA_DIR to another folder.`,
    )
  }
  const ours: Holder = { pid: process.pid, start: startOfProcess(process.pid) }
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

function isRunning({ pid, start }: Holder): boolean {
  return start !== null && startOfProcess(pid) === start
}
