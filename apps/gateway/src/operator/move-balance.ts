import { randomBytes } from 'node:crypto'
import { formatUsdc, usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, bytesToHex, encodeFunctionData, parseEventLogs, type TransactionReceipt } from 'viem'
import { createTicketKey, openKey, readSigner, type TicketKey } from '../adapters/chain/chain-signer.ts'
import { createRemoteKey } from '../adapters/chain/remote-signer.ts'
import { hasCode, readVaultState, type VaultState } from '../adapters/chain/vault-state.ts'
import { readSome, remoteSignerOf } from '../config.ts'
import { TICKET_SECONDS } from '../domains/ledger/database/database-watch.ts'
import { type ActMode, describeCalldata } from './change-vault.ts'
import { explained, type VaultChain } from './vault-chain.ts'

/**
 * Signs a ticket for the whole balance of a vault, payable to another vault or to the owner, and pays it, simulates
 * that, or prints its calldata. Anyone may submit the ticket, within an hour.
 *
 * @param env settings of the gateway that signs tickets
 * @param move.to a FareboxVault of the same token, or the owner of `vault`; lower-case
 * @throws Error saying what prevents the payment; then nothing was sent
 */
export async function moveBalance(
  chain: VaultChain,
  env: NodeJS.ProcessEnv,
  { vault, to, mode }: { vault: Address; to: Address; mode: ActMode },
  print: (text: string) => void,
): Promise<void> {
  const { chainId, client } = chain
  const state = await readVaultState(client, vault)
  await requireRecipient(chain, { vault, to, state })
  requirePayable(state)
  const key = ticketKeyOf(env, { chainId, vault })
  const { acceptsOurs } = await readSigner(client, { chainId, vault }, key)
  if (!acceptsOurs) throw new Error(`The vault's signer is ${state.signer}, but ours is ${key.address}.`)
  const { timestamp } = await explained(() => client.getBlock())
  const amount = state.balance
  const ticket = { to, amount, deadline: timestamp + TICKET_SECONDS, nonce: bytesToHex(randomBytes(32)) }
  const call = {
    abi: fareboxVaultAbi,
    functionName: 'withdraw',
    args: [ticket, await key.sign(ticket)],
  } as const
  await explained(() => client.simulateContract({ address: vault, ...call, account: state.owner }))
  const data = encodeFunctionData(call)
  if (mode === 'calldata') return print(describeCalldata(chainId, { vault, functionName: 'withdraw', data }))
  const what = `${formatUsdc(usdc(amount))} USDC from ${vault} to ${to}`
  if (mode === 'simulate') {
    print(`The vault would pay ${what}. Nothing was sent:`)
    print('repeat with --send and OPERATOR_KEY or OPERATOR_KEY_FILE (any account), or with --calldata.')
    return
  }
  const receipt = await chain.send({ to: vault, data })
  print(`moved        ${what}`)
  print(`--moved-by   ${redemptionOf(receipt, vault)}`)
}

/** @throws Error unless `to` is the owner or a vault of the same token on this chain: a payment elsewhere would be lost */
async function requireRecipient(
  { chainId, client }: VaultChain,
  { vault, to, state }: { vault: Address; to: Address; state: VaultState },
): Promise<void> {
  if (to === state.owner) return
  if (to === vault) throw new Error(`${to} is the vault itself.`)
  if (!(await hasCode(client, to)))
    throw new Error(
      `${to} is neither a contract on chain ${chainId} nor the owner of the vault, ${state.owner}.`,
    )
  const { token } = await readVaultState(client, to)
  if (token !== state.token)
    throw new Error(`The vault ${to} uses the token ${token}, but ${vault} holds ${state.token}.`)
}

function requirePayable({ isPaused, balance, availableNow, withdrawnToday }: VaultState): void {
  if (balance === 0n) throw new Error('The vault holds nothing.')
  if (isPaused) throw new Error('The vault is paused, and pays no ticket: the owner must unpause it.')
  if (availableNow >= balance) return
  const [held, left, cap] = [balance, availableNow, withdrawnToday + balance].map(each =>
    formatUsdc(usdc(each)),
  )
  throw new Error(
    `The vault holds ${held} USDC, but its daily cap leaves ${left}: the owner must raise it (set-daily-cap ${cap}).`,
  )
}

function ticketKeyOf(env: NodeJS.ProcessEnv, at: { chainId: number; vault: Address }): TicketKey {
  const settings = readSome(env, ['TICKET_SIGNER_KEY', 'TICKET_SIGNER_URL', 'TICKET_SIGNER_ADDRESS'])
  const remote = remoteSignerOf(settings)
  if (remote !== undefined) return createRemoteKey(remote, at)
  const { TICKET_SIGNER_KEY: key } = settings
  if (key === undefined)
    throw new Error('TICKET_SIGNER_KEY is not set (nor TICKET_SIGNER_URL and TICKET_SIGNER_ADDRESS).')
  return createTicketKey(openKey(key), at)
}

/** Returns the payment of a transaction as a gateway names it: transaction and log index. */
function redemptionOf({ transactionHash, logs }: TransactionReceipt, vault: Address): string {
  const paid = parseEventLogs({ abi: fareboxVaultAbi, eventName: 'Withdrawn', logs })
  const ours = paid.find(({ address }) => address.toLowerCase() === vault)
  if (ours === undefined) throw new Error(`The transaction ${transactionHash} paid no ticket.`)
  return `${transactionHash}:${ours.logIndex}`
}
