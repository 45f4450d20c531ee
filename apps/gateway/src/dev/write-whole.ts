import { open, rename } from 'node:fs/promises'

/**
 * Writes a file atomically: after a kill it has all of the new content or all of the old. Only its owner may read it.
 */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${file}.${process.pid}`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
}
