import type { Hex } from 'viem'
import { get } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { balanceOf, type Person } from '../kit/world/world.ts'
import type { Production } from './kit.ts'

/** Helpers for tests of restored databases. */
export function restoring(production: Production) {
  /** Waits until the vault was followed past the head of the last change of the database. */
  const caughtUp = () =>
    until('the books have caught up', async () => {
      const rows = await production.sql('select 1 from database_watch where caught_up_at is not null')
      return rows.length > 0
    })
  return {
    caughtUp,
    /** Kills both gateways, changes the database, and restarts them, whatever leases it has. */
    async whileStopped(work: () => Promise<void>): Promise<void> {
      await Promise.all([production.one.kill9(), production.two.kill9()])
      await work()
      await Promise.all([production.one.restart(), production.two.restart()])
    },
    /** Withdraws at a gateway, redeems, and waits until it is booked. Returns the transaction. */
    async withdrawAndRedeem(provider: Person, amountUsdc: string): Promise<Hex> {
      const { ticket } = await production.withdraw(production.one, provider, amountUsdc)
      if (ticket === null) throw new Error('There is no ticket.')
      const txHash = await production.redeem(ticket)
      await until('it is paid', async () => (await balanceOf(production.one, provider)).locked === 0n)
      return txHash
    },
    /** Returns how each gateway treats a withdrawal of a micro-USDC now. */
    async ask(provider: Person): Promise<string[]> {
      const on = [production.one, production.two]
      const opened = await Promise.all(on.map(gateway => production.withdraw(gateway, provider, '0.000001')))
      return opened.map(({ statusLabel }) => statusLabel)
    },
    /** Waits for two checks of the books from now on: the second begins later. */
    async checkedTwice(): Promise<void> {
      const [last] = await production.sql<{ id: string }>('select max(id) as id from reconciliations')
      await until('the books are checked', async () => {
        const checks = await production.sql('select 1 from reconciliations where id > $1 + 1', [last?.id])
        return checks.length > 0
      })
    },
    /** Waits until tickets are issued again. */
    ticketing: (provider: Person) =>
      until('tickets are issued', async () => {
        const { body } = await get<{ isAutoApprovalOn: boolean }>(
          production.one,
          '/providers/withdrawals/capability',
          {
            token: provider.token,
          },
        )
        return body.isAutoApprovalOn
      }),
    /** Resolutions of the restore findings, oldest first; null is open. */
    async restores(): Promise<(string | null)[]> {
      const rows = await production.sql<{ resolution: string | null }>(
        "select resolution from chain_findings where kind = 'database-restored' order by id",
      )
      return rows.map(({ resolution }) => resolution)
    },
  }
}
