import { usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { type Address, decodeEventLog, type Hex, type Log as RpcLog, toEventSelector } from 'viem'
import type { VaultEvent } from '../../ports.ts'
import { contradiction } from './chain-rpc.ts'

const eventAbi = fareboxVaultAbi.filter(
  item => item.type === 'event' && (item.name === 'Deposited' || item.name === 'Withdrawn'),
)

/** First topics of the events that move money. */
const moneyTopics: readonly Hex[] = eventAbi.map(item => toEventSelector(item))

/**
 * Parses the vault's money events from logs. Ignores logs of other addresses and the vault's other events.
 *
 * @param vault lower-case
 * @returns the events in chain order
 * @throws GatewayError UNAVAILABLE for an invalid log of the vault, or one without a block
 */
export function readVaultLogs(vault: Address, logs: readonly RpcLog[]): VaultEvent[] {
  const events = logs.filter(log => isMoneyLog(vault, log)).map(readVaultLog)
  const hashOfBlock = new Map<bigint, Hex>()
  for (const { blockNumber, blockHash } of events) {
    if ((hashOfBlock.get(blockNumber) ?? blockHash) !== blockHash) {
      throw contradiction(`logs of two blocks at height ${blockNumber}`)
    }
    hashOfBlock.set(blockNumber, blockHash)
  }
  return events.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
}

function isMoneyLog(vault: Address, log: RpcLog): boolean {
  const [topic] = log.topics
  return lowerCase(log.address) === vault && topic !== undefined && moneyTopics.includes(topic)
}

function readVaultLog(log: RpcLog): VaultEvent {
  const { blockNumber, blockHash, transactionHash, logIndex } = log
  const isMined = blockNumber !== null && blockHash !== null && transactionHash !== null && logIndex !== null
  if (!isMined || log.removed) throw contradiction('a log without a block')
  const place = { blockNumber, blockHash, txHash: transactionHash, logIndex }
  const { eventName, args } = decode(log)
  return eventName === 'Deposited'
    ? {
        ...place,
        kind: 'deposited',
        owner: lowerCase(args.owner),
        amount: usdc(args.amount),
        depositId: args.depositId,
      }
    : { ...place, kind: 'withdrawn', to: lowerCase(args.to), amount: usdc(args.amount), nonce: args.nonce }
}

function decode(log: RpcLog) {
  try {
    return decodeEventLog({ abi: eventAbi, topics: log.topics, data: log.data, strict: true })
  } catch (cause) {
    throw contradiction(`an invalid log of the vault (${String(cause)})`)
  }
}

/** Returns an address in lower case, as used internally. */
export function lowerCase(address: string): Address {
  return address.toLowerCase() as Address
}
