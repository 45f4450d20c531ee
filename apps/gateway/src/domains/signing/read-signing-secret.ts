import type { ShownSigningSecret } from '@farebox/wire/signing-secrets'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { presentSecret } from './secret-present.ts'
import { standingOf } from './secret-rules.ts'
import { readSecrets } from './secret-store.ts'

/** Returns the current signing secret of a wallet, and the next one; null for either if there is none. */
export async function readSigningSecret(
  deps: Pick<Deps, 'db'>,
  owner: Address,
): Promise<{ signingSecret: ShownSigningSecret | null; next: ShownSigningSecret | null }> {
  const { current, next } = standingOf(await readSecrets(deps.db, owner))
  return { signingSecret: current && presentSecret(current), next: next && presentSecret(next) }
}
