import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Hex } from 'viem'
import { writeWhole } from './write-whole.ts'

/** Number of newest blocks kept when the chain is loaded; older ones only if they have transactions. */
const BLOCKS_KEPT = 8_000

const unzip = promisify(gunzip)

/** The members of anvil's dump that are read here. */
type Dump = {
  readonly best_block_number: number | string
  readonly blocks: readonly {
    readonly header: { readonly number: Hex }
    readonly transactions: readonly unknown[]
  }[]
}

/**
 * Replaces the saved dump (gzipped JSON, from `anvil_dumpState`) atomically: after a kill the file has the old or the
 * new one.
 */
export async function saveState(file: string, dump: Hex): Promise<void> {
  await writeWhole(file, Buffer.from(dump.slice(2), 'hex'))
}

/**
 * Unpacks a saved state for `--load-state`. A chain that mines every second collects empty blocks, which make anvil
 * slow and large; old ones are dropped here.
 *
 * @param files.saved  written by {@link saveState}
 * @param files.loaded path for the unpacked state
 * @returns the height from which every block is present; null if nothing was saved yet
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
