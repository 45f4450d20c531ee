import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** Chain and contracts of a gateway. Addresses are checksummed by the gateway. */
export type ChainFacts = { readonly chainId: number; readonly vault: string; readonly usdc: string }

/** A wallet that has signed in to a gateway. */
export type Profile = {
  readonly gateway: string
  readonly wallet: string
  /** Session token. */
  readonly session: string
  /** ISO 8601. */
  readonly sessionEndsAt: string
  /** The chain and contracts at the sign-in. Nothing is signed for others. */
  readonly chain: ChainFacts
  /** Agent credential that `credentials mint --save` stored. */
  readonly credential?: string | undefined
}

type State = { readonly version: 1; readonly profiles: Readonly<Record<string, Profile>> }

/** Names of profiles: what fits everywhere. */
const PROFILE_NAME = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * Returns the folder of the program's state: by XDG on Unix, under %APPDATA% on Windows. Relative paths, also of a home
 * folder, are ignored: they would leave secrets wherever the program was started.
 */
function stateFolder(): string {
  const { XDG_CONFIG_HOME = '', APPDATA = '' } = process.env
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'farebox')
  if (process.platform === 'win32' && isAbsolute(APPDATA)) return join(APPDATA, 'farebox')
  const home = homedir()
  return join(isAbsolute(home) ? home : userInfo().homedir, '.config', 'farebox')
}

/** Returns the path of a file or folder of the program's state. */
export const statePath = (name: string): string => join(stateFolder(), name)

/** Writes a file of the state. */
export function writeState(path: string, text: string): void {
  writePrivateFile(path, text, ['To keep the state elsewhere: XDG_CONFIG_HOME=/an/absolute/folder'])
}

const stateFile = () => statePath('state.json')

/** Returns a profile; null if nobody has signed in under that name. */
export function readProfile(name: string): Profile | null {
  if (!PROFILE_NAME.test(name))
    throw new Failure('BAD_INPUT', `"${name}" is not a profile name: use letters, digits, dots, - and _.`, {
      exitCode: EXIT.usage,
    })
  const { profiles } = readState()
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null
}

/** Stores a profile; null removes it. */
export function writeProfile(name: string, profile: Profile | null): void {
  const { [name]: _, ...others } = readState().profiles
  const profiles = profile === null ? others : { ...others, [name]: profile }
  writeState(stateFile(), `${JSON.stringify({ version: 1, profiles } satisfies State, null, 2)}\n`)
}

function readState(): State {
  const path = stateFile()
  const text = readPrivateFile(path, 'state file')
  if (text === null) return { version: 1, profiles: {} }
  try {
    const state = JSON.parse(text) as Partial<State> | null
    if (state?.version === 1 && isRecord(state.profiles) && Object.values(state.profiles).every(isProfile))
      return state as State
  } catch {
    // Reported below.
  }
  throw new Failure('STATE_UNREADABLE', `The state file ${path} is damaged, or of a newer version.`, {
    exitCode: EXIT.usage,
    hints: [`Remove it and sign in again: ${nextCommand('login')}`],
  })
}

function isProfile(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.chain)) return false
  const { gateway, wallet, session, sessionEndsAt, chain, credential = '' } = value
  const texts = [gateway, wallet, session, sessionEndsAt, chain.vault, chain.usdc, credential]
  return texts.every(text => typeof text === 'string') && Number.isSafeInteger(chain.chainId)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
