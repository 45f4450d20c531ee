import { formatUsdc } from '@farebox/money'
import {
  credentialParams,
  issueCredentialBody,
  listAuditLogsQuery,
  listCredentialsQuery,
  rotateCredentialBody,
  spendingLimitBody,
  updateCredentialBody,
  updateQuotaBody,
} from '@farebox/wire/credentials'
import type { FastifyRequest } from 'fastify'
import { getAddress } from 'viem'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { deleteCredential } from './delete-credential.ts'
import { issueCredential } from './issue-credential.ts'
import { listAuditLogs } from './list-audit-logs.ts'
import { listCredentials } from './list-credentials.ts'
import type { CredentialKey } from './own-credential.ts'
import { readCredential } from './read-credential.ts'
import { readSpendingPolicy } from './read-spending-policy.ts'
import type { AgentGuard } from './require-agent.ts'
import { revokeCredential } from './revoke-credential.ts'
import { rotateCredential } from './rotate-credential.ts'
import {
  areCallsExhausted,
  type Credential,
  formatOrNull,
  presentLimits,
  presentSettings,
  type SpendingPolicy,
  unixSeconds,
} from './rules.ts'
import { setSpendingPolicy } from './set-spending-policy.ts'
import type { AuditRow } from './store.ts'
import { updateCredential } from './update-credential.ts'

const BASE = '/credentials/agent'

/** Agent credentials and spending policies, for wallet sessions. To be registered below `/api/v1`. */
export function credentialRoutes(app: App, deps: Deps & { agents: AgentGuard }): void {
  const onRequest = ownerGuard(deps)
  issueAndRead(app, deps, onRequest)
  change(app, deps, onRequest)
  spendingPolicy(app, deps, onRequest)
}

type Guard = ReturnType<typeof ownerGuard>

function issueAndRead(app: App, deps: Deps, onRequest: Guard): void {
  app.post(`${BASE}/issue`, { onRequest, schema: { body: issueCredentialBody } }, async request => {
    const { token, credential } = await issueCredential(deps, ownerOf(request).wallet, request.body)
    return { status: 'success', token, credential: present(credential, token) }
  })

  app.get(`${BASE}/list`, { onRequest, schema: { querystring: listCredentialsQuery } }, async request => {
    const { active_only: isActiveOnly, limit, cursor } = request.query
    const owner = ownerOf(request).wallet
    const { items, nextCursor } = await listCredentials(deps, { owner, isActiveOnly, limit, cursor })
    return { status: 'success', credentials: items.map(item => present(item)), nextCursor }
  })

  app.get(`${BASE}/audit-logs`, { onRequest, schema: { querystring: listAuditLogsQuery } }, async request => {
    const { limit, cursor } = request.query
    const { items, nextCursor } = await listAuditLogs(deps, { owner: ownerOf(request).wallet, limit, cursor })
    return { status: 'success', logs: items.map(presentLog), nextCursor }
  })

  app.get(`${BASE}/:id/status`, { onRequest, schema: { params: credentialParams } }, async request =>
    presentStatus(await readCredential(deps, keyOf(request))),
  )
}

function change(app: App, deps: Deps & { agents: AgentGuard }, onRequest: Guard): void {
  const params = credentialParams

  app.post(`${BASE}/:id/revoke`, { onRequest, schema: { params } }, async request =>
    presentChanged(await revokeCredential(deps, keyOf(request))),
  )

  app.post(
    `${BASE}/:id/rotate`,
    { onRequest, schema: { params, body: rotateCredentialBody } },
    async request => {
      const overlapSeconds = request.body?.overlapSeconds ?? 0
      const { token, credential } = await rotateCredential(deps, keyOf(request), overlapSeconds)
      return { status: 'success', token, credential: present(credential, token) }
    },
  )

  app.delete(`${BASE}/:id`, { onRequest, schema: { params } }, async request =>
    presentChanged(await deleteCredential(deps, keyOf(request))),
  )

  app.patch(`${BASE}/:id`, { onRequest, schema: { params, body: updateCredentialBody } }, async request =>
    presentChanged(
      await updateCredential(deps, keyOf(request), { changes: request.body, action: 'updated' }),
    ),
  )

  app.patch(`${BASE}/:id/quota`, { onRequest, schema: { params, body: updateQuotaBody } }, async request =>
    presentChanged(
      await updateCredential(deps, keyOf(request), { changes: request.body, action: 'quota_updated' }),
    ),
  )
}

function spendingPolicy(app: App, deps: Deps, onRequest: Guard): void {
  app.get('/balance/spending-limit', { onRequest }, async request =>
    presentPolicy(await readSpendingPolicy(deps, ownerOf(request).wallet)),
  )

  app.put('/balance/spending-limit', { onRequest, schema: { body: spendingLimitBody } }, async request =>
    presentPolicy(await setSpendingPolicy(deps, ownerOf(request).wallet, request.body)),
  )
}

function keyOf(request: FastifyRequest<{ Params: { id: string } }>): CredentialKey {
  return { owner: ownerOf(request).wallet, id: request.params.id }
}

/** A credential as the wire has it; with its token only where that is shown, at issue and rotate. */
function present(credential: Credential, token?: string) {
  const { id, status, createdAt } = credential
  return {
    id,
    credential_id: id,
    ...(token !== undefined && { token }),
    ...presentSettings(credential),
    status,
    createdAt: createdAt.toISOString(),
  }
}

function presentChanged(credential: Credential) {
  return { status: 'success', credentialId: credential.id, credential: present(credential) }
}

function presentStatus(credential: Credential) {
  const { id, status, expiresAt, callsUsed, maxCalls, creditLimit, spent, held } = credential
  const callsExhausted = areCallsExhausted(credential)
  return {
    status: 'success',
    credentialId: id,
    valid: status === 'active' && !callsExhausted,
    credentialStatus: status,
    isExpired: status === 'expired',
    callsExhausted,
    expiresAt: unixSeconds(expiresAt),
    callsUsed: Number(callsUsed),
    maxCalls: maxCalls === null ? null : Number(maxCalls),
    creditLimit: formatOrNull(creditLimit),
    spentUsdc: formatUsdc(spent),
    heldUsdc: formatUsdc(held),
  }
}

function presentLog({ id, action, credentialId, actor, at, detail }: AuditRow) {
  return { id, action, credentialId, actor: getAddress(actor), at: at.toISOString(), detail }
}

function presentPolicy(policy: SpendingPolicy) {
  return {
    status: 'success',
    ...presentLimits(policy),
    spentThisMonthUsdc: formatUsdc(policy.monthDrawn),
    spentTodayUsdc: formatUsdc(policy.dayDrawn),
  }
}
