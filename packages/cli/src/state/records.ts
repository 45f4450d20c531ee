import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { readPrivateFile } from './private-file.ts'
import { statePath, writeState } from './profiles.ts'

/** Maximum number of records of a kind: work whose end is not known. */
const RECORDS_MAX = 1_000

/** Records on disk of requests without a known outcome, one file each: programs may run side by side. */
export type Records<Stored> = {
  /** Stores a record. It is on disk afterwards. */
  store(id: string, record: Stored): void
  /** Returns a record; null if there is none of this id. */
  find(id: string): Stored | null
  forget(id: string): void
  list(): Stored[]
}

/**
 * Opens the records of a kind.
 *
 * @param kind  name of their folder
 * @param ageMsMax older records are removed when another is stored
 */
export function openRecords<Stored>(kind: string, ageMsMax = Number.POSITIVE_INFINITY): Records<Stored> {
  const folder = () => statePath(kind)
  const fileOf = (id: string) => join(folder(), `${createHash('sha256').update(id).digest('hex')}.json`)
  const read = (path: string) => {
    const text = readPrivateFile(path, 'file')
    return text === null ? null : (JSON.parse(text) as Stored)
  }
  return {
    store(id, record) {
      const others = listFiles(folder()).filter(({ path }) => path !== fileOf(id))
      const old = others.filter(({ at }) => Date.now() - at > ageMsMax)
      for (const { path } of old) rmSync(path, { force: true })
      const pending = others.length - old.length
      if (pending >= RECORDS_MAX)
        throw new Failure('TOO_MANY_PENDING', `The outcome of ${pending} ${kind} is unknown.`, {
          exitCode: EXIT.usage,
          hints: [`Finish them, or discard them: remove ${folder()}`],
        })
      writeState(fileOf(id), JSON.stringify(record))
    },
    find: id => read(fileOf(id)),
    forget: id => rmSync(fileOf(id), { force: true }),
    list: () =>
      listFiles(folder())
        .toSorted((a, b) => a.at - b.at)
        .map(({ path }) => read(path))
        .filter(record => record !== null),
  }
}

function listFiles(folder: string): { path: string; at: number }[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  return names
    .filter(name => name.endsWith('.json'))
    .map(name => join(folder, name))
    .flatMap(path => {
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat === undefined ? [] : [{ path, at: stat.mtimeMs }]
    })
}
