import { isObject } from '@farebox/wire/common'
import { z } from 'zod'

/**
 * Names under which existing clients send the same field. Only this file knows them: a schema is wrapped once, and
 * everything behind it sees one name.
 */
export const requestAliases = {
  verify: { wallet_address: 'address', walletAddress: 'address' },
  depositIntent: { txHash: 'tx_hash', amountUsdc: 'amount' },
  complete: { tx_hash: 'txHash' },
} as const satisfies Record<string, Readonly<Record<string, string>>>

/**
 * Wraps an object schema so that members sent under an alias are read under their own name. A member sent under both
 * keeps its own.
 */
export function withAliases<Schema extends z.ZodType>(
  schema: Schema,
  aliases: Readonly<Record<string, string>>,
) {
  return z.preprocess(input => {
    if (!isObject(input)) return input
    const renamed: Record<string, unknown> = { ...input }
    for (const [alias, name] of Object.entries(aliases)) {
      if (!Object.hasOwn(renamed, alias)) continue
      if (!Object.hasOwn(renamed, name)) renamed[name] = renamed[alias]
      delete renamed[alias]
    }
    return renamed
  }, schema)
}
