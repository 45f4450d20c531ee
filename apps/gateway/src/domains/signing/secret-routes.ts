import {
  deletedSigningSecret,
  issuedSigningSecret,
  rotateSigningSecretBody,
  signingSecretsAnswer,
} from '@farebox/wire/signing-secrets'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { deleteSigningSecret, type FindSignedServices } from './delete-signing-secret.ts'
import { issueSigningSecret, rotateSigningSecret } from './issue-signing-secret.ts'
import { readSigningSecret } from './read-signing-secret.ts'
import * as examples from './secret-examples.ts'

const PATH = '/secrets/signing'
const common = { tag: 'Provider secrets', access: 'wallet' } as const
const success = { status: 'success' } as const

/** Dependencies of the routes besides the ports. */
type SecretRouteDeps = Deps & {
  readonly services: {
    readonly findSigned: FindSignedServices
    /** Removes the services of a wallet, and with them the secret, from the cache of this gateway. */
    readonly forget: (owner: string) => void
  }
}

/** Registers the routes of signing secrets, for wallet sessions, below `/api/v1`. */
export function signingSecretRoutes(app: App, deps: SecretRouteDeps): void {
  issue(app, deps)
  read(app, deps)
  rotate(app, deps)
  remove(app, deps)
}

function issue(app: App, deps: SecretRouteDeps): void {
  app.post(
    PATH,
    {
      ...contract({
        ...common,
        id: 'issueSigningSecret',
        summary: 'Issue the signing secret of my wallet',
        description:
          'Requests to services with `signature: "hmac-sha256"` are signed with it (RFC 9421, 3.3.3). A wallet has one for all its services. It is shown only once.',
        errors: ['INVALID_STATE'],
        answer: issuedSigningSecret,
        example: examples.issued,
      }),
      onRequest: ownerGuard(deps),
    },
    async request => ({ ...success, ...(await issueSigningSecret(deps, ownerOf(request).wallet)) }),
  )
}

function read(app: App, deps: SecretRouteDeps): void {
  app.get(
    PATH,
    {
      ...contract({
        ...common,
        id: 'readSigningSecret',
        summary: 'Read the signing secret of my wallet',
        description: 'Its key id, and that of the next one; never the secret itself.',
        answer: signingSecretsAnswer,
        example: examples.shown,
      }),
      onRequest: ownerGuard(deps),
    },
    async request => ({ ...success, ...(await readSigningSecret(deps, ownerOf(request).wallet)) }),
  )
}

function rotate(app: App, deps: SecretRouteDeps): void {
  app.post(
    `${PATH}/rotate`,
    {
      ...contract(
        {
          ...common,
          id: 'rotateSigningSecret',
          summary: 'Replace the signing secret of my wallet',
          description:
            'The new one is shown only once and signs from `signsFrom` on, `overlapSeconds` from now (default one day). Until then the old one signs: add the new one to your verifier first, by its key id, and remove the old one afterwards. A next one that does not sign yet is dropped. After a theft send `overlapSeconds: 0`.',
          errors: ['SECRET_NOT_FOUND'],
          answer: issuedSigningSecret,
          example: examples.rotated,
          exampleBody: examples.rotateBody,
        },
        { body: rotateSigningSecretBody },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => {
      const owner = ownerOf(request).wallet
      const issued = await rotateSigningSecret(deps, owner, request.body.overlapSeconds)
      deps.services.forget(owner)
      return { ...success, ...issued }
    },
  )
}

function remove(app: App, deps: SecretRouteDeps): void {
  app.delete(
    PATH,
    {
      ...contract({
        ...common,
        id: 'deleteSigningSecret',
        summary: 'Delete the signing secret of my wallet',
        description:
          'Also the next one. Refused while a service has `signature: "hmac-sha256"`: `detail.services` names some.',
        errors: ['SECRET_NOT_FOUND', 'INVALID_STATE'],
        answer: deletedSigningSecret,
        example: examples.deleted,
      }),
      onRequest: ownerGuard(deps),
    },
    async request => {
      const { findSigned } = deps.services
      const keyId = await deleteSigningSecret({ ...deps, findSigned }, ownerOf(request).wallet)
      return { ...success, keyId }
    },
  )
}
