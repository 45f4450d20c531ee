import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import {
  type Address,
  decodeEventLog,
  type Hex,
  type LogTopic,
  pad,
  type Log as RpcLog,
  toEventSelector,
} from 'viem'
import type { ChainFacts, VaultEvent } from '../../ports.ts'
import { pairAuthorizations } from './authorized-transfers.ts'
import { contradiction } from './chain-rpc.ts'

const vaultEventAbi = fareboxVaultAbi.filter(
  item => item.type === 'event' && (item.name === 'Deposited' || item.name === 'Withdrawn'),
)

const transferAbi = eventOf('Transfer')
const authorizationUsedAbi = eventOf('AuthorizationUsed')

/** First topics of the events that move money. */
const vaultTopics: readonly Hex[] = vaultEventAbi.map(item => toEventSelector(item))
const transferTopic = toEventSelector(transferAbi)
const authorizationUsedTopic = toEventSelector(authorizationUsedAbi)

/** Returns the topics of transfers of the token to an address. */
export const transfersTo = (address: Address): LogTopic[] => [transferTopic, null, pad(address)]

/** Returns the topics of uses of EIP-3009 authorizations of payers. */
export const authorizationsOf = (payers: readonly Address[]): LogTopic[] => [
  authorizationUsedTopic,
  payers.map(payer => pad(payer)),
]

type Place = Pick<VaultEvent, 'blockNumber' | 'blockHash' | 'txHash' | 'logIndex'>

/**
 * Parses what entered and left the vault from logs: its money events, and transfers by EIP-3009 authorizations.
 * Ignores logs of other addresses, other events, and plain transfers.
 *
 * @returns the events in chain order
 * @throws GatewayError UNAVAILABLE for an invalid log, or one without a block
 */
export function readVaultLogs(at: Pick<ChainFacts, 'vault' | 'usdc'>, logs: readonly RpcLog[]): VaultEvent[] {
  const ours = logs.filter(log => isOf(at.vault, vaultTopics, log)).map(readVaultLog)
  const transfers = logs.filter(log => isOf(at.usdc, [transferTopic], log)).map(readTransfer)
  const used = logs.filter(log => isOf(at.usdc, [authorizationUsedTopic], log)).map(readAuthorizationUsed)
  const hashOfBlock = new Map<bigint, Hex>()
  for (const { blockNumber, blockHash } of [...ours, ...transfers, ...used]) {
    if ((hashOfBlock.get(blockNumber) ?? blockHash) !== blockHash) {
      throw contradiction(`logs of two blocks at height ${blockNumber}`)
    }
    hashOfBlock.set(blockNumber, blockHash)
  }
  const received = transfers.filter(({ to }) => to === at.vault)
  return [...ours, ...pairAuthorizations({ transfers: received, used })].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex,
  )
}

/** Returns who sent money to the vault if it reports fewer deposits than there were transfers to it. */
export function unreportedPayers(at: Pick<ChainFacts, 'vault' | 'usdc'>, logs: readonly RpcLog[]): Address[] {
  const reported = readVaultLogs(at, logs).filter(({ kind }) => kind === 'deposited')
  const transfers = logs.filter(log => isOf(at.usdc, [transferTopic], log)).map(readTransfer)
  return transfers.length === reported.length ? [] : [...new Set(transfers.map(({ from }) => from))]
}

function isOf(address: Address, topics: readonly Hex[], log: RpcLog): boolean {
  const [topic] = log.topics
  return lowerCase(log.address) === address && topic !== undefined && topics.includes(topic)
}

function placeOf(log: RpcLog): Place {
  const { blockNumber, blockHash, transactionHash, logIndex } = log
  const isMined = blockNumber !== null && blockHash !== null && transactionHash !== null && logIndex !== null
  if (!isMined || log.removed) throw contradiction('a log without a block')
  return { blockNumber, blockHash, txHash: transactionHash, logIndex }
}

function readVaultLog(log: RpcLog): VaultEvent {
  const place = placeOf(log)
  const { eventName, args } = decoded(() =>
    decodeEventLog({ abi: vaultEventAbi, topics: log.topics, data: log.data, strict: true }),
  )
  return eventName === 'Deposited'
    ? {
        ...place,
        kind: 'deposited',
        owner: lowerCase(args.owner),
        amount: usdc(args.amount),
        authorization: null,
      }
    : { ...place, kind: 'withdrawn', to: lowerCase(args.to), amount: usdc(args.amount), nonce: args.nonce }
}

function readTransfer(log: RpcLog) {
  const { args } = decoded(() =>
    decodeEventLog({ abi: [transferAbi], topics: log.topics, data: log.data, strict: true }),
  )
  return { ...placeOf(log), from: lowerCase(args.from), to: lowerCase(args.to), amount: usdc(args.value) }
}

function readAuthorizationUsed(log: RpcLog) {
  const { args } = decoded(() =>
    decodeEventLog({ abi: [authorizationUsedAbi], topics: log.topics, data: log.data, strict: true }),
  )
  return { ...placeOf(log), payer: lowerCase(args.authorizer), nonce: args.nonce }
}

function decoded<T>(decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw contradiction(`an invalid log of the vault (${String(cause)})`)
  }
}

function eventOf<const Name extends 'Transfer' | 'AuthorizationUsed'>(name: Name) {
  type Event = Extract<(typeof testUsdcAbi)[number], { type: 'event'; name: Name }>
  const found = testUsdcAbi.find((item): item is Event => item.type === 'event' && item.name === name)
  if (found === undefined) throw new Error(`The token has no event ${name}.`)
  return found
}

/** Returns an address in lower case, as used internally. */
export function lowerCase(address: string): Address {
  return address.toLowerCase() as Address
}
