import { z } from 'zod'
import { idOut, isoTime, type Output, success } from '../common.ts'
import { strict } from '../strict.ts'

/** Algorithms for signing requests to a service (RFC 9421, 3.3). */
export const SIGNATURE_ALGORITHMS = ['ed25519', 'hmac-sha256'] as const
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number]
/** Default algorithm of a service. */
export const SIGNATURE_DEFAULT: SignatureAlgorithm = 'ed25519'

/** Default and maximum time for which the previous secret keeps signing after a rotation, in seconds. */
const SIGNING_OVERLAP_SECONDS_DEFAULT = 86_400
const SIGNING_OVERLAP_SECONDS_MAX = 604_800

/** Body of `POST /secrets/signing/rotate`. */
export const rotateSigningSecretBody = strict({
  overlapSeconds: z
    .int()
    .min(0)
    .max(SIGNING_OVERLAP_SECONDS_MAX)
    .default(SIGNING_OVERLAP_SECONDS_DEFAULT)
    .meta({
      description: 'Seconds for which the old secret continues to sign, while you install the new one.',
    }),
})
  .nullish()
  .transform(body => body ?? { overlapSeconds: SIGNING_OVERLAP_SECONDS_DEFAULT })

/** Signing secret of a wallet; returned only once, when it is created. */
const signingSecret = z
  .string()
  .regex(/^sigsec_[A-Za-z0-9+/]{43}=$/)
  .meta({ description: 'Shown only once. The key of the HMAC is its 32 bytes, in Base64 after `sigsec_`.' })

/** A signing secret as the API returns it. */
const shownSigningSecret = z
  .object({
    keyId: idOut('sig').meta({ description: '`keyid` of the signatures made with it.' }),
    signsFrom: isoTime.meta({
      description: 'When it starts to sign. A gateway may use the previous one for two more seconds.',
    }),
    createdAt: isoTime,
  })
  .meta({ id: 'SigningSecret' })
export type ShownSigningSecret = Output<typeof shownSigningSecret>

/** Answer of `POST /secrets/signing` and `POST /secrets/signing/rotate`. */
export const issuedSigningSecret = z.object({
  status: success,
  signingSecret: shownSigningSecret,
  secret: signingSecret,
})

/** Answer of `GET /secrets/signing`. */
export const signingSecretsAnswer = z.object({
  status: success,
  signingSecret: shownSigningSecret.nullable().meta({ description: 'The one that signs now; null: none.' }),
  next: shownSigningSecret.nullable().meta({ description: 'The one that takes over at its `signsFrom`.' }),
})

/** Answer of `DELETE /secrets/signing`. */
export const deletedSigningSecret = z.object({ status: success, keyId: idOut('sig') })
