import {
  type Hex,
  keccak256,
  parseTransaction,
  type TransactionReceipt,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { onChain, type Vault } from './open-vault.ts'

/** A signed transaction. Its hash is known before it is sent. */
export type Signed = { readonly txHash: Hex; readonly signed: Hex }

/** Signs a call of a contract. Nothing is sent. */
export async function sign({ client }: Vault, call: { to: Hex; data: Hex }): Promise<Signed> {
  const { account } = client
  const request = await onChain(client.prepareTransactionRequest({ account, ...call }))
  const signed = await onChain(client.signTransaction(request))
  return { signed, txHash: keccak256(signed) }
}

/**
 * Sends a signed transaction. It may be known to the node already.
 *
 * @throws Failure REPLACED if another transaction of the wallet has used its number, so that it is never mined
 */
export async function send(
  { client, wallet: address }: Vault,
  { txHash, signed }: Signed,
  hints: readonly string[],
  hintsOnReplaced = hints,
): Promise<void> {
  try {
    await client.sendRawTransaction({ serializedTransaction: signed })
  } catch (error) {
    const used = await client.getTransactionCount({ address }).catch(() => 0)
    const known = await client.getTransaction({ hash: txHash }).catch(() => null)
    if (known !== null) return
    const { nonce = 0 } = parseTransaction(signed)
    if (used <= nonce) return onChain(Promise.reject(error), hints)
    const message = `Another transaction of the wallet was mined in place of ${txHash}, which moves no USDC.`
    throw new Failure('REPLACED', message, {
      exitCode: EXIT.refused,
      hints: hintsOnReplaced,
      cause: error,
    })
  }
}

/**
 * Waits until a transaction is mined, or the one that took its place.
 *
 * @throws Failure NOT_MINED after the time, REVERTED if it did nothing
 */
export async function untilMined(
  { client }: Vault,
  txHash: Hex,
  how: { readonly waitMs: number; readonly hints: readonly string[] },
): Promise<TransactionReceipt> {
  const { waitMs, hints } = how
  const receipt = await onChain(
    client.waitForTransactionReceipt({ hash: txHash, timeout: Math.max(1, waitMs) }).catch(error => {
      if (!(error instanceof WaitForTransactionReceiptTimeoutError)) throw error
      const message = `The transaction ${txHash} is not mined yet.`
      throw new Failure('NOT_MINED', message, { exitCode: EXIT.later, hints })
    }),
    hints,
  )
  if (receipt.status === 'success') return receipt
  throw new Failure('REVERTED', `The transaction ${txHash} was reverted. It moved no USDC.`, {
    exitCode: EXIT.refused,
  })
}
