import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Hex } from 'viem'
import { writeWhole } from './write-whole.ts'

/** Newest blocks that are kept when the chain is loaded again; older ones only when they hold a transaction. */
const BLOCKS_KEPT = 8_000

const unzip = promisify(gunzip)

/** The part of anvil's dump that we look into. */
type Dump = {
  readonly best_block_number: number | string
  readonly blocks: readonly {
    readonly header: { readonly number: Hex }
    readonly transactions: readonly unknown[]
  }[]
}

/**
 * Puts a dump (gzipped JSON, as `anvil_dumpState` sends it) in place of the one before, in one step: whatever is
 * killed meanwhile, the file holds one or the other.
 */
export async function saveState(file: string, dump: Hex): Promise<void> {
  await writeWhole(file, Buffer.from(dump.slice(2), 'hex'))
}

/**
 * Unpacks a saved state for `--load-state`. A chain that mines every second collects empty blocks, and anvil
 * gets slow and large with them; here the old ones are left behind.
 *
 * @param files.saved  written by {@link saveState}
 * @param files.loaded where the unpacked state goes
 * @returns from which height on every block is there; null when nothing was saved yet
 */
export async function unpackState(files: { saved: string; loaded: string }): Promise<number | null> {
  if (!existsSync(files.saved)) return null
  const dump = JSON.parse((await unzip(await readFile(files.saved))).toString('utf8')) as Dump
  const oldest = Math.max(0, Number(dump.best_block_number) - BLOCKS_KEPT)
  const blocks = dump.blocks.filter(({ header, transactions }) => {
    return Number(header.number) >= oldest || transactions.length > 0
  })
  await writeFile(files.loaded, JSON.stringify({ ...dump, blocks }), { mode: 0o600 })
  return oldest
}
