import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { quote } from '../terminal/next-command.ts'

/** Maximum size of a file with a secret or with the state, in bytes. */
const FILE_BYTES_MAX = 1_048_576
const OTHERS = 0o077
const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700

/**
 * Reads a file that only its owner may read.
 *
 * @param what names it in messages, such as "key file"
 * @returns its text; null if there is no such file
 * @throws Failure if others can read or write it, or if it is not a file
 */
export function readPrivateFile(path: string, what: string): string | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw refuse(`The ${what} ${path} cannot be read: ${String(error)}`)
  }
  try {
    const { mode, size, isFile } = statOf(file)
    if (!isFile) throw refuse(`The ${what} ${path} is not a file.`)
    if (size > FILE_BYTES_MAX) throw refuse(`The ${what} ${path} is larger than ${FILE_BYTES_MAX} bytes.`)
    // Windows has no such modes.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(3, '0')
      throw new Failure('FILE_NOT_PRIVATE', `Others can access the ${what} ${path} (mode ${octal}).`, {
        exitCode: EXIT.usage,
        hints: [`Run: chmod 600 ${quote(path)}`],
      })
    }
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/**
 * Writes a file that only its owner may read, whole or not at all, with its folder. It is on disk afterwards.
 *
 * @throws Failure with `hints` if it cannot be written
 */
export function writePrivateFile(path: string, text: string, hints: readonly string[] = []): void {
  const draft = `${path}.${randomUUID()}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE })
    writeDraft(draft, text)
    renameSync(draft, path)
  } catch (error) {
    const message = `The file ${path} cannot be written: ${String(error)}`
    throw new Failure('FILE_NOT_WRITTEN', message, { exitCode: EXIT.usage, hints })
  }
}

function writeDraft(path: string, text: string): void {
  const file = openSync(path, 'wx', FILE_MODE)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function statOf(file: number) {
  const stat = fstatSync(file)
  return { mode: stat.mode, size: stat.size, isFile: stat.isFile() }
}

function refuse(message: string): Failure {
  return new Failure('FILE_UNREADABLE', message, { exitCode: EXIT.usage })
}
