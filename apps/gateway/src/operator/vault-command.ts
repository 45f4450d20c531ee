import { writeFile } from 'node:fs/promises'
import { parseUsdc, USDC_DECIMALS } from '@farebox/money'
import { vaultStandardJson } from '@farebox/vault/standard-json'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Address, formatUnits } from 'viem'
import { openKey } from '../adapters/chain/chain-signer.ts'
import { readToken, readVaultState } from '../adapters/chain/vault-state.ts'
import { readSome } from '../config.ts'
import { address } from '../setting-schemas.ts'
import { type ActMode, changeVault, type VaultAct } from './change-vault.ts'
import { deployVault } from './deploy-vault.ts'
import { moveBalance } from './move-balance.ts'
import { openVaultChain } from './vault-chain.ts'

type Print = (text: string) => void

const anAddress = (text: string): Address => {
  if (!address.safeParse(text).success) throw new InvalidArgumentError('It must be a 0x address.')
  return text.toLowerCase() as Address
}
const anAmount = (text: string): bigint => {
  try {
    return parseUsdc(text)
  } catch {
    throw new InvalidArgumentError('It must be a decimal amount of USDC.')
  }
}

/** `farebox vault`: the contract, by the chain of `CHAIN_RPC_URL`. */
export function vaultCommand(print: Print, env: NodeJS.ProcessEnv): Command {
  const command = new Command('vault').description(
    'Deploy the vault, show it, and act as its owner. CHAIN_RPC_URL is the chain; OPERATOR_KEY (or OPERATOR_KEY_FILE) signs transactions.',
  )
  command.addCommand(deployCommand(print, env)).addCommand(statusCommand(print, env))
  const acts: [string, string][] = [
    ['pause', 'Stop deposits and withdrawals.'],
    ['unpause', 'Let deposits and withdrawals go on.'],
  ]
  for (const [name, description] of acts)
    command.addCommand(
      actCommand(name, description).action((options: ActOptions) =>
        act({ print, env, options }, { functionName: name === 'pause' ? 'pause' : 'unpause' }),
      ),
    )
  command.addCommand(
    actCommand('rotate-signer', 'Appoint another signer; tickets of the former one are void.')
      .argument('<address>', 'the new signer', anAddress)
      .action((signer: Address, options: ActOptions) =>
        act({ print, env, options }, { functionName: 'setSigner', args: [signer] }),
      ),
  )
  command.addCommand(
    actCommand('set-daily-cap', 'Set the most that may leave in 24 hours.')
      .argument('<usdc>', 'in USDC', anAmount)
      .action((cap: bigint, options: ActOptions) =>
        act({ print, env, options }, { functionName: 'setDailyWithdrawalCap', args: [cap] }),
      ),
  )
  command.addCommand(
    actCommand('move-balance', 'Pay the whole balance by a ticket of TICKET_SIGNER_KEY.')
      .argument('<address>', 'another vault of the same token, or the owner', anAddress)
      .action(async (to: Address, options: ActOptions) => {
        const chain = await openVaultChain(env, print)
        const move = { vault: vaultOf(options.vault, env), to, mode: modeOf(options) }
        await moveBalance(chain, env, move, print)
      }),
  )
  return command
}

function deployCommand(print: Print, env: NodeJS.ProcessEnv): Command {
  return new Command('deploy')
    .description('Deploy a vault. Without --send nothing is sent: checks and gas only.')
    .requiredOption('--owner <address>', 'multisignature wallet that will own the vault', anAddress)
    .requiredOption('--daily-cap <usdc>', 'most that may leave in 24 hours, in USDC', anAmount)
    .option('--token <address>', 'USDC of the chain (default: USDC_ADDRESS)', anAddress)
    .option('--signer <address>', 'signer of tickets (default: that of the settings)', anAddress)
    .option('--allow-key-owner', 'accept an owner that is a single key', false)
    .option('--standard-json <file>', 'write the input for the verification by explorers')
    .option('--send', 'send the transaction', false)
    .action(
      async (options: {
        owner: Address
        dailyCap: bigint
        token?: Address
        signer?: Address
        allowKeyOwner: boolean
        standardJson?: string
        send: boolean
      }) => {
        const {
          standardJson,
          token = settingOf('USDC_ADDRESS', env),
          signer = ownSigner(env),
          ...rest
        } = options
        if (token === undefined) throw new Error('--token or USDC_ADDRESS is missing.')
        if (signer === undefined) throw new Error('--signer or TICKET_SIGNER_KEY is missing.')
        const chain = await openVaultChain(env, print)
        if (standardJson !== undefined) {
          await writeFile(standardJson, JSON.stringify(vaultStandardJson(), null, 2))
          print(`standard JSON ${standardJson}`)
        }
        await deployVault(chain, { ...rest, token, signer }, print)
      },
    )
}

function statusCommand(print: Print, env: NodeJS.ProcessEnv): Command {
  return new Command('status')
    .description('Show the state of the vault.')
    .addOption(vaultOption())
    .option('--json', 'print JSON')
    .action(async ({ vault, json = false }: { vault?: Address; json?: boolean }) => {
      const chain = await openVaultChain(env, print)
      const at = vaultOf(vault, env)
      const state = await readVaultState(chain.client, at)
      const { symbol } = await readToken(chain.client, state.token)
      const signer = ownSigner(env)
      const usdc = (amount: bigint) => `${formatUnits(amount, USDC_DECIMALS)} ${symbol ?? ''}`.trim()
      const shown = {
        chain: chain.chainId,
        vault: at,
        token: state.token,
        balance: usdc(state.balance),
        owner: `${state.owner}${state.isOwnerContract ? '' : ' (a single key)'}`,
        pendingOwner: BigInt(state.pendingOwner) === 0n ? 'none' : state.pendingOwner,
        signer: state.signer,
        ourSigner: signer ?? 'none',
        paused: state.isPaused,
        dailyCap: usdc(state.dailyCap),
        withdrawnIn24Hours: usdc(state.withdrawnToday),
        availableNow: usdc(state.availableNow),
        deposits: Number(state.deposits),
      }
      if (json) print(JSON.stringify(shown, null, 2))
      else for (const [name, value] of Object.entries(shown)) print(`${name.padEnd(19)}${value}`)
    })
}

type ActOptions = { vault?: Address; calldata: boolean; send: boolean }

function actCommand(name: string, description: string): Command {
  return new Command(name)
    .description(`${description} Without --send or --calldata it is only simulated.`)
    .addOption(vaultOption())
    .addOption(new Option('--calldata', 'print the transaction for a multisignature wallet').default(false))
    .addOption(new Option('--send', 'send it with OPERATOR_KEY').default(false).conflicts('calldata'))
}

const vaultOption = () => new Option('--vault <address>', 'default: VAULT_ADDRESS').argParser(anAddress)

async function act(
  { print, env, options }: { print: Print; env: NodeJS.ProcessEnv; options: ActOptions },
  act: VaultAct,
): Promise<void> {
  const chain = await openVaultChain(env, print)
  await changeVault(chain, { vault: vaultOf(options.vault, env), act, mode: modeOf(options) }, print)
}

const modeOf = ({ calldata, send }: ActOptions): ActMode =>
  calldata ? 'calldata' : send ? 'send' : 'simulate'

function vaultOf(given: Address | undefined, env: NodeJS.ProcessEnv): Address {
  const vault = given ?? settingOf('VAULT_ADDRESS', env)
  if (vault === undefined) throw new Error('--vault or VAULT_ADDRESS is missing.')
  return vault
}

function settingOf(name: 'USDC_ADDRESS' | 'VAULT_ADDRESS', env: NodeJS.ProcessEnv): Address | undefined {
  return readSome(env, [name])[name]?.toLowerCase() as Address | undefined
}

function ownSigner(env: NodeJS.ProcessEnv): Address | undefined {
  const { TICKET_SIGNER_KEY: key, TICKET_SIGNER_ADDRESS: external } = readSome(env, [
    'TICKET_SIGNER_KEY',
    'TICKET_SIGNER_ADDRESS',
  ])
  return (external ?? (key && openKey(key).address))?.toLowerCase() as Address | undefined
}
