import type { HealthCheck } from '@farebox/wire/health-check'
import type { Address } from 'viem'
import type { Deps } from '../../../ports.ts'
import type { SigningSecret } from '../../../upstream-ports.ts'
import { openServiceSecret } from '../signing-secret.ts'
import { readService } from '../store.ts'
import { openHeaders } from './upstream-headers.ts'

/** A target and its probe settings. */
export type ProbeTarget = {
  readonly serviceId: string
  /** Wallet of the provider, in lower case. */
  readonly owner: Address
  readonly url: string
  /** Path of its probes at its origin; null: that of the health check. */
  readonly healthPath: string | null
  /** Null: the default probe. */
  readonly healthCheck: HealthCheck | null
  readonly upstreamHeaders: Readonly<Record<string, string>>
  /** Null: the gateway's own key signs. */
  readonly signingSecret: SigningSecret | null
}

/** Returns the targets of a service, for an immediate probe; none if there is no such service. */
export async function readProbePlan(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  serviceId: string,
): Promise<ProbeTarget[]> {
  const row = await readService(deps.db, serviceId)
  if (row === undefined || row.deletedAt !== null || row.suspendedAt !== null) return []
  const { owner, healthCheck } = row
  const upstreamHeaders = openHeaders(deps.secretBox, row)
  const signingSecret = openServiceSecret(deps.secretBox, row)
  return row.targets.map(({ url, healthPath }) => {
    return { serviceId: row.id, owner, url, healthPath, healthCheck, upstreamHeaders, signingSecret }
  })
}
