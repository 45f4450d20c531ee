import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { readVaultState, type VaultState } from '../adapters/chain/vault-state.ts'
import { explained, type VaultChain } from './vault-chain.ts'

/** An act of the vault's owner. */
export type VaultAct =
  | { readonly functionName: 'pause' | 'unpause'; readonly args?: readonly [] }
  | { readonly functionName: 'setSigner'; readonly args: readonly [Address] }
  | { readonly functionName: 'setDailyWithdrawalCap'; readonly args: readonly [bigint] }

/** How an act is carried out: simulated only, sent with OPERATOR_KEY, or printed for a multisignature wallet. */
export type ActMode = 'simulate' | 'send' | 'calldata'

/**
 * Simulates an act as the vault's owner, then sends it or prints its calldata.
 *
 * @throws Error if the vault would refuse it, or OPERATOR_KEY is not the owner's; then nothing was sent
 */
export async function changeVault(
  chain: VaultChain,
  { vault, act, mode }: { vault: Address; act: VaultAct; mode: ActMode },
  print: (text: string) => void,
): Promise<void> {
  const { chainId, client, account } = chain
  const state = await readVaultState(client, vault)
  refuseNonsense(act, state)
  const call = { address: vault, abi: fareboxVaultAbi, ...act }
  await explained(() => client.simulateContract({ ...call, account: state.owner }))
  const data = encodeFunctionData({ abi: fareboxVaultAbi, ...act })
  if (mode === 'calldata') {
    print(describeCalldata(chainId, { vault, functionName: act.functionName, data }))
    return
  }
  if (mode === 'simulate') {
    print(`The vault ${vault} accepts ${act.functionName} from its owner ${state.owner}. Nothing was sent:`)
    print('repeat with --send and OPERATOR_KEY or OPERATOR_KEY_FILE, or with --calldata.')
    return
  }
  if (account !== null && account.address.toLowerCase() !== state.owner)
    throw new Error(
      `OPERATOR_KEY is the key of ${account.address}, but the owner is ${state.owner}: use --calldata.`,
    )
  await chain.send({ to: vault, data })
  print(`done         ${act.functionName} at ${vault} on chain ${chainId}`)
}

/** Returns a transaction in the form that Safe's transaction builder imports. */
export function describeCalldata(
  chainId: number,
  { vault, functionName, data }: { vault: Address; functionName: string; data: Hex },
): string {
  const transactions = [{ to: vault, value: '0', data }]
  const meta = { name: `FareboxVault: ${functionName}` }
  return JSON.stringify({ version: '1.0', chainId: String(chainId), meta, transactions }, null, 2)
}

function refuseNonsense(act: VaultAct, { owner, signer, isPaused }: VaultState): void {
  if (act.functionName === 'pause' && isPaused) throw new Error('The vault is paused already.')
  if (act.functionName === 'unpause' && !isPaused) throw new Error('The vault is not paused.')
  if (act.functionName !== 'setSigner') return
  const [next] = act.args
  if (next === zeroAddress) throw new Error('The signer cannot be the zero address.')
  if (next === signer) throw new Error(`${next} is the signer already.`)
  if (next === owner)
    throw new Error('The owner must not be the signer: one stolen key could take everything.')
}
