import { type Client, createClient } from '@farebox/client'
import type { Command } from 'commander'
import { EXIT } from './exit-codes.ts'
import { badInput, Failure } from './failure.ts'
import { readPrivateFile } from './state/private-file.ts'
import { type Profile, readProfile } from './state/profiles.ts'
import { nextCommand, setChoice } from './terminal/next-command.ts'

const GATEWAY_DEFAULT = 'http://127.0.0.1:8402'
const PROFILE_DEFAULT = 'default'
/** A session that ends sooner than this is treated as ended, in ms. */
const SESSION_MARGIN_MS = 5_000

/** Options of every command. */
export type GlobalOptions = {
  readonly gateway?: string
  readonly profile?: string
  readonly json?: true
}

/** Context of a command: a gateway, and the wallet signed in to it. */
export type Session = {
  /** URL of the gateway, without a slash at its end. */
  readonly gateway: string
  readonly profileName: string
  /** The profile, if it has signed in to this gateway. Its secrets are never sent to another one. */
  readonly profile: Profile | null
  readonly isJson: boolean
  /** Client without an identity. */
  visitor(): Client
  /** Client of the wallet that has signed in, and its profile. */
  owner(): { readonly api: Client; readonly profile: Profile }
  /** Token of the agent: of the environment, or stored in the profile. */
  credential(): string
}

/** Opens the session that the options of a command and the environment name. An empty variable counts as none. */
export function openSession(command: Command): Session {
  const { FAREBOX_URL, FAREBOX_PROFILE } = process.env
  const options = command.optsWithGlobals<GlobalOptions>()
  const profileName = options.profile ?? (FAREBOX_PROFILE || PROFILE_DEFAULT)
  const stored = readProfile(profileName)
  const usual = stored?.gateway ?? GATEWAY_DEFAULT
  const gateway = readGatewayUrl(options.gateway ?? (FAREBOX_URL || usual))
  setChoice({
    profile: profileName === PROFILE_DEFAULT ? null : profileName,
    gateway: gateway === usual ? null : gateway,
  })
  const profile = stored?.gateway === gateway ? stored : null
  const api = (identity: { token?: string; credential?: string } = {}) => {
    const { token, ...agent } = identity
    return createClient({ baseUrl: gateway, ...agent, ...(token !== undefined && { token: () => token }) })
  }
  return {
    gateway,
    profileName,
    profile,
    isJson: options.json === true,
    visitor: () => api(),
    owner() {
      const signedIn = requireSession(profile, stored, gateway)
      return { api: api({ token: signedIn.session }), profile: signedIn }
    },
    credential: () => readCredential(profile),
  }
}

/** @throws Failure unless the profile has signed in to the gateway, and its session lasts */
function requireSession(profile: Profile | null, stored: Profile | null, gateway: string): Profile {
  const hints = [`Sign in: ${nextCommand('login --key-file FILE')}`]
  const about = { exitCode: EXIT.signIn, hints }
  if (profile === null) {
    const other = stored === null ? '' : ` The profile is signed in to ${stored.gateway}.`
    throw new Failure('NOT_SIGNED_IN', `Not signed in to ${gateway}.${other}`, about)
  }
  if (Date.parse(profile.sessionEndsAt) - SESSION_MARGIN_MS < Date.now())
    throw new Failure('SESSION_ENDED', `The session at ${gateway} ended at ${profile.sessionEndsAt}.`, about)
  return profile
}

function readCredential(profile: Profile | null): string {
  const { FAREBOX_CREDENTIAL, FAREBOX_CREDENTIAL_FILE } = process.env
  if (FAREBOX_CREDENTIAL) return FAREBOX_CREDENTIAL.trim()
  if (FAREBOX_CREDENTIAL_FILE) {
    const text = readPrivateFile(FAREBOX_CREDENTIAL_FILE, 'credential file')
    if (text === null) throw badInput(`There is no credential file ${FAREBOX_CREDENTIAL_FILE}.`)
    return text.trim()
  }
  if (profile?.credential !== undefined) return profile.credential
  throw new Failure('NO_CREDENTIAL', 'No agent credential was given.', {
    exitCode: EXIT.signIn,
    hints: [
      'Set FAREBOX_CREDENTIAL or FAREBOX_CREDENTIAL_FILE,',
      `or mint one for this profile: ${nextCommand('credentials mint --save')}`,
    ],
  })
}

/** Returns the URL of a gateway in one form, so that two spellings are equal. */
function readGatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw badInput(`"${text}" is not the URL of a gateway, such as ${GATEWAY_DEFAULT}.`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw badInput('The URL of a gateway has no user, query or fragment.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
