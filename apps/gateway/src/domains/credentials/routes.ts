import {
  auditLogsPage,
  changedCredential,
  credentialParams,
  credentialState,
  credentialsPage,
  issueCredentialBody,
  issuedCredential,
  listAuditLogsQuery,
  listCredentialsQuery,
  rotateCredentialBody,
  updateCredentialBody,
  updateQuotaBody,
} from '@farebox/wire/credentials'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import type { ServiceNames } from './allowed-services.ts'
import { deleteCredential, revokeCredential } from './end-credential.ts'
import * as examples from './examples.ts'
import { issueCredential } from './issue-credential.ts'
import { listAuditLogs } from './list-audit-logs.ts'
import { listCredentials } from './list-credentials.ts'
import type { CredentialKey } from './own-credential.ts'
import { policyRoutes } from './policy-routes.ts'
import { presentChanged, presentIssued, presentListed, presentLog, presentStatus } from './present.ts'
import { readCredential } from './read-credential.ts'
import type { AgentGuard } from './require-agent.ts'
import { rotateCredential } from './rotate-credential.ts'
import { updateCredential } from './update-credential.ts'

const BASE = '/credentials/agent'
const common = { tag: 'Credentials', access: 'wallet' } as const
const NOT_FOUND = ['CREDENTIAL_NOT_FOUND'] as const

/** Registers the routes of agent credentials and spending policies, for wallet sessions, below `/api/v1`. */
export function credentialRoutes(app: App, deps: CredentialDeps): void {
  const onRequest = ownerGuard(deps)
  issue(app, deps, onRequest)
  read(app, deps, onRequest)
  end(app, deps, onRequest)
  change(app, deps, onRequest)
  policyRoutes(app, deps)
}

type CredentialDeps = Deps & { readonly agents: AgentGuard; readonly services: ServiceNames }
type Guard = ReturnType<typeof ownerGuard>

function issue(app: App, deps: CredentialDeps, onRequest: Guard): void {
  app.post(
    `${BASE}/issue`,
    {
      ...contract(
        {
          ...common,
          id: 'issueCredential',
          summary: 'Mint a credential for an agent',
          description:
            'A token that spends from the balance of the wallet, within these limits. Absent limits are not set; `rpm` defaults to 600. `expiresAt`, `expiration` and `expiresInSec` are alternatives. The wallet must have a spendable balance.',
          errors: ['INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED'],
          answer: issuedCredential,
          example: examples.issued,
          exampleBody: examples.issueBody,
        },
        { body: issueCredentialBody },
      ),
      onRequest,
    },
    async request => presentIssued(await issueCredential(deps, ownerOf(request).wallet, request.body)),
  )

  app.post(
    `${BASE}/:id/rotate`,
    {
      ...contract(
        {
          ...common,
          id: 'rotateCredential',
          summary: 'Rotate the token of a credential',
          description:
            'Limits, their use and idempotency keys stay. The old token stops working at once, or after `overlapSeconds`.',
          errors: [...NOT_FOUND, 'INVALID_STATE'],
          answer: issuedCredential,
          example: examples.issued,
          exampleBody: { overlapSeconds: 300 },
        },
        { params: credentialParams, body: rotateCredentialBody },
      ),
      onRequest,
    },
    async request => {
      const overlapSeconds = request.body?.overlapSeconds ?? 0
      return presentIssued(await rotateCredential(deps, keyOf(request), overlapSeconds))
    },
  )
}

function read(app: App, deps: CredentialDeps, onRequest: Guard): void {
  app.get(
    `${BASE}/list`,
    {
      ...contract(
        {
          ...common,
          id: 'listCredentials',
          summary: 'List my credentials',
          description: 'Newest first, with the use of their limits; without deleted ones.',
          answer: credentialsPage,
          example: examples.listed,
        },
        { querystring: listCredentialsQuery },
      ),
      onRequest,
    },
    async request => {
      const { active_only: isActiveOnly, ...page } = request.query
      const owner = ownerOf(request).wallet
      const { items, nextCursor } = await listCredentials(deps, { owner, isActiveOnly, ...page })
      return { status: 'success', credentials: items.map(presentListed), nextCursor }
    },
  )

  app.get(
    `${BASE}/audit-logs`,
    {
      ...contract(
        {
          ...common,
          id: 'listCredentialAuditLogs',
          summary: 'List the audit trail of my credentials and spending policy',
          description: 'Newest first. Deleted credentials keep their trail.',
          answer: auditLogsPage,
          example: examples.auditLogs,
        },
        { querystring: listAuditLogsQuery },
      ),
      onRequest,
    },
    async request => {
      const { limit, cursor } = request.query
      const owner = ownerOf(request).wallet
      const { items, nextCursor } = await listAuditLogs(deps, { owner, limit, cursor })
      return { status: 'success', logs: items.map(presentLog), nextCursor }
    },
  )

  app.get(
    `${BASE}/:id/status`,
    {
      ...contract(
        {
          ...common,
          id: 'readCredential',
          summary: 'Read the status of a credential',
          description: 'What it has spent, what is held for calls in flight, and what is left of its limits.',
          errors: NOT_FOUND,
          answer: credentialState,
          example: examples.state,
        },
        { params: credentialParams },
      ),
      onRequest,
    },
    async request => presentStatus(await readCredential(deps, keyOf(request))),
  )
}

function end(app: App, deps: CredentialDeps, onRequest: Guard): void {
  const changed = { ...common, errors: NOT_FOUND, answer: changedCredential, example: examples.changed }
  const params = credentialParams

  app.post(
    `${BASE}/:id/revoke`,
    {
      ...contract(
        {
          ...changed,
          id: 'revokeCredential',
          summary: 'Revoke a credential',
          description: 'After the response no call is admitted with it. Revoking again changes nothing.',
        },
        { params },
      ),
      onRequest,
    },
    async request => presentChanged(await revokeCredential(deps, keyOf(request))),
  )

  app.delete(
    `${BASE}/:id`,
    {
      ...contract(
        {
          ...changed,
          id: 'deleteCredential',
          summary: 'Delete a credential',
          description: 'It is revoked immediately and hidden from the list. Its calls and audit trail stay.',
        },
        { params },
      ),
      onRequest,
    },
    async request => presentChanged(await deleteCredential(deps, keyOf(request))),
  )
}

function change(app: App, deps: CredentialDeps, onRequest: Guard): void {
  const params = credentialParams
  const changed = {
    ...common,
    description: 'Absent members stay unchanged; null removes a limit.',
    errors: [...NOT_FOUND, 'LIMIT_EXCEEDED'],
    answer: changedCredential,
    example: examples.changed,
  } as const

  app.patch(
    `${BASE}/:id`,
    {
      ...contract(
        {
          ...changed,
          id: 'updateCredential',
          summary: 'Change a credential',
          exampleBody: { name: 'research agent 2', allowedServices: ['weather'] },
        },
        { params, body: updateCredentialBody },
      ),
      onRequest,
    },
    async request => {
      const changes = request.body
      return presentChanged(await updateCredential(deps, keyOf(request), { changes, action: 'updated' }))
    },
  )

  app.patch(
    `${BASE}/:id/quota`,
    {
      ...contract(
        {
          ...changed,
          id: 'updateCredentialQuota',
          summary: 'Change the limits of a credential',
          exampleBody: { creditLimit: 25, rpm: 600 },
        },
        { params, body: updateQuotaBody },
      ),
      onRequest,
    },
    async request => {
      const changes = request.body
      return presentChanged(
        await updateCredential(deps, keyOf(request), { changes, action: 'quota_updated' }),
      )
    },
  )
}

function keyOf(request: FastifyRequest<{ Params: { id: string } }>): CredentialKey {
  return { owner: ownerOf(request).wallet, id: request.params.id }
}
