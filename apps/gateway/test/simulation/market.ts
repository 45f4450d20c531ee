import { type Usdc, usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import type { CredentialBudget, PolicyBudget } from '../../src/domains/credentials/draw-budgets.ts'
import type { Chance } from './chance.ts'
import type { Tables } from './tables.ts'

/** Wallets by partition: a history has few partitions, so that owners share them. */
const WALLETS = Map.groupBy(
  Array.from({ length: 200 }, (_, number) => `0x${number.toString(16).padStart(40, '0')}`),
  ledgerPartitionOf,
)

/** A service as quoted by gateways. */
export type Service = { readonly id: string; readonly provider: string; readonly isMetered: boolean }

/** Callers and services of a history. */
export type Market = {
  readonly owners: readonly string[]
  readonly services: readonly Service[]
  readonly prices: Map<string, Usdc>
}

export const SECRET_ID = 'secret'
/** Token digest of a credential, by number of rotations. */
export const digestOf = (credentialId: string, rotation = 0): Buffer =>
  Buffer.from(`${credentialId} ${rotation}`)
export const credentialsOf = (owner: string): readonly [string, string] => [
  `c1-${owner.slice(-3)}`,
  `c2-${owner.slice(-3)}`,
]

const maybe = (chance: Chance, probability: number, value: () => number): bigint | null =>
  chance.is(probability) ? BigInt(value()) : null

/** Creates a market: owners with little money and tight limits. */
export function openMarket(tables: Tables, chance: Chance): Market {
  const partitions = [...WALLETS.keys()].sort((one, other) => one - other)
  const first = chance.below(partitions.length)
  const used = Array.from(
    { length: 1 + chance.below(2) },
    (_, index) => partitions[(first + index) % partitions.length] ?? 0,
  )
  const owners = used.flatMap(partition => (WALLETS.get(partition) ?? []).slice(0, 1 + chance.below(3)))
  const provider = 'provider-1'
  const services = [
    { id: 'svc-fixed', provider, isMetered: false },
    { id: 'svc-model', provider: 'provider-2', isMetered: true },
    // Its provider is also a caller.
    { id: 'svc-own', provider: owners[0] ?? provider, isMetered: false },
  ]
  for (const { id } of services) tables.services.set(id, 1n)
  for (const owner of owners) {
    const posted = 100 + chance.below(2_000)
    const promotional = chance.is(0.3) ? chance.below(posted) : 0
    tables.accounts.set(`consumer:${owner}`, {
      posted: usdc(BigInt(posted)),
      reserved: usdc(0n),
      promotional: usdc(BigInt(promotional)),
    })
    tables.policies.set(owner, policyOf(owner, chance))
    for (const id of credentialsOf(owner)) tables.credentials.set(id, credentialOf(id, owner, chance))
  }
  return {
    owners,
    services,
    prices: new Map(services.map(({ id }) => [id, usdc(BigInt(20 + chance.below(180)))])),
  }
}

function policyOf(owner: string, chance: Chance): PolicyBudget {
  return {
    owner,
    isSuspended: false,
    monthlyLimit: maybe(chance, 0.2, () => 300 + chance.below(2_000)),
    dailyLimit: maybe(chance, 0.3, () => 200 + chance.below(1_000)),
    perCallLimit: maybe(chance, 0.1, () => 150),
    monthStart: new Date(0),
    monthDrawn: 0n,
    dayStart: new Date(0),
    dayDrawn: 0n,
  }
}

function credentialOf(id: string, owner: string, chance: Chance): CredentialBudget {
  return {
    id,
    owner,
    status: 'active',
    expiresAt: null,
    maxCalls: maybe(chance, 0.2, () => 1 + chance.below(6)),
    creditLimit: maybe(chance, 0.3, () => 100 + chance.below(800)),
    maxCostPerCall: maybe(chance, 0.1, () => 150),
    rpm: chance.is(0.2) ? 2 + chance.below(6) : 600,
    resetInterval: chance.pick(['never', 'hourly', 'daily']),
    callsUsed: 0n,
    spent: 0n,
    held: 0n,
    intervalStart: new Date(0),
    rateWindow: Buffer.alloc(0),
    tokenHash: digestOf(id),
    previousTokenHash: null,
    previousExpiresAt: null,
    allowedServices: null,
  }
}
