import type { AlertSettings, ShownAlert } from '@farebox/wire/alerts'
import { fireAlerts } from '../../../src/domains/alerts/fire-alerts.ts'
import type { Deps } from '../../../src/ports.ts'
import type { OwnerSql } from '../database/owner-sql.ts'
import { get, send } from '../network/http.ts'
import { until } from '../until.ts'
import type { OnGateway, Person } from './world.ts'

/** Changes the alert settings of an owner; returns the answer. */
export const setAlerts = (on: OnGateway, owner: Person, change: unknown) =>
  send<{ settings: AlertSettings; code: string; message: string }>(on.url, '/api/v1/alerts/settings', {
    method: 'PATCH',
    token: owner.token,
    body: change,
  })

/** Returns the newest alerts of an owner, newest first. */
export async function alertsOf(on: OnGateway, owner: Person): Promise<readonly ShownAlert[]> {
  const { body } = await get<{ alerts: ShownAlert[] }>(on, '/alerts?limit=100', { token: owner.token })
  return body.alerts
}

/** Waits until the alerts of everything in the log are decided, by some gateways of this process if they are given. */
export function untilDecided(
  on: { readonly sql: OwnerSql['sql'] },
  ...gateways: readonly { readonly gateway: { readonly deps: Deps } }[]
): Promise<void> {
  return until('the alerts of the log are decided', async () => {
    await Promise.all(
      gateways.map(({ gateway: { deps } }) =>
        fireAlerts({ ...deps, db: deps.rawDb }, new AbortController().signal),
      ),
    )
    const behind = await on.sql(
      'select 1 from ledger_partitions p, alert_cursor c where p.head > c.positions[p.partition + 1]',
    )
    return behind.length === 0
  })
}

/** Gives a wallet a verified email. */
export const verifyEmail = (on: { readonly sql: OwnerSql['sql'] }, owner: Person, email: string) =>
  on.sql('insert into profiles (wallet, email) values ($1, $2)', [owner.account.address.toLowerCase(), email])
