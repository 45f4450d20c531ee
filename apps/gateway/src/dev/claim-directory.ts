import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isProcessOf } from './processes.ts'

const FILE = 'gateway.json'

/**
 * Claims a data directory for this process: database and chain in it can have one gateway only, and the start of
 * another would end them under the first.
 *
 * @returns gives the directory up
 * @throws Error when a gateway that still runs has claimed it
 */
export async function claimDirectory(directory: string): Promise<() => Promise<void>> {
  const file = join(directory, FILE)
  const [, script = ''] = process.argv
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text !== null) {
    const holder = JSON.parse(text) as { pid: number; script: string }
    if (holder.pid !== process.pid && isProcessOf(holder.pid, holder.script)) {
      throw new Error(
        `Another gateway (process ${holder.pid}) uses ${directory}. Stop it, or set FAREBOX_DATA_DIR to another folder.`,
      )
    }
  }
  await writeFile(file, JSON.stringify({ pid: process.pid, script }))
  return () => rm(file, { force: true })
}
