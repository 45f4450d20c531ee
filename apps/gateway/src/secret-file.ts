import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Maximum size of a file with a secret, in bytes. */
const SECRET_BYTES_MAX = 65_536
/** Rights of users that are neither the owner nor of the group of a file. */
const RIGHTS_OF_OTHERS = 0o007

/**
 * Reads a secret from a file, without the newlines at its end.
 *
 * @returns the secret, or what is wrong with the file, to be said after the name of its setting
 */
export function readSecretFile(path: string): { text: string } | { fault: string } {
  let file: number
  try {
    // A pipe without a writer would block.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile()) return { fault: 'is not a file' }
    if ((found.mode & RIGHTS_OF_OTHERS) !== 0)
      return { fault: 'is open to every user of this machine: chmod o= it' }
    if (found.size > SECRET_BYTES_MAX) return { fault: `has more than ${SECRET_BYTES_MAX} bytes` }
    const text = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '')
    return text === '' ? { fault: 'is empty' } : { text }
  } finally {
    closeSync(file)
  }
}
