import { formatUsdc } from '@farebox/money'
import { issueSecretBody, secretParams } from '@farebox/wire/secrets'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { deleteSecret } from './delete-secret.ts'
import { issueSecret } from './issue-secret.ts'
import { listSecrets } from './list-secrets.ts'
import { presentSettings, type SecretRow } from './rules.ts'

const BASE = '/secrets/provider'

/** Provider secrets, for wallet sessions. To be registered below `/api/v1`. */
export function secretRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.post(`${BASE}/issue`, { onRequest, schema: { body: issueSecretBody } }, async request => {
    const { secretKey, secret } = await issueSecret(deps, ownerOf(request).wallet, request.body)
    const { id, name, ...rest } = present(secret)
    return { status: 'success', secret: { id, name, secretKey, ...rest } }
  })

  app.get(`${BASE}/list`, { onRequest }, async request => {
    const secrets = await listSecrets(deps, ownerOf(request).wallet)
    return { status: 'success', secrets: secrets.map(present) }
  })

  app.delete(`${BASE}/:id`, { onRequest, schema: { params: secretParams } }, async request => {
    const key = { owner: ownerOf(request).wallet, id: request.params.id }
    const secret = await deleteSecret(deps, key)
    return { status: 'success', secretId: secret.id, secret: present(secret) }
  })
}

/** A secret as the wire has it, without its key. `capturedUsdc` is of the running interval. */
function present(secret: SecretRow) {
  const { id, maskedKey, status, captured, createdAt, lastUsedAt } = secret
  const { name, ...limits } = presentSettings(secret)
  return {
    id,
    name,
    maskedKey,
    status,
    ...limits,
    capturedUsdc: formatUsdc(captured),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
