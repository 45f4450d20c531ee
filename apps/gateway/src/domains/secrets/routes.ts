import { formatUsdc } from '@farebox/money'
import {
  deletedSecret,
  issuedSecret,
  issueSecretBody,
  listSecretLogsQuery,
  type SecretLog,
  type ShownSecret,
  secretLogsPage,
  secretParams,
  secretsList,
} from '@farebox/wire/secrets'
import { getAddress } from 'viem'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { deleteSecret } from './delete-secret.ts'
import * as examples from './examples.ts'
import { issueSecret } from './issue-secret.ts'
import { listAuditLogs } from './list-audit-logs.ts'
import { listSecrets } from './list-secrets.ts'
import { presentSettings, type SecretRow } from './rules.ts'
import type { AuditRow } from './store.ts'

const BASE = '/secrets/provider'
const common = { tag: 'Provider secrets', access: 'wallet' } as const

/** Registers the routes of provider secrets, for wallet sessions, below `/api/v1`. */
export function secretRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.post(
    `${BASE}/issue`,
    {
      ...contract(
        {
          ...common,
          id: 'issueProviderSecret',
          summary: 'Issue a provider secret',
          description:
            "A provider's servers use it to list the calls of its services and to report late usage. The key is shown only once. The wallet becomes a provider.",
          errors: ['LIMIT_EXCEEDED'],
          answer: issuedSecret,
          example: examples.issued,
          exampleBody: examples.issueBody,
        },
        { body: issueSecretBody },
      ),
      onRequest,
    },
    async request => {
      const { secretKey, secret } = await issueSecret(deps, ownerOf(request).wallet, request.body)
      const { id, name, ...rest } = present(secret)
      return { status: 'success', secret: { id, name, secretKey, ...rest } }
    },
  )

  app.delete(
    `${BASE}/:id`,
    {
      ...contract(
        {
          ...common,
          id: 'deleteProviderSecret',
          summary: 'Delete a provider secret',
          description: 'It is invalid after the response. Its audit trail stays.',
          errors: ['SECRET_NOT_FOUND'],
          answer: deletedSecret,
          example: examples.deleted,
        },
        { params: secretParams },
      ),
      onRequest,
    },
    async request => {
      const secret = await deleteSecret(deps, { owner: ownerOf(request).wallet, id: request.params.id })
      return { status: 'success', secretId: secret.id, secret: present(secret) }
    },
  )

  lists(app, deps)
}

function lists(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.get(
    `${BASE}/list`,
    {
      ...contract({
        ...common,
        id: 'listProviderSecrets',
        summary: 'List my provider secrets',
        description: 'Newest first, without deleted ones.',
        answer: secretsList,
        example: examples.listed,
      }),
      onRequest,
    },
    async request => {
      const secrets = await listSecrets(deps, ownerOf(request).wallet)
      return { status: 'success', secrets: secrets.map(present) }
    },
  )

  app.get(
    `${BASE}/audit-logs`,
    {
      ...contract(
        {
          ...common,
          id: 'listProviderSecretAuditLogs',
          summary: 'List the audit trail of my provider and signing secrets',
          description: 'Newest first. Deleted secrets keep their trail.',
          answer: secretLogsPage,
          example: examples.auditLogs,
        },
        { querystring: listSecretLogsQuery },
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
}

/** Formats a secret for a response, without its key. `capturedUsdc` is of the current interval. */
function present(secret: SecretRow): ShownSecret {
  const { id, maskedKey, status, captured, createdAt, lastUsedAt, callsUsed } = secret
  const { name, ...limits } = presentSettings(secret)
  return {
    id,
    name,
    maskedKey,
    status,
    ...limits,
    callsUsed: Number(callsUsed),
    capturedUsdc: formatUsdc(captured),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

function presentLog({ id, action, secretId, actor, at, detail }: AuditRow): SecretLog {
  return { id, action, secretId, actor: getAddress(actor), at: at.toISOString(), detail }
}
