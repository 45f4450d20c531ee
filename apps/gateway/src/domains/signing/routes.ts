import { keyDirectory } from '@farebox/wire/operations'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { KeyRing } from './open-key-ring.ts'

/** Media type of draft-meunier-http-message-signatures-directory, which also defines the path. */
const MEDIA_TYPE = 'application/http-message-signatures-directory+json'
/** Lifetime of the directory in caches, in seconds; far shorter than the time between publication and use of a key. */
const MAX_AGE_SECONDS = 300

/**
 * Registers `GET /.well-known/http-message-signatures-directory`: the public keys by which providers verify a gateway.
 */
export function signingRoutes(app: App, ring: Pick<KeyRing, 'published'>): void {
  app.get(
    '/.well-known/http-message-signatures-directory',
    contract({
      id: 'listSigningKeys',
      summary: 'List the keys that sign requests to providers',
      description:
        'Every forwarded call and probe is signed (RFC 9421): with one of these keys (Ed25519), or with the signing secret of the provider if the service says so. A key is published long before its first signature and after its last.',
      tag: 'Provider side',
      access: 'public',
      answer: keyDirectory,
      answerType: MEDIA_TYPE,
      example: {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            kid: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
            x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
            use: 'sig',
            nbf: 1_795_168_200,
            exp: 1_803_031_200,
          },
        ],
      },
    }),
    async (_request, reply) => {
      reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`)
      reply.header('content-type', MEDIA_TYPE)
      // Sent as bytes, as Fastify adds a charset to text, which this media type does not have.
      return Buffer.from(JSON.stringify({ keys: ring.published() }))
    },
  )
}
