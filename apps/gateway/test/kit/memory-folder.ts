import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'

/** The in-memory file system of Linux. */
const MEMORY = '/dev/shm'
/** A run needs up to 300 MB, for databases and browsers; containers often have 64 MB. */
const FREE_BYTES_MIN = 2_000_000_000

/** Returns the folder of the in-memory file system; null if there is none, or it lacks the room for a test run. */
export async function memoryFolder(): Promise<string | null> {
  try {
    await access(MEMORY, constants.W_OK)
    const { bavail, bsize } = await statfs(MEMORY)
    return bavail * bsize < FREE_BYTES_MIN ? null : MEMORY
  } catch {
    return null
  }
}
