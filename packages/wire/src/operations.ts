import { z } from 'zod'
import { isoTime, success, walletOut } from './common.ts'

/** Answer of `GET /health`. */
export const healthAnswer = z.object({
  status: z.literal('ok'),
  version: z
    .string()
    .max(64)
    .regex(/^[\x21-\x7e]+$/),
})

/** Answer of `GET /ready`. When not ready, the error UNAVAILABLE has the same `checks` in its detail. */
export const readyAnswer = z.object({
  status: z.literal('ok'),
  checks: z.object({
    database: z.literal(true),
    migrations: z.literal(true),
    clock: z.literal(true),
    chain: z
      .boolean()
      .meta({ description: 'False while the chain is unreachable: deposits and withdrawals are delayed.' }),
  }),
})

/** Reasons why no withdrawal ticket is issued. */
const ticketBlock = z.enum([
  /** The newest check of the books found a broken invariant. */
  'books_inconsistent',
  /** The chain and the books disagree, and no admin has settled it. */
  'chain_finding',
  /** Payments of the vault may be missing in the books. */
  'chain_not_followed',
  /** No recent check compared the books with the vault and was clean. */
  'books_unchecked',
])
export type TicketBlock = z.output<typeof ticketBlock>

/** Answer of `GET /status`. */
export const gatewayStatus = z.object({
  status: success,
  asOf: isoTime,
  isChainReachable: z
    .boolean()
    .meta({ description: 'False while the chain is unreachable: deposits and withdrawals are delayed.' }),
  isVaultPaused: z.boolean().nullable().meta({
    description: 'True while the vault is paused; null if the chain is unreachable.',
  }),
  ticketBlock: ticketBlock
    .nullable()
    .meta({ description: 'Why withdrawals wait for a review; null if they do not.' }),
  lastReconciledAt: isoTime
    .nullable()
    .meta({ description: 'Last check of the books; null before the first.' }),
})
export type GatewayStatus = z.output<typeof gatewayStatus>

const ABI_ENTRIES_MAX = 500

/** Answer of `GET /chain`: chain, token and vault. */
export const chainAnswer = z.object({
  chainId: z.int().min(1),
  rpcUrl: z
    .string()
    .max(2_048)
    .regex(/^https?:\/\//)
    .meta({ description: 'RPC endpoint for clients.' }),
  requiredConfirmations: z.int().min(1),
  usdc: walletOut,
  vault: walletOut,
  decimals: z.literal(6),
  vaultAbi: z
    .array(
      z.looseObject({ type: z.enum(['constructor', 'function', 'event', 'error', 'receive', 'fallback']) }),
    )
    .max(ABI_ENTRIES_MAX)
    .meta({ description: 'ABI of the vault, in the JSON format of Solidity.' }),
})

const KEYS_MAX = 100

const base64url = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/)
const unixSeconds = z.int().min(0)

/**
 * Public key with which providers verify the gateway's signatures (RFC 7517, RFC 8037). `nbf` and `exp` are Unix
 * seconds.
 */
const publishedKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: base64url.meta({ description: '`keyid` of its signatures.' }),
  x: base64url,
  use: z.literal('sig'),
  nbf: unixSeconds,
  exp: unixSeconds,
})
export type PublishedKey = z.output<typeof publishedKey>

/** Answer of `GET /.well-known/http-message-signatures-directory`. */
export const keyDirectory = z.object({ keys: z.array(publishedKey).max(KEYS_MAX) })
