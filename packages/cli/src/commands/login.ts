import { signIn } from '@farebox/client/sign-in'
import { Command } from 'commander'
import { openSession, type Session } from '../session.ts'
import { type ChainFacts, writeProfile } from '../state/profiles.ts'
import { confirm } from '../terminal/confirm.ts'
import { examples } from '../terminal/examples.ts'
import { note, print, printJson } from '../terminal/output.ts'
import { describeChain, isSameChain } from '../wallet/chain-facts.ts'
import { KEY_FILE_OPTION } from './wallet-options.ts'

type Options = { readonly keyFile?: string; readonly domain?: string; readonly yes?: true }

/** `farebox login`. */
export function loginCommand(): Command {
  return new Command('login')
    .description('Sign a wallet in. The session lasts 24 hours and is stored for the profile.')
    .option(...KEY_FILE_OPTION)
    .option('--domain <domain>', 'domain that the sign-in message may name, if it is not that of the URL')
    .option('--yes', 'accept that the gateway is on another chain than at the last sign-in')
    .addHelpText(
      'after',
      examples(
        '# A new key, which only you can read:',
        '$ (umask 077; openssl rand -hex 32 > wallet.key)',
        '$ farebox login --gateway https://gateway.example --key-file wallet.key',
        '',
        '# Two wallets side by side:',
        '$ farebox login --profile shop --gateway https://gateway.example --key-file shop.key',
        '$ FAREBOX_PROFILE=shop farebox balance',
      ),
    )
    .action(async (options: Options, command: Command) => login(openSession(command), options))
}

/** `farebox logout`. */
export function logoutCommand(): Command {
  return new Command('logout')
    .description('End the session and forget the profile.')
    .addHelpText('after', examples('$ farebox logout', '$ farebox logout --profile shop'))
    .action(async (_: object, command: Command) => {
      const session = openSession(command)
      const { api } = session.owner()
      const answer = await api.logout()
      writeProfile(session.profileName, null)
      if (session.isJson) printJson(answer)
      else note(`Signed out of ${session.gateway}.`)
    })
}

async function login(session: Session, { keyFile, domain, yes }: Options): Promise<void> {
  const { readWallet } = await import('../wallet/read-key.ts')
  const account = readWallet(keyFile)
  const api = session.visitor()
  const { chainId, vault, usdc } = await api.readChain()
  const chain: ChainFacts = { chainId, vault, usdc }
  const before = session.profile?.chain
  if (before !== undefined && !isSameChain(before, chain)) {
    const lines = [
      `${session.gateway} is on another chain than at the last sign-in.`,
      `  before: ${describeChain(before)}`,
      `  now:    ${describeChain(chain)}`,
    ]
    await confirm(lines, yes === true)
  }
  const { checkSignIn } = await import('../wallet/check-sign-in.ts')
  const expected = { address: account.address, domain: domain ?? new URL(session.gateway).host, chainId }
  const { token, expires_in } = await signIn(api, {
    address: account.address,
    signMessage({ message }) {
      checkSignIn(message, expected)
      return account.signMessage({ message })
    },
  })
  const sessionEndsAt = new Date(Date.now() + expires_in * 1_000).toISOString()
  const isSameWallet = session.profile?.wallet === account.address
  const credential = isSameWallet ? session.profile?.credential : undefined
  writeProfile(session.profileName, {
    gateway: session.gateway,
    wallet: account.address,
    session: token,
    sessionEndsAt,
    chain,
    ...(credential !== undefined && { credential }),
  })
  const shown = { wallet: account.address, gateway: session.gateway, ...chain, sessionEndsAt }
  if (session.isJson) printJson({ profile: session.profileName, ...shown })
  else print(`Signed in to ${session.gateway} as ${account.address}, ${describeChain(chain)}.`)
}
