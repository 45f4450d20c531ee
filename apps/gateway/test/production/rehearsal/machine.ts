import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunAs } from '../../../src/dev/postgres/postgres-place.ts'
import { startDatabase } from './database.ts'
import { openDocument, type Values } from './document.ts'
import { openShell } from './shell.ts'

/** An empty machine with PostgreSQL. */
export type Machine = Awaited<ReturnType<typeof startMachine>>

/** Starts an empty machine: its own directory, a PostgreSQL in it, and docs/operations.md. */
export async function startMachine() {
  const place = await mkdtemp(join(tmpdir(), 'farebox-rehearsal-'))
  await chmod(place, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  const shell = openShell(place)
  const document = openDocument()
  const database = await startDatabase(place, shell)
  const settings: Record<string, Values[string]> = {}

  /** Keeps a secret in a file that only its owner may read, and sets it. */
  async function keep(name: string, secret: string = randomBytes(32).toString('hex')): Promise<string> {
    const file = join(place, name.toLowerCase())
    await rm(file, { force: true })
    await writeFile(file, `${secret}\n`, { mode: 0o400 })
    settings[name] = { file }
    return secret
  }

  return {
    place,
    shell,
    document,
    database,
    /** Values of settings by name; secrets are in files. */
    settings,
    keep,
    /** Returns all settings as an environment, with those of secrets as `<name>_FILE`. */
    environment: (): Record<string, string> =>
      Object.fromEntries(
        Object.entries(settings).map(([name, value]) =>
          typeof value === 'string' ? [name, value] : [`${name}_FILE`, value.file],
        ),
      ),
    /** Runs the command of docs/operations.md that has these words, with the settings of this machine. */
    operate: (
      words: string,
      on: {
        values?: Values
        changes?: Readonly<Record<string, string>>
        env?: Readonly<Record<string, string>>
        as?: RunAs
        fails?: boolean
      } = {},
    ): Promise<string> => {
      const command = document.take(words, Object.assign({}, settings, on.values), on.changes)
      return shell.run(command, on)
    },
    async stop(): Promise<void> {
      await database.stop()
      await rm(place, { recursive: true, force: true })
    },
  }
}
