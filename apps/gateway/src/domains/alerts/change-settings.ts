import type { AlertSettings, ChangeAlertsBody } from '@farebox/wire/alerts'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { readSettings } from './read-settings.ts'
import { writeSettings } from './settings-store.ts'

/** Changes the alert settings of a wallet, and returns all. They apply to what happens from now on. */
export async function changeSettings(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'mailer'>,
  owner: Owner,
  change: ChangeAlertsBody,
): Promise<AlertSettings> {
  await writeSettings(deps.db, owner.wallet, change)
  return readSettings(deps, owner)
}
