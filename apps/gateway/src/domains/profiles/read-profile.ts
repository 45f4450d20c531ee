import type { MeAnswer } from '@farebox/wire/profiles'
import type { Deps } from '../../ports.ts'
import type { Owner } from '../auth/require-owner.ts'
import { presentMe } from './present.ts'
import { findProfile } from './store.ts'

/** Reads the profile of a wallet. */
export async function readProfile(deps: Pick<Deps, 'db' | 'clock'>, owner: Owner): Promise<MeAnswer> {
  const record = await findProfile(deps.db, owner.wallet)
  return presentMe(owner, record, deps.clock.now())
}
