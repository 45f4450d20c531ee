import { usdc, ZERO } from '@farebox/money'
import { ledgerPartitionOf, PARTITIONS } from '@farebox/wire/partition'
import type { CredentialBudget, PolicyBudget } from '../../../src/domains/credentials/draw-budgets.ts'
import type { HoldRequest } from '../../../src/domains/invocation/admission/admit.ts'
import type { AwaitedCall } from '../../../src/domains/invocation/log/ledger-events.ts'
import {
  createLedgerMemory,
  type LedgerMemory,
  type LoadedOwner,
  type Partition,
} from '../../../src/domains/invocation/log/ledger-memory.ts'
import type { Metering } from '../../../src/domains/invocation/pricing/metering-rules.ts'
import type { Settlement } from '../../../src/domains/invocation/rules.ts'
import type { AccountState } from '../../../src/domains/ledger/lock-books.ts'

// Values for tests of the ledger that need no database.

/** Two owners whose partitions differ. */
export const ALICE = '0xa11ce'
export const BOB = '0xb0b'
export const PROVIDER = '0xbeef'
export const NOW = new Date('2026-03-18T15:30:00.000Z')
export const DAY_START = new Date('2026-03-18T00:00:00.000Z')
export const MONTH_START = new Date('2026-03-01T00:00:00.000Z')
export const TOKEN_DIGEST = Buffer.alloc(32, 7)

/** Metering of a call at 1 micro-USDC per million tokens, of at most 2,000 input and 10 output tokens. */
export const METERING: Metering = {
  inputPricePer1M: usdc(1n),
  outputPricePer1M: usdc(1n),
  maxInputTokens: 2_000,
  maxOutputTokens: 10,
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
  preAuthMode: 'auto',
  isStreamed: false,
}

/** Returns the hash of a row: 32 bytes that differ by `seq`, and by the history that the row is in. */
export const hashOf = (seq: bigint, history = 0): Buffer =>
  Buffer.alloc(32, Number(seq % 128n) + history * 128)

/** Returns the state of an account. Amounts in micro-USDC. */
export const accountOf = (posted: bigint, reserved = 0n, promotional = 0n): AccountState => ({
  posted: usdc(posted),
  reserved: usdc(reserved),
  promotional: usdc(promotional),
})

/** Returns a credential without limits except 600 requests a minute. */
export const credentialOf = (
  owner: string,
  id: string,
  parts: Partial<CredentialBudget> = {},
): CredentialBudget => ({
  id,
  owner,
  status: 'active',
  expiresAt: null,
  maxCalls: null,
  creditLimit: null,
  maxCostPerCall: null,
  rpm: 600,
  resetInterval: 'daily',
  callsUsed: 0n,
  spent: 0n,
  held: 0n,
  intervalStart: DAY_START,
  rateWindow: Buffer.alloc(0),
  tokenHash: TOKEN_DIGEST,
  previousTokenHash: null,
  previousExpiresAt: null,
  allowedServices: null,
  ...parts,
})

/** Returns a spending policy without limits. */
export const policyOf = (owner: string, parts: Partial<PolicyBudget> = {}): PolicyBudget => ({
  owner,
  isSuspended: false,
  monthlyLimit: null,
  dailyLimit: null,
  perCallLimit: null,
  monthStart: MONTH_START,
  monthDrawn: 0n,
  dayStart: DAY_START,
  dayDrawn: 0n,
  ...parts,
})

/** Returns a request to hold 10 micro-USDC for a call of version 1 of `svc_1`. */
export const requestOf = (owner: string, id: string, parts: Partial<HoldRequest> = {}): HoldRequest => ({
  invocationId: id,
  credentialId: 'cred_1',
  owner,
  tokenDigest: TOKEN_DIGEST,
  idempotencyKey: `key of ${id}`,
  requestHash: Buffer.from(id),
  quote: { serviceId: 'svc_1', provider: PROVIDER, hold: usdc(10n), metering: null },
  service: { id: 'svc_1', version: 1n, names: ['svc_1'] },
  counted: null,
  ...parts,
})

type EndedSettlement = Exclude<Settlement, AwaitedCall>
const callOf = (owner: string, id: string) => ({
  invocationId: id,
  credentialId: 'cred_1',
  owner,
  provider: PROVIDER,
  serviceId: 'svc_1',
  hold: usdc(10n),
  drawnAt: NOW,
  from: 'PENDING' as const,
  latencyMs: 5,
  attempts: 1,
  recording: null,
})

/** Returns a settlement that captures 8 of 10 micro-USDC. */
export const captureOf = (
  owner: string,
  id: string,
  parts: Partial<EndedSettlement> = {},
): EndedSettlement => ({
  ...callOf(owner, id),
  status: 'SUCCEEDED',
  errorCode: null,
  charge: usdc(8n),
  fee: usdc(1n),
  answer: { httpStatus: 200, body: `answer of ${id}` },
  metered: null,
  ...parts,
})

/** Returns a settlement that releases the hold of a call. */
export const releaseOf = (owner: string, id: string): EndedSettlement =>
  captureOf(owner, id, {
    status: 'FAILED_RETRYABLE',
    errorCode: 'UPSTREAM_ERROR',
    charge: ZERO,
    fee: ZERO,
    answer: { httpStatus: 502, body: `error of ${id}` },
  })

/** Returns a settlement after which a call waits for its usage. */
export const awaitOf = (owner: string, id: string, parts: Partial<AwaitedCall> = {}): AwaitedCall => ({
  ...callOf(owner, id),
  status: 'PROCESSING',
  errorCode: 'USAGE_MISSING',
  charge: ZERO,
  fee: ZERO,
  reason: 'usage_missing',
  pendingResult: null,
  ...parts,
})

/** Returns a memory whose partitions are all at their first position. */
export function memoryAtStart(): LedgerMemory {
  const memory = createLedgerMemory(PARTITIONS)
  for (let number = 0; number < PARTITIONS; number += 1) {
    memory.partition(number).position = { head: 0n, hash: hashOf(0n) }
  }
  return memory
}

/** Returns the partition of an owner. */
export const partitionOf = (memory: LedgerMemory, owner: string): Partition =>
  memory.partition(ledgerPartitionOf(owner))

/** Loads an owner with 100 micro-USDC and the credential `cred_1`. Returns its partition. */
export function loadOwner(memory: LedgerMemory, owner: string, state: Partial<LoadedOwner> = {}): Partition {
  const partition = partitionOf(memory, owner)
  memory.load(partition, owner, {
    policy: policyOf(owner),
    account: accountOf(100n),
    credentials: new Map([['cred_1', credentialOf(owner, 'cred_1')]]),
    calls: [],
    ...state,
  })
  return partition
}
