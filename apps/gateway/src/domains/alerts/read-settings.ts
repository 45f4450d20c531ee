import { parseUsdc } from '@farebox/money'
import type { AlertEmailStatus, AlertSettings } from '@farebox/wire/alerts'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { readProfile } from '../profiles/read-profile.ts'
import { presentSettings } from './present.ts'
import { findSettings } from './settings-store.ts'

/** Returns the alert settings of a wallet. */
export async function readSettings(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'mailer'>,
  owner: Owner,
): Promise<AlertSettings> {
  const [row, emailStatus] = await Promise.all([
    findSettings(deps.db, owner.wallet),
    emailStatusOf(deps, owner),
  ])
  return presentSettings(row, { standard: parseUsdc(deps.config.BALANCE_LOW_USDC), emailStatus })
}

async function emailStatusOf(
  deps: Pick<Deps, 'db' | 'clock' | 'mailer'>,
  owner: Owner,
): Promise<AlertEmailStatus> {
  if (deps.mailer === null) return 'no_mail_server'
  const { email, notifications } = await readProfile(deps, owner)
  if (email === null) return 'no_address'
  return notifications ? 'ready' : 'off_in_profile'
}
