import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { startOfProcess } from './processes.ts'

const FILE = 'gateway.json'

/** Where the parts of a running development gateway are: settings as {@link Config} names them. */
export type RunningParts = {
  readonly DATABASE_URL: string
  readonly CHAIN_RPC_URL: string
  readonly VAULT_ADDRESS: string
}

type Holder = { readonly pid: number; readonly script: string; readonly parts?: RunningParts }

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
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text !== null) {
    const { pid, start } = JSON.parse(text) as { pid: number; start: string | null }
    if (pid !== process.pid && start !== null && startOfProcess(pid) === start) {
      throw new Error(
        `Another gateway (process ${pid}) uses ${directory}. Stop it, or set FAREBOX_DATA_DIR to another folder.`,
      )
    }
  }
  await writeFile(file, JSON.stringify({ pid: process.pid, start: startOfProcess(process.pid) }))
  return () => rm(file, { force: true })
}
