import { formatUsdc, usdc } from '@farebox/money'
import type { BookCheck } from '@farebox/wire/balance'
import type { Deps } from '../../../ports.ts'
import { cached } from '../../../runtime/cached.ts'
import { readChecks } from '../reconcile/reconcile-store.ts'

/** Number of slices of a time; each has one check, the worst of it. */
const SLICES = 96
const DAY_SECONDS = 86_400
const DAY_MS = DAY_SECONDS * 1_000

/**
 * Returns the checks of the last `days`, oldest first: of each slice of that time the one with a finding, or else the
 * one with the least in the vault over what the books demand.
 */
async function listChecks(deps: Pick<Deps, 'db' | 'clock'>, days: number): Promise<BookCheck[]> {
  const rows = await readChecks(deps.db, {
    since: new Date(deps.clock.now() - days * DAY_MS),
    sliceSeconds: (days * DAY_SECONDS) / SLICES,
    limit: SLICES + 1,
  })
  return rows.map(({ at, consistent, checks, held, due }) => ({
    at: at.toISOString(),
    checks,
    consistent,
    vaultBalanceUsdc: held === null ? null : formatUsdc(usdc(held)),
    demandedUsdc: due === null ? null : formatUsdc(usdc(due)),
  }))
}

/** The same for a public route: requests for the same days share a reading of at most `maxAgeMs`. */
export function createChecksReader(deps: Pick<Deps, 'db' | 'clock'>, maxAgeMs: number) {
  const readers = new Map<number, () => Promise<BookCheck[]>>()
  return (days: number) => {
    const reader = readers.get(days) ?? cached(deps.clock, maxAgeMs, () => listChecks(deps, days))
    readers.set(days, reader)
    return reader()
  }
}
